"""`lazyapp generate prompt`: a message that the user may send, with a test that asks for it."""

from collections.abc import Sequence

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import Field, in_order, quoted
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import folded, template
from lazyapp.generators.mcp_class import check_free, extended, find_class, split
from lazyapp.generators.mcp_test import file_of_tests, path_of_test
from lazyapp.generators.names import method_name, title
from lazyapp.generators.plan import Plan
from lazyapp.generators.tool import GENERATED, called, described, parameter


def plan_prompt(app: Application, dotted: str, fields: Sequence[Field], description: str = "") -> Plan:
    """A prompt in a module that is there.

    Args:
        app: whose.
        dotted: `shop.summary`.
        fields: its arguments.
        description: for the user who picks it.

    Raises:
        ConfigurationError: there is no such module, or the name is unusable or taken.
    """
    of, name = split(dotted, "a prompt")
    if any(field.kind == "list[str]" for field in fields):
        raise ConfigurationError("An argument of a prompt is a text on the wire, so a list cannot be one; leave it out.")
    plan, found, fields = Plan(app.root), find_class(app, of), in_order(fields)
    text = plan.read(found.path)
    check_free(found, text, [method_name(name), name])
    imports = [Import("lazymcp", "prompt"), *(each for one in fields for each in one.imports)]
    method = _method(name, fields, description or f"{title(name)}: {GENERATED} says its name and what is filled in.")
    plan.change(found.path, extended(text, found, (imports, "", method), app))
    arguments = [f'"{of}.{name}"', *(f"{each.name}={_text(each)}" for each in fields)]
    body = template(
        "prompt_test.py",
        name=name,
        call=folded("    said = await {claude}.prompt(", arguments, ")"),
        read="\n".join(f"    assert {_text(each)} in said.text" for each in fields if each.kind in {"str", "choice"})
        or f"    assert {quoted(title(name))} in said.text",
    )
    plan.create(
        path_of_test(of, name, "prompt"), file_of_tests(app, of, f"The prompt {of}.{name}, as a client asks for it.", [body])
    )
    plan.next += [f"Write in {found.path} what {of}.{name} says, then run: bin/test"]
    return plan


def _method(name: str, fields: Sequence[Field], description: str) -> str:
    parts = [quoted(f"{title(name)}."), *(f'f"{each.words}: {{{each.name}}}"' for each in fields)]
    # No field ends in an underscore.
    head = folded("        lines_ = [", parts, "]")
    message = f'{head}\n        return "\\n".join(lines_)' if fields else f"        return {parts[0]}"
    return template(
        "prompt.py",
        decorator=folded("    @prompt(", [*called(name), f"title={quoted(title(name))}"], ")"),
        signature=folded(f"    def {method_name(name)}(", ["self", *map(parameter, fields)], ") -> str:"),
        docstring=described(description, fields),
        returned=message,
    )


def _text(field: Field) -> str:
    # A client sends texts.
    return field.wire if field.wire.startswith('"') else f'"{field.wire.lower()}"'
