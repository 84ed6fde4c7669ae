"""HTML elements out of names, attributes and content, everything escaped. Knows no form and no request."""

import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

_ATTRIBUTE = re.compile(r"[A-Za-z@:][A-Za-z0-9_.:@-]*")
_EMPTY = frozenset({"input", "link", "meta", "img", "br", "hr"})


def tag(name: str, attributes: Mapping[str, Any], content: object = None) -> Markup:
    """One element. What is not Markup in it is text, and is escaped.

    Args:
        name: of the element.
        attributes: as `attribute_text` reads them.
        content: what stands inside; None for elements that hold nothing, such as `input`.
    """
    start = Markup("<{}{}>").format(Markup(name), attribute_text(attributes))  # noqa: S704 (a name that we wrote)
    if name in _EMPTY:
        return start
    return Markup("{}{}</{}>").format(start, "" if content is None else content, Markup(name))  # noqa: S704


def attribute_text(attributes: Mapping[str, Any]) -> Markup:
    """Attributes as they stand in a tag, each with a space before it.

    True is the bare name, None and False leave it out. Python's spelling of a name is understood: `class_` is `class`, `for_` is
    `for`, `data_id` is `data-id`.

    Raises:
        ValueError: a name could end the tag; names come from templates and are never a visitor's.
    """
    parts = []
    for given, value in attributes.items():
        name = given.rstrip("_").replace("_", "-")
        if not _ATTRIBUTE.fullmatch(name):
            raise ValueError(f"{given!r} cannot be an attribute's name")
        if value is True:
            parts.append(Markup(" {}").format(name))
        elif value is not None and value is not False:
            # A Markup is escaped anew: what is safe between tags may hold a quotation mark.
            text = value.unescape() if isinstance(value, Markup) else str(value)
            parts.append(Markup(' {}="{}"').format(name, escape(text)))
    return Markup().join(parts)


def words(name: str) -> str:
    """A name as a person reads it: `first_name` is `First name`."""
    text = name.replace("_", " ").replace("-", " ").strip()
    return text[:1].upper() + text[1:]
