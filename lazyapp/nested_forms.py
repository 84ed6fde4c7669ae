"""Models inside a form's model: `address.city` and `phones.0.number` are put where the model expects them.

A form sends a flat list of names, and FastAPI reads those of the model itself; what is left over, it hands to the model as it came.
A validator before the model's own puts it together. Names that lead into no nested model stay what they are.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, BeforeValidator

from lazyapp.form_fields import UnknownField, form_field, model_in, sent_name

_MAX_DEPTH = 8
_INDEX = re.compile(r"[0-9]{1,4}")


def reads_nested(annotation: Any) -> Any:
    """The annotation of a parameter; for a form with nested models, with the validator that puts them together."""
    if get_origin(annotation) is not Annotated:
        return annotation
    model, *metadata = get_args(annotation)
    is_form = any("form" in str(getattr(each, "media_type", "")) for each in metadata)
    if not is_form or not isinstance(model, type) or not issubclass(model, BaseModel) or not _nested(model):
        return annotation
    return Annotated[(model, BeforeValidator(partial(put_together, model)), *metadata)]


def put_together(model: type[BaseModel], given: Any) -> Any:
    """The values of a form with the nested ones in their places.

    Args:
        model: the form's.
        given: the values by the names that were sent.
    """
    if not isinstance(given, Mapping):
        return given
    nested = _nested(model)
    whole: dict[str, Any] = {}
    for name, value in given.items():
        parts = str(name).split(".")
        if len(parts) == 1 or parts[0] not in nested or len(parts) > _MAX_DEPTH:
            whole[name] = value
            continue
        # An empty field was left out, as FastAPI has it for the model's own; of one that must be there its fields are then missing.
        if (value := _as_meant(model, name, value)) is None:
            if nested[parts[0]]:
                whole.setdefault(parts[0], {})
            continue
        place = whole
        for part in parts[:-1]:
            inner = place.setdefault(part, {})
            place = inner if isinstance(inner, dict) else {}
        place[parts[-1]] = value
    return {name: _with_lists(value) if name in nested else value for name, value in whole.items()}


def _nested(model: type[BaseModel]) -> dict[str, bool]:
    """The fields that hold models, and whether each must be there."""
    return {
        sent_name(name, info): info.is_required()
        for name, info in model.model_fields.items()
        if model_in(info.annotation) is not None
    }


def _as_meant(model: type[BaseModel], name: str, value: Any) -> Any:
    """One value or several, as the field takes them; None when it was left empty."""
    values = [each for each in (value if isinstance(value, list) else [value]) if each != ""]
    if not values:
        return None
    try:
        return values if form_field(model, name).is_multiple else values[-1]
    except UnknownField:
        return value


def _with_lists(value: Any) -> Any:
    """What is counted instead of named is a list, in the order of its numbers."""
    if not isinstance(value, dict):
        return value
    inner = {name: _with_lists(each) for name, each in value.items()}
    if inner and all(_INDEX.fullmatch(name) for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner
