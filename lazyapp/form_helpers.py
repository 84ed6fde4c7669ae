"""Forms in views: `form_for` draws one from a pydantic model, `field` and `errors_for` serve those written by hand.

A form that failed is shown again by the action that shows it first, with the variables `form_values` and `form_errors`; what was
typed then comes before what the object holds. Nothing here knows HTTP but the path of the request that failed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from markupsafe import Markup
from pydantic import BaseModel

from lazyapp.addresses import safe
from lazyapp.current import current
from lazyapp.errors import LazyappError
from lazyapp.form_controls import Shown, draw, error_line
from lazyapp.form_fields import FormField, UnknownField, as_choices, form_field, value_of
from lazyapp.forms import WHOLE, in_sentences
from lazyapp.markup import tag, words
from lazyapp.method_override import override
from lazyview import RenderContext

Failed = tuple[Mapping[str, Any], Mapping[str, str]]  # what was typed, and what is wrong with it

_CHOOSES = frozenset({"select", "radio", "checkboxes"})


class Form:
    """What a `form_for` hands to the template between its tags.

    Args:
        model: says what the fields are; None: only what the template says.
        values: an object or a mapping with the values to begin with.
        failed: the values as typed and the errors, when this form failed.
        prefix: what the ids of the fields start with, for a page with several forms.
    """

    def __init__(
        self,
        model: type[BaseModel] | None,
        values: object,
        failed: Failed | None,
        prefix: str = "",
    ) -> None:
        self._model = model
        self._values = values
        self._failed = failed
        self._prefix = f"{prefix}-" if prefix else ""
        self._shown: set[str] = set()
        self.has_file = False

    def field(
        self, name: str, *, label: str | None = None, hint: str | None = None, choices: object = None, **attributes: Any
    ) -> Markup:
        """A field with its label, its hint and what is wrong with it.

        Args:
            name: of the model's field, `address.city` in a nested one.
            label: instead of the model's title or the name in words.
            hint: instead of the model's description; an empty one leaves it out.
            choices: values to choose from: pairs of value and label, a mapping, or values alone.
            attributes: of the control, `autocomplete="off"`; `type` may also be `textarea`, `select`, `radio` or `checkboxes`.

        Raises:
            UnknownField: the model has no such field, or it needs choices and has none.
        """
        field = form_field(self._model, name) if self._model else FormField(name, words(name.rpartition(".")[2]))
        field = _as_told(field, label, hint, choices, attributes)
        value = self._value(field, attributes.pop("value", None))
        attributes.pop("type", None)
        if field.type in _CHOOSES and not field.choices:
            raise UnknownField(f"the field {name!r} can only be chosen, and from nothing: field({name!r}, choices=[…])")
        error = self.error(field.name)
        self._shown.add(field.name)
        self.has_file = self.has_file or field.type == "file"
        element_id = str(attributes.pop("id", "")) or self._id(field.name)
        return draw(Shown(field, element_id, value, error, attributes))

    def error(self, name: str) -> str:
        """What is wrong with a field; empty when nothing is."""
        if self._failed is None:
            return ""
        errors = self._failed[1]
        # What is wrong with one value of a list, `colors.0`, is told at the list.
        found = [each for each in errors if each == name or re.fullmatch(rf"{re.escape(name)}\.[0-9]+", each)]
        self._shown.update(found)
        return str(errors[found[0]]) if found else ""

    def submit(self, text: str = "Save", **attributes: Any) -> Markup:
        """The button that sends the form."""
        return tag("button", attributes, text)

    def other_errors(self) -> Markup:
        """What is wrong with the whole, or with fields that are not in the form; `form_for` puts it first."""
        errors = dict(self._failed[1]) if self._failed else {}
        rest = {name: message for name, message in errors.items() if name not in self._shown}
        return _alert(in_sentences(rest))

    def _value(self, field: FormField, given: Any) -> Any:
        if self._failed is not None:
            # What was not sent was empty: a list of which nothing is ticked.
            typed = self._failed[0].get(field.name, "")
            return typed[-1] if isinstance(typed, list) and not field.is_multiple else typed
        if given is not None:
            return given
        held = value_of(self._values, field.name) if self._values is not None else None
        return field.default if held is None else held

    def _id(self, name: str) -> str:
        return self._prefix + name.replace(".", "-")


def form_for(
    context: RenderContext,
    what: type[BaseModel] | object | None,
    /,
    action: str,
    method: str = "post",
    *,
    values: object = None,
    caller: Callable[[Form], str] | None = None,
    **attributes: Any,
) -> Markup:
    """A form around what the template says: `{% call(f) form_for(AccountForm, action=path_for("accounts")) %}…{% endcall %}`.

    Args:
        context: given by the template.
        what: the pydantic model that the action takes, or an instance with the values to begin with; None: no model.
        action: the path that it is sent to.
        method: as the route has it; PATCH, PUT and DELETE travel in a POST, which is all that a form can send.
        values: an object or mapping whose values come before the model's defaults.
        caller: what stands between `call` and `endcall`.
        attributes: of the form element; an `id` is also put before the ids of the fields.

    Raises:
        UnsafeLink: the path is `javascript:` or another address that no form is sent to.
    """
    if caller is None:
        raise LazyappError("form_for stands in a call: {% call(f) form_for(…) %}…{% endcall %}")
    model, instance = (what, None) if isinstance(what, type) else (type(what) if isinstance(what, BaseModel) else None, what)
    if model is not None and not issubclass(model, BaseModel):
        raise LazyappError(f"form_for takes a pydantic model, not {model.__name__}; give what it holds as values=…")
    form = Form(model, instance if values is None else values, _failed(context, action), str(attributes.get("id", "")))
    inside = Markup(caller(form))  # noqa: S704 (the template's own output)
    where, sent_as = override(safe(action), method)
    own: dict[str, Any] = {"method": sent_as, "action": where}
    if form.has_file:
        own["enctype"] = "multipart/form-data"
    return tag("form", {**own, **attributes}, Markup("{}{}").format(form.other_errors(), inside))


def field(
    context: RenderContext,
    name: str,
    *,
    model: type[BaseModel] | None = None,
    label: str | None = None,
    hint: str | None = None,
    choices: object = None,
    **attributes: Any,
) -> Markup:
    """One field of a form that is written by hand, as `form_for` would show it; `value=` is what it holds at first.

    Args:
        context: given by the template.
        name: under which it is sent.
        model: whose field it is; None: only what the template says.
        label: see `Form.field`, as for all the others.
        hint: see there.
        choices: see there.
        attributes: see there.
    """
    form = Form(model, None, _failed(context, ""))
    return form.field(name, label=label, hint=hint, choices=choices, **attributes)


def errors_for(context: RenderContext, name: str = "") -> Markup:
    """What is wrong with a field, or with the whole form when none is named; nothing when nothing is."""
    errors = context.get("form_errors") or {}
    if not name:
        return _alert(str(errors.get(WHOLE) or ""))
    message = str(errors.get(name) or "")
    return error_line(message, name.replace(".", "-")) if message else Markup()


def _alert(text: str) -> Markup:
    return tag("div", {"class": "form-error", "role": "alert"}, tag("p", {}, text)) if text else Markup()


def _failed(context: RenderContext, action: str) -> Failed | None:
    """What was typed and what is wrong with it; None when nothing failed, or another form of the page did."""
    errors = context.get("form_errors")
    if not errors:
        return None
    here = current.get()
    if here is not None and action and unquote(urlsplit(action).path) != here.path:
        return None
    return context.get("form_values") or {}, errors


def _as_told(field: FormField, label: str | None, hint: str | None, choices: object, attributes: Mapping[str, Any]) -> FormField:
    """The field with what the template says about it."""
    told: dict[str, Any] = {}
    if label is not None:
        told["label"] = label
    if hint is not None:
        told["hint"] = hint
    if choices is not None:
        told |= {"choices": as_choices(choices), "attributes": {}, "type": "checkboxes" if field.is_multiple else "select"}
    if type_ := attributes.get("type"):
        told["type"] = type_
    if type_ == "checkboxes":
        told["is_multiple"] = True
    return replace(field, **told) if told else field
