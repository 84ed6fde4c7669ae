"""The YAML header of a SKILL.md: read as hosts read it, and held against their rules.

A host reads the header again from the file and compares it, field by field, with what the server said about the skill. So it is
read by the rules of YAML 1.2, which most hosts follow: `yes` and `2026-07-28` are texts, and a key stands once.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from lazymcp.errors import RegistrationError

__all__ = ["NAME", "read_frontmatter"]

# Agent Skills specification, "name field".
NAME: Final = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(-[a-z0-9]+)*")

_HEADER: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_RESERVED: Final = "io.modelcontextprotocol/"
# Written out: a few lines of YAML aliases stand for billions of values. What is deeper, JSON parsers of hosts may refuse.
_MAX_VALUES: Final = 10_000
_MAX_DEPTH: Final = 64

# YAML 1.2.2, section 10.3.2: what a plain scalar is, by the characters it may begin with.
_SCALARS: Final = (
    ("null", r"(?:null|Null|NULL|~|)", ["n", "N", "~", ""]),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)", list("tTfF")),
    ("int", r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)", list("-+0123456789")),
    ("float", r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)", list("-+.0123456789")),
    ("float", r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))", list("-+.")),
)


def read_frontmatter(text: str | None, place: str) -> dict[str, Any]:
    """The header of a SKILL.md as JSON, every key of it.

    Args:
        text: the file; None when it is not UTF-8.
        place: its path, for the message.

    Raises:
        RegistrationError: there is no header, or a host would refuse it. It names the file and the reason.

    SEP-2640, "Skill format"; Agent Skills specification, "Frontmatter".
    """
    from yaml import YAMLError, load

    if text is None:
        raise RegistrationError("SKILL.md must be UTF-8 text", place)
    header = _HEADER.match(text)
    if header is None:
        raise RegistrationError("SKILL.md must begin with YAML between two lines of ---", place)
    try:
        found = load(header[1] or "", _loader())  # noqa: S506 - a subclass of SafeLoader
    except (YAMLError, ValueError, LookupError, RecursionError) as problem:
        raise RegistrationError(f"the YAML at the head of SKILL.md cannot be read: {problem}", place) from problem
    return _check(found, place)


def _check(header: Any, place: str) -> dict[str, Any]:
    import json

    if not isinstance(header, dict):
        raise RegistrationError("the YAML at the head of SKILL.md must be a mapping with name and description", place)
    name, description = header.get("name"), header.get("description")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise RegistrationError(f"name must be 1 to 64 of a-z 0-9 and single inner hyphens, not {name!r}", place)
    if not isinstance(description, str) or not 1 <= len(description.strip()) <= 1024:
        raise RegistrationError("description must be a text of 1 to 1024 characters", place)
    compatibility = header.get("compatibility", "any")
    if not isinstance(compatibility, str) or not 1 <= len(compatibility) <= 500:
        raise RegistrationError("compatibility must be a text of 1 to 500 characters, or be left out", place)
    _check_metadata(header.get("metadata", {}), place)
    if not _is_small(header):
        reason = f"is deeper than {_MAX_DEPTH} or, written out, holds more than {_MAX_VALUES} values"
        raise RegistrationError(f"the YAML at the head of SKILL.md {reason}", place)
    try:
        # What YAML can say and JSON cannot: keys that are not text, .nan, !!binary, !!set.
        written = json.dumps(header, allow_nan=False, ensure_ascii=False)
        written.encode()  # half of a surrogate pair is no text
        same = json.loads(written) == header
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same:
        raise RegistrationError("the YAML at the head of SKILL.md holds what JSON cannot say", place)
    return header


def _is_small(header: dict[Any, Any]) -> bool:
    todo: list[tuple[Any, int]] = [(header, 0)]
    for value, depth in todo:  # grows as it goes, also by what contains itself
        if isinstance(value, dict | list | tuple | set):
            todo += ((inner, depth + 1) for inner in (value.values() if isinstance(value, dict) else value))
        if len(todo) > _MAX_VALUES or depth > _MAX_DEPTH:
            return False
    return True


def _check_metadata(metadata: Any, place: str) -> None:
    if not isinstance(metadata, Mapping):
        raise RegistrationError("metadata must be a mapping, or be left out", place)
    for key in metadata:
        # SEP-2640, "Frontmatter": only MCP's extensions define such keys, and none has.
        if isinstance(key, str) and key.startswith(_RESERVED):
            raise RegistrationError(f"the key {key!r} in metadata is reserved by MCP; write a prefix of your own", place)


@cache
def _loader() -> Any:
    """PyYAML's safe loader with the scalars of YAML 1.2.

    Imported when a skill is loaded: a server without skills starts sooner.
    """
    from yaml import SafeLoader
    from yaml.constructor import ConstructorError

    class Loader(SafeLoader):
        yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's attribute

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            seen: set[Any] = set()
            for key, _ in node.value:
                if key.tag.endswith(":str") and key.value in seen:
                    raise ConstructorError(None, None, f"the key {key.value!r} stands twice", key.start_mark)
                seen.add(key.value if isinstance(key.value, str) else None)
            return super().construct_mapping(node, deep=deep)

        def flatten_mapping(self, node: Any) -> None:
            """Merge nothing: YAML 1.2 knows no merge keys, and those of 1.1 can be made to multiply while they are read."""

    for kind, pattern, first in _SCALARS:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(pattern + r"\Z"), first)
    Loader.add_constructor("tag:yaml.org,2002:int", _integer)
    return Loader


def _integer(loader: Any, node: Any) -> int:
    text = loader.construct_scalar(node)
    if text.startswith(("0o", "0x")):
        return int(text, 0)
    return int(text, 10)
