"""The password of one development run."""

import math
import re

from lazyapp.serving.passphrase import ADJECTIVES, ANIMALS, one_run_password


def test_it_is_readable_words_and_a_number() -> None:
    assert re.fullmatch(r"[a-z]+-[a-z]+-[a-z]+-[a-z]+-[1-9][0-9]{3}", one_run_password())


def test_it_has_40_bits_and_no_word_twice_in_a_list() -> None:
    """Guessing is throttled, and still must not be worth a try."""
    words = [set(ADJECTIVES), set(ANIMALS)]
    assert [len(found) for found in words] == [len(ADJECTIVES), len(ANIMALS)]
    assert 2 * sum(math.log2(len(found)) for found in words) + math.log2(9000) >= 40


def test_every_run_has_its_own() -> None:
    assert len({one_run_password() for _ in range(100)}) == 100
