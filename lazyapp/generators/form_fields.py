"""The form of a model: a pydantic model with the limits that the database has, and how its fields are drawn and filled in."""

from collections.abc import Sequence

from lazyapp.generators.fields import Field, in_order
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import folded
from lazyapp.generators.model_class import Model
from lazyapp.generators.names import a_or_an, plural, title

_FIELD = Import("pydantic", "Field")
# What PostgreSQL's types hold; anything else would be its error, and the visitor's 500.
_LIMITS: dict[str, list[str]] = {
    "str": ["max_length=255"],
    "int": ["ge=-(2**31)", "lt=2**31"],
    "float": ["allow_inf_nan=False"],
    "Decimal": ["max_digits=12", "decimal_places=2"],
    "references": ["ge=1", "lt=2**31"],
}
_TYPED = {
    "str": "example",
    "int": "3",
    "float": "2.5",
    "Decimal": "9.50",
    "date": "2026-01-31",
    "datetime": "2026-01-31T12:00",
    "UUID": "0b7c0d8e-8f43-4b5c-9b8e-2f4c1d6a7e55",
}


def in_form(model: Model) -> list[Field]:
    """The fields that a form has; a list of texts has no control."""
    return [each for each in model.fields if each.kind != "list[str]"]


def name_in_form(field: Field) -> str:
    """What the form calls it."""
    return f"{field.name}_id" if field.kind == "references" else field.name


def form_lines(model: Model) -> tuple[list[Import], list[str]]:
    """What a form needs imported, and the lines of its body."""
    imports = [Import("pydantic", "BaseModel"), Import("fastapi", "Form"), Import("typing", "Annotated")]
    lines = []
    for field in in_order(in_form(model)):
        needed, line = _line(field)
        imports += needed
        lines.append(line)
    return imports, lines or ["    pass"]


def label(field: Field) -> str:
    """What the form calls it for people; all but the optional ones must be filled in."""
    return title(field.name) + (" (optional)" if field.is_optional else "")


def control(field: Field, *, can_add: bool = False) -> str:
    """The line of a template that draws a field.

    Args:
        field: which.
        can_add: whether there is a page that adds what it refers to; it is linked while there is nothing to choose.
    """
    name, many = name_in_form(field), plural(field.name) if field.kind == "references" else ""
    if not many:
        return f'{{{{ f.field("{name}"' + (f', label="{label(field)}"' if field.is_optional else "") + ") }}"
    line = f'{{{{ f.field("{name}", label="{label(field)}", choices={many} or [("", "None yet")]) }}}}'
    if not can_add:
        return line
    link = f'link_to("Add {a_or_an(field.words)}", path_for("new_{field.name}"))'
    return f'{line}\n{{% if not {many} %}}<p class="field-hint">{{{{ {link} }}}}</p>{{% endif %}}'


def shown(field: Field, one: str) -> str:
    """A value in a template."""
    value = f"{one}.{name_in_form(field)}"
    if field.kind == "bool":
        return f'{{{{ "yes" if {value} else "no" }}}}'
    said = {"datetime": f"format_time({value})", "date": f"format_time({value})", "list[str]": f'{value}|join(", ")'}.get(
        field.kind, value
    )
    return f'{{{{ {said} if {value} is not none else "-" }}}}' if field.is_optional else f"{{{{ {said} }}}}"


def filled(fields: Sequence[Field], labels: dict[str, str]) -> list[str]:
    """The parts of a dictionary that fills a form in: labels, and what is typed.

    Args:
        fields: of the form.
        labels: what the row that a field refers to is called, by the field's name.
    """
    parts = []
    for field in fields:
        typed = "True" if field.kind == "bool" else f'"{_typed(field, labels)}"'
        parts.append(f'"{label(field)}": {typed}')
    return parts


def _typed(field: Field, labels: dict[str, str]) -> str:
    if field.kind == "references":
        return labels.get(field.name, "1")
    return field.choices[0] if field.choices else _TYPED[field.kind]


def _line(field: Field) -> tuple[list[Import], str]:
    imports = list(field.imports) if field.kind != "references" else []
    bare = {"references": "int", "datetime": "Annotated[datetime, AfterValidator(in_utc)]"}.get(field.kind) or field.bare
    annotation = f"{bare} | None" if field.is_optional else bare
    first = [field.default] if field.default is not None else ["None"] if field.is_optional else []
    limits = _LIMITS.get(field.kind, [])
    if field.kind == "datetime":
        imports += [Import("datetime", "UTC"), Import("pydantic", "AfterValidator")]
    if not limits:
        return imports, f"    {name_in_form(field)}: {annotation}" + (f" = {first[0]}" if first else "")
    return [*imports, _FIELD], folded(f"    {name_in_form(field)}: {annotation} = Field(", [*first, *limits], ")")
