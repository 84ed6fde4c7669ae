"""What a module publishes, as plain frozen values: tools, resources, prompts, skills and apps.

A spec only says; nothing in it is checked or computed before `Scope.register` reads it, so every mistake is reported in one
place and with the file and line it was written on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, runtime_checkable

from lazymcp.content import Annotations, Content
from lazymcp.icons import Icon

__all__ = [
    "UI",
    "AppCSP",
    "AppPermissions",
    "AppSpec",
    "DisplayMode",
    "Message",
    "PromptSpec",
    "ResourceSpec",
    "ResultMetadata",
    "SkillSpec",
    "Spec",
    "TaskMode",
    "ToolSpec",
    "Visibility",
    "WidgetOnly",
    "user_messages",
]

TaskMode = Literal["optional", "required", "manual"]
Visibility = Literal["model", "app"]
DisplayMode = Literal["inline", "fullscreen", "pip"]


@dataclass(frozen=True, slots=True)
class UI:
    """The page that shows a tool's result.

    Attributes:
        resource_uri: a `ui://` resource published in the same scope.
        invoking: what the host may show while the tool runs (ChatGPT, at most 64 characters).
        invoked: what the host may show when it has run.
    """

    resource_uri: str
    invoking: str = ""
    invoked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A function the model may call.

    Attributes:
        fn: async, or sync (then it runs in a thread). Its signature is the input schema, its return type the output schema.
        name: without the module's name; by default the name of the function or of the spec method.
        desc: by default the docstring of `fn`, without its `Args:`.
        icons: for lists that show pictures.
        ui: the page that shows the result; a string is its URI.
        visibility: who may call it, `"model"` and `"app"` (the page); empty means both. What only pages may call does not exist
            for clients that show no pages.
        file_params: parameters that take a file which the user attached (ChatGPT).
        input_schema, output_schema: published verbatim instead of the derived ones. Arguments that a signature does not
            describe reach `fn` as it is called: by keyword.
        scopes: the access token must carry all of them (when there is a token); else HTTP 403 `insufficient_scope`.
        read_only, destructive, idempotent, open_world: hints for the client; None says nothing.
        task: whether a call may outlive its request, for clients that take tasks: "optional" (what takes longer than a moment
            becomes a task), "required" (always a task; other clients are refused), "manual" (from where it calls
            `ctx.begin_task()`). With `idempotent=True` a task that was interrupted by a restart is run again, else it fails.
        meta: more `_meta` for the list entry.
    """

    fn: Callable[..., Any] | None = None
    name: str = ""
    desc: str = ""
    title: str = ""
    icons: Sequence[Icon] = ()
    ui: UI | str | None = None
    visibility: Sequence[Visibility] = ()
    file_params: Sequence[str] = ()
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    scopes: Sequence[str] = ()
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    task: TaskMode | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSpec:
    """Data that a client reads by its URI.

    Attributes:
        uri: a URI, or an RFC 6570 template whose variables are the parameters of `read`. Default `app://<module>/<name>`.
        read: async or sync; returns str, bytes, `ResourceContent` (or a list of them), or anything that becomes JSON. None from
            a template's function means that nothing is there.
        mime_type: by default text/plain for str, application/octet-stream for bytes, application/json for the rest.
        size: in bytes, where it is known; a template has none.
        ttl_ms: how long a client may keep what it read; 0 means not at all.
        cache: "public" when what is read is the same for everyone, so that one copy may serve several users. It is said only where
            nobody is signed in and no authorizer decides; else it is "private".
        completions: how the variables of a template are completed, each by a function as `@completes` describes it.
    """

    read: Callable[..., Any] | None = None
    uri: str = ""
    name: str = ""
    desc: str = ""
    title: str = ""
    icons: Sequence[Icon] = ()
    mime_type: str = ""
    size: int | None = None
    annotations: Annotations | None = None
    ttl_ms: int = 0
    cache: Literal["private", "public"] = "private"
    completions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt.

    `text` is the everyday content; `content` is anything else: an `Image`, a `ResourceContent` to embed and their like, or a
    mapping as MCP writes it.
    """

    role: Literal["user", "assistant"]
    text: str = ""
    content: Content | Mapping[str, Any] | None = None


def user_messages(*texts: str) -> tuple[Message, ...]:
    """The texts as messages of the user."""
    return tuple(Message("user", text) for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSpec:
    """Messages that the user may send: `messages` as they stand, or what `fn` makes of its arguments.

    `fn` returns a str or a content such as `Image` (one message of the user), a `Message`, or a sequence of them.
    `completions` tells how its arguments are completed, each by a function as `@completes` describes it.
    """

    fn: Callable[..., Any] | None = None
    name: str = ""
    desc: str = ""
    title: str = ""
    icons: Sequence[Icon] = ()
    messages: Sequence[Message] = ()
    completions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSpec:
    """A folder with a `SKILL.md`, served under `skill://<module>/<name>/`. Its frontmatter carries the description."""

    path: Path | str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppCSP:
    """The origins that a page uses, and no others. Empty lists are a policy too: the page is self-contained.

    Attributes:
        connect_domains: it fetches from them.
        resource_domains: scripts, styles, pictures, fonts and sounds come from them.
        frame_domains: it shows their pages in frames.
        base_uri_domains: it may name them as its base.
        redirect_domains: where links lead that open outside without a question (ChatGPT).
    """

    connect_domains: Sequence[str] = ()
    resource_domains: Sequence[str] = ()
    frame_domains: Sequence[str] = ()
    base_uri_domains: Sequence[str] = ()
    redirect_domains: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AppPermissions:
    """What a page asks of its host: browser features, and `tools` that it calls, which must exist."""

    tools: Sequence[str] = ()
    camera: bool = False
    microphone: bool = False
    geolocation: bool = False
    clipboard_write: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSpec:
    """A page shown inside the client (MCP Apps).

    Attributes:
        uri: default `ui://<module>/<name>`.
        html: a complete static document; or else
        view: the view `mcp/<module>/<view>`, rendered at each read.
        variables: what the view sees; a mapping, or a function (async or sync, may take the context) that returns one.
        use_layout: wrap the view in `layout`, by default `mcp_app`.
        domain: an origin of the page's own, as ChatGPT asks for at submission: https://app.example.com. Claude refuses a page with
            an origin that it did not make, so its clients are not told of it.
        csp: None leaves the policy to the host.
        prefers_border: whether the host draws a border; None leaves it to the host.
        link_trusted_domains: origins to which links open outside without a question.
        display_modes: how the page can be shown; a page in a layout tells the host so as well.
    """

    uri: str = ""
    name: str = ""
    desc: str = ""
    title: str = ""
    icons: Sequence[Icon] = ()
    html: str = ""
    view: str = ""
    variables: Mapping[str, Any] | Callable[..., Any] | None = None
    layout: str = ""
    use_layout: bool = False
    csp: AppCSP | None = None
    permissions: AppPermissions | None = None
    domain: str = ""
    prefers_border: bool | None = None
    link_trusted_domains: Sequence[str] = ()
    display_modes: Sequence[DisplayMode] = ()


Spec = ToolSpec | ResourceSpec | PromptSpec | SkillSpec | AppSpec


@runtime_checkable
class ResultMetadata(Protocol):
    """A tool result that carries what only the page sees: it becomes the result's `_meta`. Users can look at it: no secrets."""

    def mcp_result_meta(self) -> Mapping[str, Any]:
        """The metadata, any JSON."""
        ...


class _WidgetOnly:
    """Marks a field of a tool's result: out of `structuredContent` and `outputSchema`, into the result's `_meta`."""

    KEY: Final = "x-widget-only"

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        # The mark travels in the schema, so models, dataclasses and typed dictionaries are all understood alike.
        return {**handler(core_schema), self.KEY: True}

    def __repr__(self) -> str:
        return "WidgetOnly"


WidgetOnly: Final = _WidgetOnly()
