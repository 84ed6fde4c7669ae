"""`Scope`: modules in, a server out. The composer of the package: it fills the registry and hands it to a transport."""

import asyncio
import importlib
import inspect
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from lazymcp.base import Base, collect
from lazymcp.context import Context
from lazymcp.eager import begin
from lazymcp.errors import RegistrationError
from lazymcp.local import Connection
from lazymcp.names import module_name, where
from lazymcp.no_link import NoLink
from lazymcp.options import Options
from lazymcp.pipes import Reader, Writer
from lazymcp.registry import Module, Registry

__all__ = ["KINDS", "ASGIApp", "ModuleSummary", "Scope", "SurfaceRow"]

ASGIApp = Callable[[MutableMapping[str, Any], Callable[..., Any], Callable[..., Any]], Awaitable[None]]


class ModuleSummary(NamedTuple):
    """How much a module publishes. `resources` counts templates too, and no files of skills or pages of apps."""

    name: str
    tools: int
    resources: int
    prompts: int
    skills: int
    apps: int


#: What can be published, in the order in which people are told of it.
KINDS: Final = ("tool", "resource", "template", "prompt", "skill", "app")


class SurfaceRow(NamedTuple):
    """One published item: `kind` is one of `KINDS`; `name` is its full name or its URI.

    `place` is the file and line where it is written.
    """

    kind: str
    name: str
    module: str
    description: str
    place: str = ""


class Scope:
    """Everything one MCP server publishes. Register modules, then serve: `asgi()`, `serve_stdio()`, or both."""

    def __init__(self, options: Options | None = None) -> None:
        """Make an empty scope.

        Args:
            options: what it can be told; the defaults serve an open, local server.
        """
        self.options = options or Options()
        self._registry = Registry(self.options)
        self._waiting: list[Awaitable[None]] = []

    @property
    def empty(self) -> bool:
        """Whether no module has been registered."""
        return not self._registry.modules

    def register(self, *modules: Base) -> None:
        """Publish what modules declare.

        A spec method may be async. It usually waits for nothing and is done here. One that does wait is run to its end here when
        no event loop runs; inside a running loop it is finished by `ready()`, at the latest before the first answer.

        Raises:
            RegistrationError: something cannot be published; the message names the file and line and says what to do.
        """
        for module in modules:
            if not isinstance(module, Base):
                advice = "an instance, not the class" if inspect.isclass(module) else "an instance of a subclass of lazymcp.Base"
                raise RegistrationError(f"register takes {advice}; it got {module!r}", where(module))
            work = self._publish(module, _described(module))
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                asyncio.run(work)
                continue
            _, rest = begin(work)
            if rest is not None:
                self._waiting.append(rest)

    def discover(self, package: str) -> None:
        """Register every subclass of `Base` that is defined in a module or package `<package>.*_mcp`, in order of their names.

        Instances come from `Options.build`; without it the class is called without arguments.

        Raises:
            RegistrationError: the package cannot be found, a module defines no subclass, or an instance cannot be made.
        """
        build = self.options.build or _without_arguments
        for found in _modules_of(package):
            module = importlib.import_module(found)
            classes = [cls for cls in vars(module).values() if _is_defined_in(cls, found)]
            if not classes:
                raise RegistrationError("there is no subclass of lazymcp.Base here; define one, or rename the module", found)
            self.register(*(build(cls) for cls in dict.fromkeys(classes)))

    async def ready(self) -> None:
        """Finish what registering left to wait for, and close the registry. Serving does this itself.

        Raises:
            RegistrationError: as `register` and `close_registry`.
        """
        while self._waiting:
            await self._waiting.pop(0)
        self.close_registry()
        if self._registry.tasks is not None:
            self._registry.tasks.sweep_soon()

    def close_registry(self) -> None:
        """End registration; later calls of `register` are refused.

        Raises:
            RegistrationError: a tool names a page that no app publishes, or a spec method is still waiting (`await ready()`).
        """
        if self._waiting:
            raise RegistrationError("an async spec method is still waiting: await scope.ready() first")
        self._registry.close()

    def summary(self) -> list[ModuleSummary]:
        """How much each module publishes, in order of registration."""
        rows = self.surface()
        counts = [(name, [row.kind for row in rows if row.module == name]) for name in self._registry.modules]
        return [
            ModuleSummary(
                name,
                tools=kinds.count("tool"),
                resources=kinds.count("resource") + kinds.count("template"),
                prompts=kinds.count("prompt"),
                skills=kinds.count("skill"),
                apps=kinds.count("app"),
            )
            for name, kinds in counts
        ]

    def surface(self) -> list[SurfaceRow]:
        """Every published item, kind by kind."""
        registry = self._registry
        rows = [SurfaceRow("tool", tool.name, tool.module, tool.description, tool.place) for tool in registry.tools.values()]
        skill_files = {file.uri for published in registry.skills.values() for file in published.skill.files}
        for resource in (*registry.resources.values(), *registry.templates.values()):
            if resource.uri not in skill_files and resource.entry is not None:
                kind = "app" if resource.uri in registry.apps else "resource" if resource.template is None else "template"
                rows.append(SurfaceRow(kind, resource.uri, resource.module, resource.entry["description"], resource.place))
        prompts, skills = registry.prompts.values(), registry.skills.values()
        rows += [SurfaceRow("prompt", each.name, each.module, each.description, each.place) for each in prompts]
        rows += [SurfaceRow("skill", each.skill.root, each.module, each.skill.description, each.place) for each in skills]
        return rows

    def entries(self, kind: str) -> list[tuple[SurfaceRow, Mapping[str, Any]]]:
        """Every published item of one kind with its entry as clients that show everything are sent it, whoever may see it.

        Args:
            kind: as `SurfaceRow.kind` names it.
        """
        registry = self._registry
        found = {name: tool.entry(name) for name, tool in registry.tools.items()}
        found |= {name: prompt.entry(name) for name, prompt in registry.prompts.items()}
        found |= {each.skill.root: each.skill.entry() for each in registry.skills.values()}
        listed = (*registry.resources.values(), *registry.templates.values())
        found |= {resource.uri: dict(resource.entry) for resource in listed if resource.entry is not None}
        return [(row, found[row.name]) for row in self.surface() if row.kind == kind]

    def misfit(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """What is wrong with the arguments to a tool, in the words that a model reads; None where they fit."""
        return self._registry.any_tool[tool].misfit(dict(arguments))

    def connection(self) -> Connection:
        """A client's connection within this process: `handle(message, send)` answers one JSON-RPC message. Closes the registry.

        Raises:
            RegistrationError: as `close_registry`.
        """
        self.close_registry()
        return Connection(self._registry)

    def asgi(self) -> ASGIApp:
        """The server as an ASGI application, for any path; it needs no lifespan. Closes the registry.

        Give it a route of its own, `app.add_route("/mcp", scope.asgi())` in Starlette and FastAPI alike: the route hands over every
        method. `app.mount` would answer `/mcp` with a redirect, which clients do not follow with their token.

        Only loopback names are served (`localhost`, `127.0.0.1`, `[::1]`) until `Options.allowed_hosts` names others; a request for
        any other host is refused with 421, so that a page elsewhere cannot reach a local server under a name of its own.

        Raises:
            RegistrationError: as `close_registry`.
        """
        if not self._waiting:
            self.close_registry()
            # A process serves in one way or the other, and loads what that way needs.
            from lazymcp.http import Endpoint

            return Endpoint(self._registry)
        return _Late(self)

    async def serve_stdio(self, reader: Reader | None = None, writer: Writer | None = None) -> None:
        """Serve a local client over standard input and output, or over the given streams, until the input ends.

        Raises:
            RegistrationError: as `close_registry`.
        """
        await self.ready()
        from lazymcp.stdio import serve

        try:
            connection = Connection(self._registry)
            await serve(connection.handle, reader, writer, at_start=connection.begin, at_eof=connection.end)
        finally:
            await self.end_tasks()

    async def end_tasks(self) -> None:
        """End what this process runs as a task, before it ends itself.

        A tool with `idempotent=True` goes on in another process that shares `Options.tasks`, or after the restart; of any other the
        client is told that the server was restarted. Without this the same happens when the lease has run out.
        """
        if self._registry.tasks is not None:
            await self._registry.tasks.close()

    async def notify_tools_changed(self) -> None:
        """Tell every subscriber, of every process on the same bus, to list the tools again; so do the next three.

        To be called when what callers may see has changed: an authorizer's policy, for one. It never fails: while the bus is away
        the subscribers of this process hear of it, the loss of the others is logged, and they ask again when the list has aged.
        """
        await self._registry.news.publish({"kind": "tools"})

    async def notify_prompts_changed(self) -> None:
        """Tell every subscriber to list the prompts again."""
        await self._registry.news.publish({"kind": "prompts"})

    async def notify_resources_changed(self) -> None:
        """Tell every subscriber to list the resources and templates again."""
        await self._registry.news.publish({"kind": "resources"})

    async def notify_resource_updated(self, uri: str) -> None:
        """Tell those who watch this resource, and may still read it, to read it again.

        Args:
            uri: as subscribers spell it: the resource's own, or a template with its variables filled in.
        """
        await self._registry.news.publish({"kind": "resource", "uri": uri})

    @property
    def open_streams(self) -> int:
        """How many long streams of this process are open."""
        return len(self._registry.streams)

    @property
    def tool_calls(self) -> tuple[int, int]:
        """How many calls of tools have succeeded in this process, and how many went wrong."""
        tools = self._registry.tools.values()
        return sum(tool.successes for tool in tools), sum(tool.failures for tool in tools)

    def end_streams(self) -> None:
        """End the long streams of this process, each with a proper last event; new ones may come. Callable from any thread.

        A web server waits for open answers when it stops. SIGTERM and Ctrl-C end the streams by themselves where Python's signal
        handlers serve; a server that is stopped in another way calls this first.
        """
        self._registry.streams.end()

    async def _publish(self, module: Base, described: Module) -> None:
        self._registry.add_module(described)
        for found in await collect(module, Context(NoLink(self.options.endpoint), {}, {}, {})):
            self._registry.add(described, found)


class _Late:
    """An endpoint whose modules were still waiting when it was made: the first requests wait with them."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._opening: asyncio.Task[ASGIApp] | None = None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        if self._opening is None:
            self._opening = asyncio.get_running_loop().create_task(self._open())
        endpoint = await asyncio.shield(self._opening)
        await endpoint(scope, receive, send)

    async def _open(self) -> ASGIApp:
        await self._scope.ready()
        return self._scope.asgi()


def _described(module: Base) -> Module:
    cls = type(module)
    name = module_name(cls.__name__) if module.name is None else module.name
    if not isinstance(name, str) or (not name and module.name is None):
        raise RegistrationError(f"no name can be made of the class {cls.__name__}: set name", where(cls))
    try:
        folder = Path(inspect.getfile(cls)).parent
    except (OSError, TypeError):
        folder = Path.cwd()
    return Module(name, where(cls), folder)


def _modules_of(package: str) -> list[str]:
    import pkgutil

    try:
        found = importlib.import_module(package)
    except ModuleNotFoundError as problem:
        if problem.name is None or not package.startswith(problem.name):
            raise
        raise RegistrationError(f"there is no package {package!r} to discover modules in") from problem
    paths = getattr(found, "__path__", None)
    if paths is None:
        raise RegistrationError(f"{package!r} is a module, not a package of modules")
    return sorted(f"{package}.{info.name}" for info in pkgutil.iter_modules(paths) if info.name.endswith("_mcp"))


def _is_defined_in(cls: Any, module: str) -> bool:
    if not (inspect.isclass(cls) and issubclass(cls, Base)) or inspect.isabstract(cls) or cls.__name__.startswith("_"):
        return False
    return cls.__module__ == module or cls.__module__.startswith(f"{module}.")


def _without_arguments(cls: type[Any]) -> Any:
    try:
        return cls()
    except TypeError as problem:
        raise RegistrationError(
            f"{cls.__name__} cannot be made without arguments ({problem}): give Options.build", where(cls)
        ) from problem
