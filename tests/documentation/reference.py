"""The API reference: a page a package, with every public name, its signature as the source writes it, and its docstring."""

import ast
import functools
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from lazyapp.documentation import anchor
from tests.documentation.docstrings import markdown

PACKAGES = ("lazyapp", "lazyapp.testing", "lazymcp", "lazyoauth", "lazyauth", "lazyview")
#: Values have no docstring; what they are stands here.
VALUES = {
    ("lazyapp", "__version__"): "The version that is installed, as text.",
    ("lazymcp", "WidgetOnly"): (
        "`Annotated[list[Row], WidgetOnly]` keeps a field of a result out of what the model reads, and gives it to the page in "
        "`_meta`. See [Tools](../tools.md)."
    ),
    ("lazyoauth", "TEMPLATES"): "The folder of the views for login and consent that an application may put its own before.",
}
_WIDTH = 100


def file_of(package: str) -> str:
    """The file of a package's page."""
    return f"{package.replace('.', '-')}.md"


def page(package: str) -> str:
    """The page of a package."""
    module = importlib.import_module(package)
    listed = " · ".join(f"[{name}](#{anchor(name)})" for name in module.__all__)
    said = (module.__doc__ or "").partition(":")[2].strip()
    intro = markdown(said[:1].upper() + said[1:])
    parts = [f"# {package}", intro, f"Made from the docstrings; [the guides](../README.md) tell how to use it.\n\n{listed}"]
    for name in module.__all__:
        parts += _public(package, name, getattr(module, name))
    return "\n\n".join(parts) + "\n"


def _public(package: str, name: str, value: Any) -> Iterator[str]:
    yield f"## {name}"
    if (package, name) in VALUES:
        yield VALUES[package, name]
    elif inspect.isclass(value):
        yield from _class(name, value)
    else:
        yield _code(_signature(value, name))
        yield markdown(inspect.getdoc(value) or "")


def _class(name: str, cls: type) -> Iterator[str]:
    yield _code(_head(name, cls))
    yield markdown(cls.__doc__ or "")
    for member, value in _members(cls):
        yield f"### {name}.{member}"
        function = value.fget if isinstance(value, property) else getattr(value, "func", getattr(value, "__func__", value))
        kind = "property " if isinstance(value, property | functools.cached_property) else ""
        if kind:
            returns = _node(function).returns
            yield _code(f"{member}" + (f": {ast.unparse(returns)}" if returns else ""))
        else:
            mark = {staticmethod: "@staticmethod\n", classmethod: "@classmethod\n"}.get(type(value), "")
            yield _code(mark + _signature(function, member))
        yield markdown(inspect.getdoc(function) or "")


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """What is written in the class and in its private bases of this project, in that order."""
    seen = set()
    for base in cls.__mro__:
        is_own = base is cls or (base.__module__.split(".")[0] == cls.__module__.split(".")[0] and base.__name__.startswith("_"))
        for name, value in vars(base).items() if is_own else ():
            is_function = inspect.isfunction(value) or isinstance(
                value, property | functools.cached_property | staticmethod | classmethod
            )
            if name.startswith("_") or name in seen or not is_function or not _is_documented(value):
                continue
            seen.add(name)
            yield name, value


def _is_documented(value: Any) -> bool:
    """Whether it is written in our source, with a docstring; what a library adds to a class has neither."""
    function = value.fget if isinstance(value, property) else getattr(value, "func", getattr(value, "__func__", value))
    return bool(function.__doc__) and function.__module__.startswith("lazy") and function.__qualname__.count("<") == 0


def _head(name: str, cls: type) -> str:
    """`class Name(Base)`, and below it what its constructor takes, as it is written."""
    node = _node(cls)
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) not in ("Protocol", "NamedTuple")]
    shown = f"class {name}" + (f"({', '.join(bases)})" if bases else "")
    init = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if init is not None:
        return f"{shown}:\n{textwrap.indent(_def(init, '__init__'), '    ')}"
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_")]
    return f"{shown}:\n" + "\n".join(f"    {ast.unparse(field)}" for field in fields) if fields else shown


def _signature(function: Callable[..., Any], name: str) -> str:
    return _def(_node(inspect.unwrap(function)), name)


def _def(node: Any, name: str) -> str:
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    line = f"{start} {name}({', '.join(_arguments(node.args))}){returns}"
    if len(line) <= _WIDTH:
        return line
    return f"{start} {name}(\n" + "".join(f"    {each},\n" for each in _arguments(node.args)) + f"){returns}"


def _arguments(args: ast.arguments) -> Iterator[str]:
    """Each argument as a line of its own."""
    plain = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    for position, (each, default) in enumerate(zip(plain, defaults, strict=True)):
        yield _argument(each, default)
        if args.posonlyargs and position == len(args.posonlyargs) - 1:
            yield "/"
    if args.vararg or args.kwonlyargs:
        yield f"*{_argument(args.vararg, None)}" if args.vararg else "*"
    for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield _argument(each, default)
    if args.kwarg:
        yield f"**{_argument(args.kwarg, None)}"


def _argument(argument: ast.arg, default: ast.expr | None) -> str:
    shown = argument.arg + (f": {ast.unparse(argument.annotation)}" if argument.annotation else "")
    return shown + (f"{' = ' if argument.annotation else '='}{ast.unparse(default)}" if default is not None else "")


def _node(value: Any) -> Any:
    return _parsed(sys.modules[value.__module__].__name__)[value.__qualname__]


@functools.cache
def _parsed(module: str) -> dict[str, ast.AST]:
    """Each class and function of a module by its qualified name; of overloads the last, which is the one that runs."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    found: dict[str, ast.AST] = {}

    def look(node: ast.AST, prefix: str) -> None:
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found[prefix + each.name] = each
                if isinstance(each, ast.ClassDef):
                    look(each, f"{prefix}{each.name}.")

    look(tree, "")
    return found


def _code(text: str) -> str:
    return f"```python\n{text}\n```"
