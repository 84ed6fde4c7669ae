"""What a pydantic model says about each field of a form: its words, its kind of input, its limits and choices.

Read from the model's JSON schema, which is pydantic's public word on types and constraints; no HTML is made here.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from lazyapp.errors import LazyappError
from lazyapp.markup import words

Choices = tuple[tuple[str, str], ...]
_REMEMBERED = 512

_BY_FORMAT: Mapping[str, str] = {
    "email": "email",
    "uri": "url",
    "date": "date",
    "date-time": "datetime-local",
    "time": "time",
    "password": "password",
    "binary": "file",
}
_LIMITS: Mapping[str, str] = {"maxLength": "maxlength", "minLength": "minlength", "minimum": "min", "maximum": "max"}
_BOUNDS = (("ge", "min"), ("le", "max"))
_NUMBERS = frozenset({"integer", "number"})
# Browsers compile `pattern` with the flag v (HTML, section 4.10.5.3.6), which knows none of these; pydantic's engine does.
_NOT_IN_BROWSERS = re.compile(r"\(\?(?![:=!])|\\[AzZ]|\[\[|\[[^\]]*(&&|--|~~)")
_RESERVED_IN_CLASS = frozenset("(){}/|")


class UnknownField(LazyappError):
    """A template asks for a field that the form's model does not have, or of which no input can be made."""


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form.

    Args:
        name: under which it is sent, `address.city` for a nested one.
        label: what it is called for people.
        type: of the input, as HTML names it; `select`, `checkboxes` and `textarea` are the others.
        hint: what the model's description says.
        attributes: the limits as HTML knows them.
        choices: values and their labels.
        is_required: whether it must be filled in.
        is_multiple: whether it holds several values.
        default: what the model takes when it is left out.
    """

    name: str
    label: str
    type: str = "text"
    hint: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    choices: Choices = ()
    is_required: bool = False
    is_multiple: bool = False
    default: Any = None


class _Schema(GenerateJsonSchema):
    """A form may hold what no JSON can, an upload of the application's own type for example."""

    def handle_invalid_for_json_schema(self, schema: core_schema.CoreSchema, error_info: str) -> JsonSchemaValue:
        return {}


def form_field(model: type[BaseModel], path: str) -> FormField:
    """One field of a model, by its name or its alias; dots lead into nested models, `phones.0.number` into a list of them.

    Raises:
        UnknownField: there is none.
    """
    return _form_field(model, path)


@functools.lru_cache(_REMEMBERED)
def _form_field(model: type[BaseModel], path: str) -> FormField:
    *parents, last = path.split(".")
    sent: list[str] = []
    inner = model
    for part in parents:
        if part.isdecimal():
            sent.append(part)
            continue
        name, info = _find(inner, part, path)
        nested = model_in(info.annotation)
        if nested is None:
            raise UnknownField(f"{model.__name__} has no {path!r}: {part!r} is no model")
        sent.append(sent_name(name, info))
        inner = nested
    name, info = _find(inner, last, path)
    return _read(inner, name, info, ".".join((*sent, sent_name(name, info))))


def sent_name(name: str, info: FieldInfo) -> str:
    """The name under which a form sends a field: its alias, if it has one."""
    alias = info.validation_alias or info.alias
    return alias if isinstance(alias, str) else name


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation is made of: `Address`, `Address | None`, `list[Address]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := model_in(each))), None)


def value_of(source: object, path: str) -> Any:
    """What an object, a mapping or a list of them holds at a path; None where there is nothing."""
    for part in path.split("."):
        if isinstance(source, Mapping):
            source = source.get(part)
        elif part.isdecimal() and isinstance(source, Sequence):
            source = source[int(part)] if int(part) < len(source) else None
        else:
            source = getattr(source, part, None)
    return source


def as_choices(given: object) -> Choices:
    """Choices in any of their spellings: a mapping of values to labels, pairs, or values alone, an enumeration's too."""
    pairs = given.items() if isinstance(given, Mapping) else given
    found: list[tuple[str, str]] = []
    for each in pairs:  # type: ignore[attr-defined]  # anything that a template can loop over
        value, label = each if isinstance(each, tuple | list) and len(each) == 2 else (each, None)
        text = str(getattr(value, "value", value))
        found.append((text, str(label) if label is not None else words(text) if text.islower() else text))
    return tuple(found)


def browser_pattern(pattern: str) -> str | None:
    """A pydantic pattern as the `pattern` of an input, which must match the whole value; None when browsers cannot read it."""
    if _NOT_IN_BROWSERS.search(pattern):
        return None
    if pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith("\\$") and "|" not in pattern:
        return _in_classes_escaped(pattern[1:-1])
    return f".*(?:{_in_classes_escaped(pattern)}).*"


def _in_classes_escaped(pattern: str) -> str:
    """Inside `[…]` the flag v wants more characters escaped than pydantic's engine does."""
    out: list[str] = []
    inside, at = False, 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "\\":
            out.append(pattern[at : at + 2])
            at += 2
            continue
        if letter == "[":
            inside = True
        elif letter == "]":
            inside = False
        elif inside and (letter in _RESERVED_IN_CLASS or (letter == "-" and not _is_range(pattern, at))):
            out.append("\\")
        out.append(letter)
        at += 1
    return "".join(out)


def _is_range(pattern: str, at: int) -> bool:
    """Whether the hyphen there stands between the two ends of a range."""
    before, after = pattern[:at], pattern[at + 1 : at + 2]
    return not (before.endswith(("[", "[^")) or after in ("]", "") or re.search(r"\\[wdsWDS]$", before))


@functools.lru_cache(_REMEMBERED)
def _schema(model: type[BaseModel]) -> Mapping[str, Any]:
    return model.model_json_schema(schema_generator=_Schema)


def _find(model: type[BaseModel], part: str, path: str) -> tuple[str, FieldInfo]:
    for name, info in model.model_fields.items():
        if part in (name, sent_name(name, info)):
            return name, info
    raise UnknownField(f"{model.__name__} has no field {path!r}; its fields are: {', '.join(model.model_fields)}")


def _read(model: type[BaseModel], name: str, info: FieldInfo, path: str) -> FormField:
    whole = _schema(model)
    root = _resolved(whole, whole)
    rule = _plain(whole, root["properties"].get(sent_name(name, info), {}))
    is_multiple = rule.get("type") == "array"
    item = _plain(whole, rule.get("items", {})) if is_multiple else rule
    kind = _type(item, is_multiple=is_multiple)
    choices = as_choices(item["enum"]) if "enum" in item else ()
    is_required = info.is_required() and kind not in ("checkbox", "checkboxes")
    attributes = {} if choices or is_multiple else _limits(kind, item, info)
    hint = info.description or ""
    default = None if info.is_required() else info.get_default(call_default_factory=True, validated_data={})
    return FormField(
        path, info.title or words(name), kind, hint, attributes, choices, is_required, is_multiple=is_multiple, default=default
    )


def _plain(whole: Mapping[str, Any], rule: Mapping[str, Any]) -> Mapping[str, Any]:
    """A rule without its references, and without the None that it may be instead."""
    rule = _resolved(whole, rule)
    options = [_resolved(whole, each) for each in rule.get("anyOf", ()) if each.get("type") != "null"]
    if not options:
        return rule
    # A Decimal is a number or a text.
    best = next((each for each in options if each.get("type") in _NUMBERS), options[0])
    return {**best, **{key: value for key, value in rule.items() if key != "anyOf"}}


def _resolved(whole: Mapping[str, Any], rule: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = rule.get("$ref", "")
    found = whole.get("$defs", {}).get(reference.rpartition("/")[2])
    return {**found, **{key: value for key, value in rule.items() if key != "$ref"}} if found else rule


def _type(rule: Mapping[str, Any], *, is_multiple: bool) -> str:
    if "enum" in rule:
        return "checkboxes" if is_multiple else "select"
    if "contentMediaType" in rule:
        return "file"
    if rule.get("type") == "boolean":
        return "checkbox"
    if rule.get("type") in _NUMBERS:
        return "number"
    return _BY_FORMAT.get(rule.get("format", ""), "text")


def _limits(kind: str, rule: Mapping[str, Any], info: FieldInfo) -> dict[str, Any]:
    limits = {ours: rule[theirs] for theirs, ours in _LIMITS.items() if theirs in rule}
    if kind == "number":
        one = 1 if rule["type"] == "integer" else 0
        limits |= {"min": rule["exclusiveMinimum"] + one} if "exclusiveMinimum" in rule else {}
        limits |= {"max": rule["exclusiveMaximum"] - one} if "exclusiveMaximum" in rule else {}
        limits["step"] = rule.get("multipleOf") or (None if one else "any")
    for each in info.metadata:
        # The schema has no word for the earliest and latest day, nor for the places after the point.
        if kind in ("date", "datetime-local", "time"):
            limits |= {ours: getattr(each, theirs).isoformat() for theirs, ours in _BOUNDS if hasattr(each, theirs)}
        if kind == "number" and (places := getattr(each, "decimal_places", None)) is not None:
            limits["step"] = f"{10.0**-places:.{places}f}"
    if "pattern" in rule and kind in ("text", "email", "url", "password"):
        limits["pattern"] = browser_pattern(rule["pattern"])
    return {name: int(value) if isinstance(value, float) and value.is_integer() else value for name, value in limits.items()}
