"""What generated things may be called, and how one name is written in each place: file, class, table, heading."""

import builtins
import keyword
import re

from lazyapp.errors import ConfigurationError
from lazyapp.path_template import singular

_WORD = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
MAX_LENGTH = 40
_IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_UNCOUNTED = frozenset("equipment fish information money news rice series sheep".split())


def check_word(word: str, what: str) -> str:
    """Accept a name such as `orders` or `order_items`, and give it back.

    Args:
        word: as it was typed.
        what: of what, for the message: `a tool`.

    Raises:
        ConfigurationError: it is none that a file, a method and a path can have.
    """
    if not _WORD.fullmatch(word) or len(word) > MAX_LENGTH:
        raise ConfigurationError(
            f"{word!r} cannot be the name of {what}; use small letters, digits and single underscores, at most {MAX_LENGTH}, "
            "and begin with a letter."
        )
    return word


def check_free_word(word: str, what: str) -> str:
    """Accept a name that Python has no meaning for; see `check_word`."""
    check_word(word, what)
    if is_taken_by_python(word):
        raise ConfigurationError(f"{word!r} is a word of Python's own and cannot be the name of {what}; choose another.")
    return word


def is_taken_by_python(word: str) -> bool:
    """Whether it is a keyword or a builtin, which a method of that name would hide from those below it."""
    return keyword.iskeyword(word) or keyword.issoftkeyword(word) or hasattr(builtins, word)


def method_name(word: str) -> str:
    """The method of a name: `list` is `list_`, or no annotation below it could say `list[str]`."""
    return f"{word}_" if is_taken_by_python(word) else word


def snake(name: str) -> str:
    """`OrderItem` is `order_item`."""
    return _HUMP.sub("_", name).lower()


def camel(word: str) -> str:
    """`order_items` is `OrderItems`."""
    return "".join(part.capitalize() for part in word.split("_"))


def in_words(word: str) -> str:
    """`order_items` is `order items`."""
    return word.replace("_", " ")


def title(word: str) -> str:
    """`order_items` is `Order items`."""
    words = in_words(word)
    return words[:1].upper() + words[1:]


def plural(one: str) -> str:
    """The name of many: `order` is `orders`, `category` is `categories`; `singular` finds the way back.

    Raises:
        ConfigurationError: the way back leads elsewhere, so paths and classes would not agree.
    """
    many = _plural(one)
    if singular(many) != one:
        raise ConfigurationError(
            f"{one!r} has no plural that leads back to it ({many!r} is of {singular(many)!r}); choose another."
        )
    return many


def _plural(one: str) -> str:
    start, _, word = one.rpartition("_")
    head = f"{start}_" if start else ""
    if word in _IRREGULAR:
        return head + _IRREGULAR[word]
    if word in _UNCOUNTED:
        return one
    if re.search(r"[^aeiou]y$", word):
        return f"{head}{word[:-1]}ies"
    return head + word + ("es" if re.search(r"(s|sh|ch|x|z)$", word) else "s")


def is_plural(word: str) -> bool:
    """Whether it names many: `orders`, and what has one form for both."""
    return singular(word) != word or word.rpartition("_")[2] in _UNCOUNTED


def a_or_an(words: str) -> str:
    """`an order`, `a customer`."""
    return f"{'an' if words[:1] in 'aeiou' else 'a'} {words}"
