"""`Registry`: everything a scope publishes, by name and by URI. It grows while modules register and is closed when serving begins.

State: changed by `add_module`, `add` and `close` only, all before the first request; read by every request afterwards.
"""

import secrets
from collections.abc import Mapping
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from lazyauth import Claims, current_claims
from lazymcp.apps import app_resource
from lazymcp.base import Found
from lazymcp.bus import Bus, MemoryBus
from lazymcp.context import Context
from lazymcp.directories import Directories
from lazymcp.errors import Forbidden, RegistrationError
from lazymcp.names import check_name, warn_of_length
from lazymcp.news import News
from lazymcp.options import Options, ServerInfo
from lazymcp.prompts import Prompt
from lazymcp.protocol import SERVER_KEY, Ending, Prepared, complete
from lazymcp.request_state import RequestStates
from lazymcp.resources import Resource, contents, function_resource
from lazymcp.skills import Skill, SkillFile, load_skills
from lazymcp.spec_fields import check_fields
from lazymcp.specs import AppSpec, PromptSpec, ResourceSpec, SkillSpec, Spec, ToolSpec
from lazymcp.streams import Streams
from lazymcp.surroundings import surrounded
from lazymcp.task_store import MemoryTasks
from lazymcp.tasks import Tasks
from lazymcp.tools import Tool

__all__ = ["Module", "Registry", "underscored"]


class _Placed(Protocol):
    @property
    def place(self) -> str: ...


P = TypeVar("P", bound=_Placed)

# By which method clients reach the functions of an item.
_METHODS: Final[Mapping[type[Spec], str]] = {
    ToolSpec: "tools/call",
    PromptSpec: "prompts/get",
    ResourceSpec: "resources/read",
    AppSpec: "resources/read",
}


class Module(NamedTuple):
    """A registered module: its name, where its class is written, and the folder of that file."""

    name: str
    place: str
    folder: Path


class PublishedSkill(NamedTuple):
    """A skill and the module it belongs to."""

    module: str
    skill: Skill
    place: str


def underscored(name: str) -> str:
    """The spelling of a name for clients that refuse dots: `admin.user_count` is `admin_user_count`."""
    return name.replace(".", "_")


class Registry:
    """Everything a scope publishes.

    Attributes:
        tools, prompts: by their full names, in order of registration.
        any_tool, any_prompt: by either spelling of the name, for calls.
        resources: by URI: of functions, apps and files of skills.
        templates: resources that are matched rather than looked up.
        skills: by the URI of their SKILL.md, the nested ones after the one they lie in.
        directories: the folders of skills.
        apps: the module of each page, by its URI.
        pages: results of lists, kept; see `lists.py`.
        has_headed_tools: whether there are tools whose arguments HTTP headers repeat.
        page_calls: a page, a tool that it says it calls, and where that is written.
        has_page_tools: whether there are tools that only the page of an app may call.
        has_domains: whether a page of an app names an origin of its own.
        server: the server's own `_meta`, in every result.
        ending: how a complete result ends that has nothing else to say.
        secret: signs what a client must not make up.
        states: seals what a client carries between two sends of one request.
        bus: carries news to and from the other processes.
        news: what subscribers hear of.
        streams: the answers that stay open in this process.
        tasks: what runs as a task; None when no tool does.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.modules: dict[str, Module] = {}
        self.tools: dict[str, Tool] = {}
        self.any_tool: dict[str, Tool] = {}
        self.prompts: dict[str, Prompt] = {}
        self.any_prompt: dict[str, Prompt] = {}
        self.resources: dict[str, Resource] = {}
        self.templates: dict[str, Resource] = {}
        self.skills: dict[str, PublishedSkill] = {}
        self.directories = Directories()
        self.apps: dict[str, str] = {}
        self.pages: dict[Any, Prepared] = {}
        self.page_calls: list[tuple[str, str, str]] = []
        self.has_headed_tools = self.has_page_tools = self.has_domains = False
        self.is_closed = False
        info = ServerInfo() if options.server_info is None else options.server_info
        self.server_info: Mapping[str, Any] = info.to_dict() if isinstance(info, ServerInfo) else dict(info)
        self.server: Mapping[str, Any] = {SERVER_KEY: self.server_info}
        self.ending = Ending(complete({}, self.server, None, "private"))
        self.secret = options.secret or secrets.token_hex(32)
        self.states = RequestStates(self.secret, options.secret_fallbacks)
        self.bus: Bus = MemoryBus() if options.bus is None else options.bus
        self.news = News(self.bus)
        self.streams = Streams()
        self.tasks: Tasks | None = None

    def add_module(self, module: Module) -> None:
        """Make room for a module's items.

        Raises:
            RegistrationError: serving has begun, or another module has this name.
        """
        if self.is_closed:
            raise RegistrationError(f"module {module.name!r} came too late: register modules before serving begins", module.place)
        if module.name:
            _check_name(module.name, module.place)
        other = self.modules.setdefault(module.name, module)
        if other is not module:
            raise RegistrationError(f"a module named {module.name!r} is already registered ({other.place})", module.place)

    def add(self, module: Module, found: Found) -> None:
        """Compile one spec and publish it.

        Raises:
            RegistrationError: it cannot be published, or its name or URI is taken.
        """
        spec, place = found.spec, found.place
        try:
            check_fields(spec)
            name = spec.name or found.name
            if not name and not isinstance(spec, SkillSpec):
                raise RegistrationError("the item has no name: set name")
            published = _published(module, spec, name)
            spec = surrounded(spec, self.options.surround, _METHODS.get(type(spec), ""), published)
            match spec:
                case ToolSpec():
                    tool = Tool(module.name, published, spec, place)
                    _add(self.tools, self.any_tool, tool.name, tool)
                    warn_of_length(tool.name, place)
                    self.has_page_tools = self.has_page_tools or tool.is_for_pages
                    self.has_headed_tools = self.has_headed_tools or bool(tool.headed)
                    if tool.task and self.tasks is None:
                        self.tasks = Tasks(self.options.tasks or MemoryTasks(), self.bus, self.tools, self.options.task_limits)
                case PromptSpec():
                    prompt = Prompt(module.name, published, spec, place)
                    _add(self.prompts, self.any_prompt, prompt.name, prompt)
                case ResourceSpec():
                    self._add_resource(function_resource(module.name, published, name, spec, place))
                case AppSpec():
                    self._add_resource(app_resource(module.name, published, name, spec, self.options.views, place))
                    self.apps[published] = module.name
                    self.has_domains = self.has_domains or bool(spec.domain)
                    calls = () if spec.permissions is None else spec.permissions.tools
                    self.page_calls += [(published, called, place) for called in calls]
                case SkillSpec():
                    self._add_skill(module, spec, place)
        except RegistrationError as problem:
            raise (problem if problem.place else RegistrationError(problem.reason, place)) from problem.__cause__

    def close(self) -> None:
        """End registration.

        Raises:
            RegistrationError: a tool names a page that nobody published, or a page a tool that it cannot call.
        """
        for tool in self.tools.values():
            if tool.ui and tool.ui not in self.resources:
                known = ", ".join(sorted(self.apps)) or "none"
                raise RegistrationError(f"tool {tool.name} shows {tool.ui!r}, which no app publishes (apps: {known})", tool.place)
        for page, name, place in self.page_calls:
            if name not in self.any_tool:
                raise RegistrationError(f"app {page} calls the tool {name!r}, which nobody publishes", place)
            if not self.any_tool[name].is_callable_by_pages:
                raise RegistrationError(f"app {page} calls the tool {name!r}, whose visibility is the model's alone", place)
        self.is_closed = True

    @property
    def completes(self) -> bool:
        """Whether any argument of a prompt or variable of a template can be completed."""
        resources = (resource.completions for resource in self.templates.values())
        return any(prompt.completions for prompt in self.prompts.values()) or any(resources)

    async def allows(self, module: str) -> bool:
        """Whether the caller may see a module. What is hidden is answered like what is unknown."""
        authorizer = self.options.authorizer
        claims = current_claims()
        if authorizer is None:
            return claims is None or _in_claim(claims, module)
        verdict = authorizer(claims, module)
        return bool(await verdict) if isawaitable(verdict) else bool(verdict)

    def is_open(self) -> bool:
        """Whether nothing depends on the caller: no token to look at, and nobody else to ask."""
        return self.options.authorizer is None and current_claims() is None

    async def allowed(self) -> frozenset[str]:
        """The names of all modules that the caller may see."""
        if self.is_open():
            return frozenset(self.modules)
        return frozenset([name for name in self.modules if await self.allows(name)])

    def _add_resource(self, resource: Resource) -> None:
        table = self.resources if resource.template is None else self.templates
        other = table.setdefault(resource.uri, resource)
        if other is not resource:
            raise RegistrationError(f"{resource.uri} is published twice; the other is in {other.place}", resource.place)

    def _add_skill(self, module: Module, spec: SkillSpec, place: str) -> None:
        path = module.folder / spec.path
        skills = load_skills(path, _uri("skill", module.name, spec.name or path.name))
        manifests = {skill.manifest.uri: skill for skill in skills}
        for file in skills[0].files:
            skill = manifests.get(file.uri)
            entry = None if skill is None else {"name": skill.name, "description": skill.description}
            listed = None if entry is None else {**entry, "mimeType": file.mime_type, "size": file.size}
            self._add_resource(Resource(module.name, file.uri, listed, _read_file(file), place))
        for skill in skills:
            self.skills[skill.manifest.uri] = PublishedSkill(module.name, skill, place)
            self.directories.add(module.name, skill)


def require_scopes(scopes: tuple[str, ...]) -> None:
    """Refuse a token that lacks one of the scopes; without a token (no OAuth, stdio) nothing is asked.

    Raises:
        Forbidden: naming all the scopes, since RFC 6750, section 3.1, has the client ask for those.
    """
    claims = current_claims()
    if claims is not None and not all(claims.has_scope(scope) for scope in scopes):
        raise Forbidden(*scopes)


def _in_claim(claims: Claims, module: str) -> bool:
    return module in claims.mcps or "*" in claims.mcps


def _check_name(name: str, place: str) -> None:
    try:
        check_name(name)
    except RegistrationError as problem:
        raise RegistrationError(problem.reason, place) from None


def _published(module: Module, spec: Spec, name: str) -> str:
    """The name of an item, or its URI, as clients know it."""
    match spec:
        case ToolSpec() | PromptSpec():
            return _full(module, name)
        case ResourceSpec() | AppSpec():
            return spec.uri or _uri("app" if isinstance(spec, ResourceSpec) else "ui", module.name, name)
        case SkillSpec():
            return name


def _full(module: Module, name: str) -> str:
    full = f"{module.name}.{name}" if module.name else name
    check_name(full)
    return full


def _uri(scheme: str, module: str, name: str) -> str:
    return f"{scheme}://{module}/{name}" if module else f"{scheme}://{name}"


def _add(table: dict[str, P], either: dict[str, P], name: str, item: P) -> None:
    for spelling in (name, underscored(name)):
        other = either.setdefault(spelling, item)
        if other is not item:
            raise RegistrationError(f"the name {spelling!r} is given twice; the other is in {other.place}", item.place)
    table[name] = item


def _read_file(file: SkillFile) -> Any:
    async def read(uri: str, _: dict[str, Any], ctx: Context) -> list[dict[str, Any]]:
        return [contents(uri, file.data if file.text is None else file.text, file.mime_type)]

    return read
