"""`lazyapp generate tool`: a method of an MCP module, the model of what it answers, and a test that calls it."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lazyapp.generators.application import Application
from lazyapp.generators.fields import Field, in_order, quoted
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import folded, template
from lazyapp.generators.mcp_class import MCPClass, check_free, extended, find_class, split
from lazyapp.generators.mcp_test import file_of_tests, path_of_test
from lazyapp.generators.names import camel, method_name, title
from lazyapp.generators.plan import Plan

_WIDEST = 76
#: What a generated description has until it is written anew; `lazyapp mcp lint` knows it by this.
GENERATED = "so far this only"
Parts = tuple[list[Import], str, str]


@dataclass(frozen=True, slots=True)
class Hints:
    """What clients are told of a tool besides its arguments."""

    description: str = ""
    read_only: bool = False
    destructive: bool = False
    ui: str = ""


def plan_tool(app: Application, dotted: str, fields: Sequence[Field], hints: Hints) -> Plan:
    """A tool in a module that is there.

    Args:
        app: whose.
        dotted: `shop.search`.
        fields: its arguments.
        hints: what clients are told of it.

    Raises:
        ConfigurationError: there is no such module, or the name is unusable or taken.
    """
    of, name = split(dotted, "a tool")
    plan = Plan(app.root)
    found = find_class(app, of)
    if not hints.read_only and not hints.destructive:
        # What clients assume of a tool that says nothing; said aloud, it is seen by who writes the tool.
        hints = replace(hints, destructive=True)
        plan.next += [f"{dotted} is destructive=True, so clients ask first; say read_only=True or destructive=False where it is."]
    add_tool(plan, app, found, name, fields, hints)
    plan.next += [f"Say in {found.path} what {of}.{name} does, then run: bin/test"]
    return plan


def add_tool(plan: Plan, app: Application, found: MCPClass, name: str, fields: Sequence[Field], hints: Hints) -> None:
    """Plan a tool with its test; see `plan_tool`."""
    text = plan.read(found.path)
    method = method_name(name)
    check_free(found, text, [method, name], [f"{camel(name)}Answer"])
    said = hints if hints.description else replace(hints, description=_in_short(name, fields))
    plan.change(found.path, extended(text, found, tool_parts(name, fields, said), app))
    of = found.module
    tests = [call_of_tool(of, name, fields)]
    docstring = f"The tool {of}.{name}, called as an AI client calls it."
    plan.create(path_of_test(of, name, "tool"), file_of_tests(app, of, docstring, tests))


def tool_parts(name: str, fields: Sequence[Field], hints: Hints) -> Parts:
    """What a tool is made of: imports, the model of its answer, and its method."""
    fields = in_order(fields)
    imports = [Import("pydantic", "BaseModel"), Import("lazymcp", "tool"), *(each for one in fields for each in one.imports)]
    if fields:
        imports.append(Import("pydantic", "Field"))
    answer = f"{camel(name)}Answer"
    lines = [_of_answer(each) for each in fields] or ["    done: bool = True"]
    model = template("tool_answer.py", answer=answer, name=name, fields="\n".join(lines))
    method = template(
        "tool.py",
        decorator=folded("    @tool(", _options(name, hints), ")"),
        signature=folded(f"    async def {method_name(name)}(", ["self", *map(parameter, fields)], f") -> {answer}:"),
        docstring=described(hints.description, fields),
        returned=folded(f"        return {answer}(", [f"{each.name}={each.name}" for each in fields], ")"),
    )
    return imports, model, method


def call_of_tool(of: str, name: str, fields: Sequence[Field]) -> str:
    """A test that calls a tool and reads what it answers."""
    fields = in_order(fields)
    arguments = [f'"{of}.{name}"', *(f"{each.name}={each.wire}" for each in fields)]
    answered = [f'"{each.name}": {each.wire}' for each in fields] or ['"done": True']
    return template(
        "tool_test.py",
        name=name,
        call=folded("    result = await {claude}.call(", arguments, ")"),
        answered=folded("    assert result.structured == {", answered, "}"),
    )


def parameter(field: Field) -> str:
    """A field in a signature."""
    if field.default is not None:
        return f"{field.name}: {field.annotation} = {field.default}"
    return f"{field.name}: {field.annotation}" + (" = None" if field.is_optional else "")


def described(sentence: str, fields: Sequence[Field]) -> str:
    """A docstring that says what each argument is, for the model that fills them in."""
    text = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    # A longer line would not pass the lint; a docstring is read without its line ends.
    text = "\n        ".join(textwrap.wrap(escaped, _WIDEST, break_long_words=False, break_on_hyphens=False))
    if not fields:
        return f'        """{text}' + ('\n        """' if "\n" in text else '"""')
    lines = "\n".join(f"            {each.name}: {each.said}" for each in fields)
    return f'        """{text}\n\n        Args:\n{lines}\n        """'


def called(name: str) -> list[str]:
    """What a decorator is told when the method cannot have the name."""
    return [f"name={quoted(name)}"] if method_name(name) != name else []


def _in_short(name: str, fields: Sequence[Field]) -> str:
    """What a model is told until somebody says it better: what the code does that was written with it."""
    words = [each.words for each in in_order(fields)]
    listed = " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
    return f"{title(name)}: {GENERATED} " + (
        f"answers with the {listed} that it is given." if listed else "answers that it is done."
    )


def _options(name: str, hints: Hints) -> list[str]:
    options = [*called(name), f"title={quoted(title(name))}"]
    options += [f"ui={quoted(hints.ui)}"] if hints.ui else []
    options += ["read_only=True"] if hints.read_only else []
    options += ["destructive=True"] if hints.destructive else []
    return options


def _of_answer(field: Field) -> str:
    parts = [*(["None"] if field.is_optional else []), f"description={quoted(field.said)}"]
    return folded(f"    {field.name}: {field.annotation} = Field(", parts, ")")
