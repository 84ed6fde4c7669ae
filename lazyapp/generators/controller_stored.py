"""Pages on a model: a list, a page each, and forms that add, change and delete rows."""

from collections.abc import Sequence

from lazyapp.generators.application import Application
from lazyapp.generators.controller_plain import custom_pages
from lazyapp.generators.fields import Field
from lazyapp.generators.form_fields import control, filled, form_lines, in_form, name_in_form, shown
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import folded, sections
from lazyapp.generators.mcp_test import ANN, CLIENT, has_ann
from lazyapp.generators.model_class import Model, find_model, models_in, rows
from lazyapp.generators.names import camel, in_words, plural, title
from lazyapp.generators.resource_actions import Drawn, Pages, after, values_of

_CHANGES = frozenset({"new", "create", "edit", "update", "delete"})
_COLUMNS, _REFERENCES = 4, 2


def stored(app: Application, model: Model, drawn: Drawn) -> Pages:
    """What a controller on a model is made of."""
    values = _values(app, model, drawn)
    code, views, tests = (
        sections(each, **values) for each in ("controller_stored.py", "views_stored.html.j2", "controller_stored_test.py")
    )
    has_form = "create" in drawn.resource or "update" in drawn.resource
    methods = [code[each] for each in drawn.resource]
    custom = custom_pages(values, drawn)
    methods += custom.methods
    methods += [code["_find"]] if {"show", "edit", "update", "delete"} & set(drawn.resource) else []
    methods += [code["_choices"], code["_check"]] if has_form and _references(model) else []
    pages = {each: views[each] for each in drawn.resource if each in views}
    pages |= {"_fields": views["_fields"]} if has_form else {}
    wanted = [each for each in ("index", "create", "show", "update", "delete") if each in drawn.resource]
    asked = [tests[each] for each in wanted] + ([tests["create_login"]] if "create" in wanted else [])
    return Pages(
        _imports(app, model, drawn),
        _form(model, code["form"]) if has_form else "",
        code["class"],
        methods,
        pages | custom.views,
        _test_imports(app, model, drawn),
        [*_somebody(app, drawn), tests["keep"]],
        [*asked, *custom.tests],
    )


def _references(model: Model) -> list[Field]:
    return [each for each in model.fields if each.kind == "references"]


def _values(app: Application, model: Model, drawn: Drawn) -> dict[str, str]:
    choices = _references(model)
    one, many = model.one, drawn.name
    names, cells = _table(app, model, drawn)
    has_choices = bool(choices)
    return values_of(app, drawn) | {
        "form_fields": "\n".join(form_lines(model)[1]),
        "db_if_choices": ", db: AsyncSession" if has_choices else "",
        "choices": ", **await self._choices(db)" if has_choices else "",
        "check_references": "        await self._check(db, form)\n" if has_choices else "",
        "choice_lines": _choice_lines(app, choices),
        "reference_checks": "\n".join(_reference_check(each) for each in choices),
        "after_create": after("add", drawn),
        "after_update": after("update", drawn),
        "after_delete": after("delete", drawn),
        "heads": "".join(f'<th scope="col">{each}</th>' for each in names),
        "cells": "\n".join(f"      <td>{each}</td>" for each in cells),
        "width": str(len(names)),
        "listed": _listed(app, model, drawn),
        "label": f"{one}.{model.label}" if model.label != "id" else f'"{title(one)} " ~ {one}.id',
        "facts": _facts(app, model),
        "change_link": _change_links(one, drawn),
        "shown": _shown(model, choices),
        "one_path": one,
        "fields": "\n".join(control(each, can_add=_can_add(app, each, drawn)) for each in in_form(model)),
        "rows": "\n".join(f"        {line}" for line in rows(app, model)),
        "fill": folded("    typed = {", filled(in_form(model), _labels(app, choices)), "}"),
        "many_words": in_words(many),
    }


def _shown(model: Model, references: Sequence[Field]) -> str:
    """What the page of a row is given: the row, and the rows that it refers to."""
    lines, parts = [], [f'"{model.one}": {model.one}']
    for each in references:
        key = f"{model.one}.{each.name}_id"
        found = f"await db.get({camel(each.name)}, {key})" + (f" if {key} else None" if each.is_optional else "")
        lines.append(f"        {each.name}_found = {found}")
        parts.append(f'"{each.name}_found": {each.name}_found')
    return "\n".join([*lines, folded("        return {", parts, "}")])


def _facts(app: Application, model: Model) -> str:
    """What the page of a row says of it, below its name."""
    lines = [_fact(app, each, model.one) for each in model.fields if each.name != model.label]
    return "\n".join(['<dl class="facts">', *lines, "</dl>"]) if lines else ""


def _fact(app: Application, field: Field, one: str) -> str:
    said = shown(field, one)
    if field.kind == "references":
        said = f'{{{{ {field.name}_found.{_label(app, field)} if {field.name}_found else "-" }}}}'
    return f"  <dt>{title(field.name)}</dt><dd>{said}</dd>"


def _columns(model: Model) -> list[Field]:
    """What the list shows of a row: the first of its own columns, and then what it refers to."""
    own = [each for each in model.fields if each.kind not in {"references", "list[str]"}][:_COLUMNS]
    return [*own, *_references(model)[:_REFERENCES]] or list(model.fields[:1])


def _table(app: Application, model: Model, drawn: Drawn) -> tuple[list[str], list[str]]:
    """The heads of the list, and its cells."""
    one, columns = model.one, _columns(model)
    if "show" in drawn.resource:
        link = f'{{{{ link_to({one}.{model.label}, path_for("{one}", id={one}.id)) }}}}'
        columns = [each for each in columns if each.name != model.label]
        return [title(model.label), *(title(each.name) for each in columns)], [link, *(_cell(each, one) for each in columns)]
    if not columns:
        return [title(one)], [f"{{{{ {one}.id }}}}"]
    return [title(each.name) for each in columns], [_cell(each, one) for each in columns]


def _cell(field: Field, one: str) -> str:
    return f'{{{{ {field.name}_names.get({one}.{field.name}_id, "-") }}}}' if field.kind == "references" else shown(field, one)


def _listed(app: Application, model: Model, drawn: Drawn) -> str:
    """What the list is given: the rows, and by their keys what those that they refer to are called."""
    lines, parts = [], [f'"{drawn.name}": list(found)']
    for each in _columns(model):
        if each.kind == "references":
            other, many = camel(each.name), plural(each.name)
            lines.append(f"        {each.name}_ids = select({model.class_name}.{each.name}_id)")
            lines.append(f"        {many} = await db.scalars(select({other}).where({other}.id.in_({each.name}_ids)))")
            parts.append(f'"{each.name}_names": {{each.id: each.{_label(app, each)} for each in {many}}}')
    return "\n".join([*lines, folded("        return {", parts, "}")])


def _can_add(app: Application, field: Field, drawn: Drawn) -> bool:
    """Whether a page adds what a field refers to; one that is made later is linked by hand."""
    if field.kind != "references" or plural(field.name) == drawn.name:
        return False
    return (app.root / app.folder(app.app) / "views" / plural(field.name) / "new.html.j2").is_file()


def _choice_lines(app: Application, references: Sequence[Field]) -> str:
    lines, parts = [], []
    for each in references:
        other, many = camel(each.name), plural(each.name)
        lines.append(f"        {many} = await db.scalars(select({other}).order_by({other}.id))")
        label = _label(app, each)
        parts.append(f'"{many}": [(each.id, each.{label}) for each in {many}]')
    return "\n".join([*lines, folded("        return {", parts, "}")])


def _reference_check(field: Field) -> str:
    name, other = name_in_form(field), camel(field.name)
    asked = folded(f"        if await db.get({other}, form.{name}) is None:", [], "")
    raised = f'raise InvalidForm({name}="There is no such {in_words(field.name)}.")'
    if not field.is_optional:
        return f"{asked}\n            {raised}"
    begin = f"        if form.{name} is not None:\n            {field.name} = await db.get({other}, form.{name})\n"
    return f"{begin}            if {field.name} is None:\n                {raised}"


def _label(app: Application, field: Field) -> str:
    other = find_model(app, field.name)
    return other.label if other is not None else "id"


def _labels(app: Application, references: Sequence[Field]) -> dict[str, str]:
    return {each.name: "1" if _label(app, each) == "id" else "example" for each in references}


def _change_links(one: str, drawn: Drawn) -> str:
    links = []
    if "edit" in drawn.resource:
        links.append(f'{{{{ link_to("Change", path_for("edit_{one}", id={one}.id)) }}}}')
    if "index" in drawn.resource:
        links.append(f'{{{{ link_to("All {in_words(drawn.name)}", path_for("{drawn.many_path}")) }}}}')
    lines = [f'<p class="after">{" · ".join(links)}</p>'] if links else []
    if "delete" in drawn.resource:
        # What cannot be undone takes two steps, and without a script the first of them is opening this.
        lines += ['<details class="delete">', "  <summary>Delete</summary>", "  <p>This cannot be undone.</p>"]
        button = f'button_to("Delete {in_words(one)}", path_for("{one}", id={one}.id), method="delete", class="danger")'
        lines += [f"  {{{{ {button} }}}}", "</details>"]
    return "\n".join(lines)


def _form(model: Model, text: str) -> str:
    if not any(each.kind == "datetime" for each in model.fields):
        return text
    zone = "def in_utc(moment: datetime) -> datetime:\n"
    zone += '    """A browser sends no time zone; what it sends is taken for UTC."""\n'
    zone += "    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)\n"
    return f"{zone}\n\n{text}"


def _imports(app: Application, model: Model, drawn: Drawn) -> list[Import]:
    actions = set(drawn.resource)
    models = f"{app.app}.models"
    found = [Import("lazyapp", "Controller"), Import("lazyapp.database", "AsyncSession"), Import(models, model.class_name)]
    if actions & {"index", "new", "show", "edit"}:
        found.append(Import("typing", "Any"))
    if "index" in actions:
        found.append(Import("sqlalchemy", "select"))
    if actions & _CHANGES:
        found += [Import("fastapi", "Response"), Import("lazyapp", "require_login")]
    if actions & {"show", "edit", "update", "delete"}:
        found.append(Import("fastapi", "HTTPException"))
    if "delete" in actions:
        found.append(Import("sqlalchemy.exc", "IntegrityError"))
    references = _references(model)
    if actions & {"index", "create", "update", "show"}:
        found += [Import(models, camel(each.name)) for each in references]
    if actions & {"create", "update"}:
        found += form_lines(model)[0]
        found += [Import("lazyapp", "InvalidForm"), Import("sqlalchemy", "select")] if references else []
    return found


def _test_imports(app: Application, model: Model, drawn: Drawn) -> list[Import]:
    found = [CLIENT, *models_in(app, model), Import("lazyapp.database", "AsyncEngine"), Import("lazyapp.database", "AsyncSession")]
    if set(drawn.resource) & _CHANGES:
        found.append(ANN if has_ann(app) else Import("lazyauth"))
    return found


def _somebody(app: Application, drawn: Drawn) -> list[str]:
    if has_ann(app) or not set(drawn.resource) & _CHANGES:
        return []
    return ['ANN = lazyauth.User("ann")  # there for these tests alone\n']
