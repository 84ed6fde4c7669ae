"""Arguments from a command line: `--args` with JSON, and words like `limit=10` that the schema of the tool gives their types."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TextIO

from lazyapp.errors import ConfigurationError

_SHOWN = 60
_EXAMPLE = '{"query": "x"}'
_INTEGER = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_TRUE, _FALSE = frozenset({"true", "yes", "1", "on"}), frozenset({"false", "no", "0", "off"})


def read_object(text: str, stdin: TextIO) -> dict[str, Any]:
    """The object that `--args` gives: JSON, `@FILE`, or `-` for stdin; an empty text is no arguments.

    Raises:
        ConfigurationError: it cannot be read, or is no JSON object.
    """
    where = "--args"
    if text == "-":
        text, where = stdin.read(), "stdin"
    elif text.startswith("@"):
        where = text[1:]
        try:
            text = Path(where).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigurationError(f"--args: {where} cannot be read: {getattr(problem, 'strerror', problem)}.") from None
    if not text.strip():
        return {}
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise ConfigurationError(
            f'--args: {where} is no JSON ({problem}); write for example --args \'{{"query": "x"}}\'.'
        ) from None
    if not isinstance(found, dict):
        raise ConfigurationError(f"--args: {where} should be a JSON object, such as {_EXAMPLE}, and not a {type(found).__name__}.")
    return found


def merge(given: Mapping[str, Any], words: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `--args` and of the words together, each word as the schema types it.

    A list takes its name several times: `tag=a tag=b`, or JSON: `tag='["a", "b"]'`.

    Raises:
        ConfigurationError: a word is not NAME=VALUE, names no argument, comes twice, or does not fit.
    """
    named: dict[str, list[str]] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise ConfigurationError(f"{word[:_SHOWN]!r} is no argument; write NAME=VALUE, such as query=x, or --args with JSON.")
        named.setdefault(name, []).append(value)
    properties = schema.get("properties", {})
    found = dict(given)
    for name, values in named.items():
        if name in found:
            raise ConfigurationError(f"The argument {name!r} is given twice: by --args and by {name}=.")
        node = properties.get(name)
        if node is None and schema.get("additionalProperties", True) is False:
            _refuse_unknown(name, properties)
        found[name] = _typed(name, values, schema, node if isinstance(node, dict) else {})
    return found


def check_required(found: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Refuse arguments of which one is missing.

    Raises:
        ConfigurationError: naming it, and the others that there are.
    """
    missing = [name for name in schema.get("required", ()) if name not in found]
    if missing:
        listed = " and ".join(repr(name) for name in missing)
        raise ConfigurationError(f"The argument {listed} is missing; it takes {signature(schema)}.")


def signature(schema: Mapping[str, Any]) -> str:
    """The arguments in one line: `query: string, limit?: integer`; "nothing" where there are none."""
    required = schema.get("required", ())
    told = [
        f"{name}{'' if name in required else '?'}: {kind_of(node, schema)}" for name, node in schema.get("properties", {}).items()
    ]
    return ", ".join(told) or ("anything" if schema.get("additionalProperties", True) is not False else "nothing")


def kind_of(node: Any, schema: Mapping[str, Any]) -> str:
    """What fits, in a word or two: `string`, `integer or null`, `string[]`, `a|b`."""
    kinds: list[str] = []
    for each in _alternatives(node if isinstance(node, dict) else {}, schema):
        if "enum" in each or "const" in each:
            kinds += ["|".join(str(value) for value in each.get("enum", [each.get("const")]))]
        elif each.get("type") == "array":
            kinds.append(f"{kind_of(each.get('items', {}), schema)}[]")
        else:
            names = each.get("type", "any")
            kinds += names if isinstance(names, list) else [str(names)]
    return " or ".join(dict.fromkeys(kind for kind in kinds if kind != "null")) or "null"


def _refuse_unknown(name: str, properties: Mapping[str, Any]) -> None:
    near = get_close_matches(name, properties, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; it takes {', '.join(properties) or 'no arguments'}."
    raise ConfigurationError(f"There is no argument {name[:_SHOWN]!r}{hint}")


def _typed(name: str, values: list[str], schema: Mapping[str, Any], node: Mapping[str, Any]) -> Any:
    alternatives = _alternatives(node, schema)
    array = next((each for each in alternatives if each.get("type") == "array"), None)
    is_list = len(values) > 1 or all(each.get("type") in ("array", "null") for each in alternatives)
    if array is not None and is_list and (len(values) > 1 or not values[0].lstrip().startswith("[")):
        items = array.get("items", {})
        return [_one(name, value, _alternatives(items if isinstance(items, dict) else {}, schema)) for value in values]
    if len(values) > 1:
        raise ConfigurationError(f"The argument {name!r} is given twice, and it is no list.")
    return _one(name, values[0], alternatives)


def _one(name: str, value: str, alternatives: Sequence[Mapping[str, Any]]) -> Any:
    """A value by the first alternative that it fits; text comes last, because everything fits it."""
    choices = [choice for each in alternatives for choice in each.get("enum", [each["const"]] if "const" in each else ())]
    for choice in choices:
        if value == (choice if isinstance(choice, str) else json.dumps(choice)):
            return choice
    kinds = [kind for each in alternatives if "enum" not in each and "const" not in each for kind in _kinds(each)]
    if choices and not [kind for kind in kinds if kind != "null"]:
        raise ConfigurationError(f"The argument {name!r} is one of {', '.join(map(str, choices))}, not {value[:_SHOWN]!r}.")
    for kind in sorted(kinds, key=("integer", "number", "boolean", "object", "array", "any", "string", "null").index):
        try:
            return _READERS[kind](value)
        except (ValueError, RecursionError):
            continue
    wanted = " or ".join(_SPOKEN[kind] for kind in dict.fromkeys(kinds) if kind != "null")
    raise ConfigurationError(f"The argument {name!r} should be {wanted}, not {value[:_SHOWN]!r}.")


def _kinds(node: Mapping[str, Any]) -> list[str]:
    names = node.get("type", "any")
    return [kind if kind in _READERS else "any" for kind in (names if isinstance(names, list) else [names])]


def _alternatives(node: Mapping[str, Any], schema: Mapping[str, Any], depth: int = 0) -> list[Mapping[str, Any]]:
    """What a node allows, one schema a possibility; references within the schema are followed."""
    reference = node.get("$ref", "")
    if depth > 8:
        return [{}]
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        target = schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"), {})
        return _alternatives(target, schema, depth + 1)
    several = node.get("anyOf") or node.get("oneOf")
    if several is None and isinstance(node.get("allOf"), list) and len(node["allOf"]) == 1:
        several = node["allOf"]
    if several:
        return [found for each in several if isinstance(each, dict) for found in _alternatives(each, schema, depth + 1)]
    return [node]


def _integer(value: str) -> int:
    if not _INTEGER.fullmatch(value.strip()):
        raise ValueError(value)
    return int(value)


def _number(value: str) -> float:
    found = float(value)
    if not math.isfinite(found):
        raise ValueError(value)
    return found


def _boolean(value: str) -> bool:
    if (word := value.strip().lower()) not in _TRUE | _FALSE:
        raise ValueError(value)
    return word in _TRUE


def _json(kind: type) -> Any:
    def read(value: str) -> Any:
        found = json.loads(value, parse_constant=_no_number)
        if not isinstance(found, kind):
            raise ValueError(value)
        return found

    return read


def _anything(value: str) -> Any:
    try:
        return json.loads(value, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return value


def _null(value: str) -> None:
    if value != "null":
        raise ValueError(value)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number in JSON")


_READERS: Mapping[str, Any] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _json(dict),
    "array": _json(list),
    "any": _anything,
    "string": str,
    "null": _null,
}
_SPOKEN = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a JSON object",
    "array": "a JSON list",
    "any": "JSON",
    "string": "text",
    "null": "null",
}
