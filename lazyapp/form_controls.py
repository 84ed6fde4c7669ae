"""A field of a form as HTML: its label, its control, its hint and what is wrong with it, tied together for those who cannot see.

Everything is escaped. A secret is never written into a page, whatever value comes with it.
"""

import datetime as dt
import enum
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup
from pydantic import SecretBytes, SecretStr

from lazyapp.form_fields import FormField
from lazyapp.markup import tag

NEVER_SHOWN = frozenset({"password", "file"})


class Shown(NamedTuple):
    """How one field is shown.

    Args:
        field: what it is.
        id: of its control, and the beginning of the ids around it.
        value: what it holds now: a text as typed, or the value of an object.
        error: what is wrong with it; empty when nothing is.
        attributes: the template's own, which win.
    """

    field: FormField
    id: str
    value: Any
    error: str
    attributes: Mapping[str, Any]


def draw(shown: Shown) -> Markup:
    """The whole field."""
    kind = shown.field.type
    if kind == "hidden":
        return tag("input", {"type": "hidden", "name": shown.field.name, "value": as_text(shown.value), **shown.attributes})
    if kind in ("radio", "checkboxes"):
        return _group(shown)
    control = _CONTROLS.get(kind, _input)(shown)
    label = tag("label", {"for": shown.id}, shown.field.label)
    lines = [control, label] if kind == "checkbox" else [label, control]
    return _box("div", {"class": "field check" if kind == "checkbox" else "field"}, [*lines, *_around(shown)])


def error_line(message: str, element_id: str) -> Markup:
    """What is wrong with one field."""
    return tag("p", {"class": "field-error", "id": f"{element_id}-error"}, message)


def as_text(value: Any) -> str:
    """A value as a form sends it and as inputs hold it."""
    if value is None or isinstance(value, SecretStr | SecretBytes):
        return ""
    if isinstance(value, enum.Enum):
        return as_text(value.value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        # HTML, section 2.3.5.5: the input knows no zone and no fraction of a second that it did not ask for.
        return value.replace(tzinfo=None).isoformat(timespec="minutes" if value.second == 0 else "seconds")
    if isinstance(value, dt.time):
        return value.replace(tzinfo=None).isoformat(timespec="minutes" if value.second == 0 else "seconds")
    return str(value)


def _input(shown: Shown) -> Markup:
    field = shown.field
    value = None if field.type in NEVER_SHOWN else as_text(shown.value)
    # The secrets of a form are keys as often as passwords; where they are those of a login, the template says so.
    own = {"autocomplete": "off"} if field.type == "password" else {}
    return tag("input", _attributes(shown, type=field.type, value=value or None, multiple=field.is_multiple or None, **own))


def _textarea(shown: Shown) -> Markup:
    attributes = {name: value for name, value in _attributes(shown, rows=5).items() if name not in ("pattern", "type")}
    # HTML, section 13.1.2.5: a line feed right after the tag is dropped, so one is given to drop.
    return tag("textarea", attributes, f"\n{as_text(shown.value)}")


def _checkbox(shown: Shown) -> Markup:
    # A box that is not ticked sends nothing, which would be taken for a field that was left out; the last of two values counts.
    off = tag("input", {"type": "hidden", "name": shown.field.name, "value": "false"})
    is_on = _texts(shown.value)[-1:] in (["true"], ["on"], ["1"])
    return off + tag("input", _attributes(shown, type="checkbox", value="true", checked=is_on))


def _select(shown: Shown) -> Markup:
    field, chosen = shown.field, _texts(shown.value)
    options = [tag("option", {"value": value, "selected": value in chosen}, label) for value, label in field.choices]
    known = {value for value, _ in field.choices}
    may_be_empty = not known.intersection(chosen) if field.is_required else field.default is None
    if may_be_empty and not field.is_multiple and "" not in known:
        # HTML, section 4.10.7: a required select starts with the option that stands for no choice.
        options.insert(0, tag("option", {"value": ""}, "Choose…" if field.is_required else "—"))
    return _box("select", _attributes(shown, multiple=field.is_multiple or None), options)


def _group(shown: Shown) -> Markup:
    """Several boxes of which none, one or some are ticked."""
    field, chosen = shown.field, _texts(shown.value)
    is_radio = field.type == "radio"
    invalid = "true" if shown.error else None
    lines = [tag("legend", {}, field.label)]
    for number, (value, label) in enumerate(field.choices):
        attributes = {
            "id": shown.id if number == 0 else f"{shown.id}-{number}",
            "type": "radio" if is_radio else "checkbox",
            "name": field.name,
            "value": value,
            "checked": value in chosen,
            "required": (is_radio and field.is_required) or None,
            "aria-invalid": None if is_radio else invalid,
        }
        lines.append(tag("label", {}, tag("input", attributes) + Markup(" ") + label))
    around = {"class": "field choices", "role": "radiogroup" if is_radio else None, "aria-invalid": invalid if is_radio else None}
    return _box("fieldset", {**around, "aria-describedby": _described_by(shown), **shown.attributes}, [*lines, *_around(shown)])


_CONTROLS = {"textarea": _textarea, "checkbox": _checkbox, "select": _select}


def _attributes(shown: Shown, **own: Any) -> dict[str, Any]:
    field = shown.field
    type_ = own.pop("type", None)
    return {
        "id": shown.id,
        "name": field.name,
        "type": type_,
        **own,
        "required": field.is_required or None,
        **field.attributes,
        "aria-invalid": "true" if shown.error else None,
        "aria-describedby": _described_by(shown),
        **shown.attributes,
    }


def _described_by(shown: Shown) -> str | None:
    ids = [f"{shown.id}-hint"] if shown.field.hint else []
    return " ".join([*ids, f"{shown.id}-error"] if shown.error else ids) or None


def _around(shown: Shown) -> list[Markup]:
    lines = [tag("p", {"class": "field-hint", "id": f"{shown.id}-hint"}, shown.field.hint)] if shown.field.hint else []
    return [*lines, error_line(shown.error, shown.id)] if shown.error else lines


def _texts(value: Any) -> list[str]:
    """One or several values as texts."""
    if value is None:
        return []
    is_several = isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)
    return [as_text(each) for each in value] if is_several else [as_text(value)]


def _box(name: str, attributes: Mapping[str, Any], lines: Sequence[Markup]) -> Markup:
    return tag(name, attributes, Markup("\n{}\n").format(Markup("\n").join(lines)))
