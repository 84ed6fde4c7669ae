"""English, as far as names and descriptions need it: the words in them, and which of those say that something is done."""

import re
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

VERBS: Final = frozenset(
    """
    accept activate add adjust analyse analyze answer append apply approve archive ask assign attach authorize book build
    calculate call cancel change charge check choose clear close collect compare complete compute configure confirm connect
    convert copy count create deactivate decide delete deliver deploy describe detect disable discard disconnect dismiss
    download draft draw edit empty enable end enqueue ensure enter estimate evaluate execute expand explain export extend
    extract fetch file fill filter find finish flag follow format forward generate get give grant group handle hide identify
    import include index insert inspect install invite invoke issue join keep label launch leave let link list load lock log
    look make map mark match measure merge move name note notify open order pause pay pick place plan play post predict
    prepare preview print process produce propose publish pull push put query queue rank rate read rebuild receive recommend
    record refresh refund refuse register reject release reload remind remove rename render reorder reply report request
    reschedule reserve reset resize resolve restart restock restore resume retrieve return review revoke roll rotate run save
    say scan schedule score search select send set share ship show sign simulate skip snooze sort split start stop store
    submit subscribe suggest sum summarise summarize suspend swap switch sync tag take tell terminate test track train
    transfer transform translate trigger turn undo unlock unsubscribe update upload use validate verify view visit wait watch
    withdraw work write
    """.split()
)
# What a description has besides: these say nothing that a name does not.
_EMPTY: Final = frozenset("a all an and any by for from in is it its of on one or some that the this to tool with".split())
# A word after one of these is the name of a thing, and so is one that goes on with "of".
_BEFORE_A_NOUN: Final = r"(?:a|an|any|each|its|some|that|the|this)"


def is_bare(text: str, description: str, nouns: Sequence[str]) -> bool:
    """Whether a text begins with a word that can be a verb: a known one, or one that nothing shows to be a noun.

    Args:
        text: a name, or a sentence.
        description: where the same word may stand as a noun.
        nouns: words that are known to be nouns, of the module and the arguments.
    """
    found = _WORD.search(text)
    first = found[0].lower() if found else ""
    if first in VERBS:
        return True
    if not first.isalpha() or first in _EMPTY or (first.endswith("s") and not first.endswith("ss")):
        return False
    is_noun = stem(first) in {stem(word) for word in nouns}
    return not is_noun and not re.search(rf"\b{_BEFORE_A_NOUN}\s+(?:\w+\s+)?{first}\b|^{first}\s+of\b", description, re.IGNORECASE)


def words_of(text: str) -> list[str]:
    """The words of a name or of a sentence, in lower case, without those that say nothing."""
    return [word for word in (found.lower() for found in _WORD.findall(text)) if word not in _EMPTY]


def stem(word: str) -> str:
    """A word as far as it is the same in other forms: `users` and `user`, `counts` and `count`."""
    for ending in ("ies", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending) + ("y" if ending == "ies" else "")
    return word
