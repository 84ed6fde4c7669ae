"""`lazyapp generate resource`: data that a client reads by its URI, with a test that reads it."""

import re
from collections.abc import Sequence

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import Field, quoted
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import folded, template
from lazyapp.generators.mcp_class import MCPClass, check_free, extended, find_class, split
from lazyapp.generators.mcp_test import file_of_tests, path_of_test
from lazyapp.generators.names import camel, method_name, title
from lazyapp.generators.plan import Plan
from lazyapp.generators.tool import GENERATED

_IN_A_URI = frozenset({"str", "int", "UUID", "choice", "date"})
_URI = re.compile(r"[a-z][a-z0-9+.-]*://[\w./{}-]+")


def plan_resource(app: Application, dotted: str, fields: Sequence[Field], uri: str = "") -> Plan:
    """A resource, or a template of them when it has variables.

    Args:
        app: whose.
        dotted: `shop.stock`.
        fields: the variables of its URI.
        uri: None gives `app://shop/stock`, and a segment for each variable.

    Raises:
        ConfigurationError: there is no such module, or a name or the URI is unusable or taken.
    """
    of, name = split(dotted, "a resource")
    for field in fields:
        if field.kind not in _IN_A_URI or field.is_optional or field.default is not None:
            raise ConfigurationError(f"{field.name!r} stands in a URI: it is a str, int, UUID, date or a choice, always there.")
    uri = uri or f"app://{of}/{name}" + "".join(f"/{{{field.name}}}" for field in fields)
    _check_uri(uri, fields)
    plan, found = Plan(app.root), find_class(app, of)
    text, method, answer = plan.read(found.path), method_name(name), camel(name)
    check_free(found, text, [method, name], [answer])
    if f'"{uri}"' in text:
        raise ConfigurationError(f"{found.path} has {uri} already, and was left as it is; choose another with --uri.")
    plan.change(found.path, extended(text, found, _parts(name, fields, uri), app))
    plan.create(path_of_test(of, name, "resource"), _test(app, found, name, fields, uri))
    plan.next += [f"Read in {found.path} what {uri} holds, then run: bin/test"]
    return plan


def _check_uri(uri: str, fields: Sequence[Field]) -> None:
    named = re.findall(r"\{(\w+)\}", uri)
    if not _URI.fullmatch(uri) or re.sub(r"\{\w+\}", "", uri).count("{"):
        raise ConfigurationError(f"--uri {uri!r} is none that a client reads; write for example app://shop/orders/{{number}}.")
    if sorted(named) != sorted(field.name for field in fields):
        raise ConfigurationError(f"The URI {uri} and the fields have different variables; name each in both, such as number:int.")


def _parts(name: str, fields: Sequence[Field], uri: str) -> tuple[list[Import], str, str]:
    answer = camel(name)
    imports = [Import("pydantic", "BaseModel"), Import("lazymcp", "resource"), *(each for one in fields for each in one.imports)]
    lines = [f"    {field.name}: {field.annotation}" for field in fields] or ["    count: int"]
    given = [f"{field.name}={field.name}" for field in fields] or ["count=0"]
    method = template(
        "resource.py",
        decorator=folded("    @resource(", [quoted(uri), f"title={quoted(title(name))}", 'mime_type="application/json"'], ")"),
        signature=folded(
            f"    async def {method_name(name)}(",
            ["self", *(f"{each.name}: {each.annotation}" for each in fields)],
            f") -> {answer}:",
        ),
        sentence=f"{title(name)}: {GENERATED} holds " + ("what its address says." if fields else "a count of nothing."),
        returned=folded(f"        return {answer}(", given, ")"),
    )
    return imports, template("resource_answer.py", answer=answer, uri=uri, fields="\n".join(lines)), method


def _test(app: Application, found: MCPClass, name: str, fields: Sequence[Field], uri: str) -> str:
    for field in fields:
        uri = uri.replace(f"{{{field.name}}}", field.wire.strip('"'))
    held = [f'"{field.name}": {field.wire}' for field in fields] or ['"count": 0']
    body = template("resource_test.py", name=name, uri=uri, held=folded("    assert contents.json() == {", held, "}"))
    return file_of_tests(app, found.module, f"The resource {uri}, read as an AI client reads it.", [body])
