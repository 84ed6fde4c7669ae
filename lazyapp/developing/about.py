"""An MCP server about the application itself, for the coding agent of whoever develops it: at `/_lazy/mcp`, and over stdio.

A module like any other. Its tools look at the application and change nothing of it, all but `call_tool`, which calls one of the
application's own. Secrets are masked, and answers are short: a model pays for each word.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

import lazymcp
from lazyapp import documentation
from lazyapp.database import AsyncEngine
from lazyapp.developing import about_happened as happened
from lazyapp.developing import about_page, about_query_sql, about_routes, about_schema_sql, about_settings, about_surface
from lazyapp.developing.application import Application
from lazyapp.developing.memory import Memory
from lazyapp.developing.preview_people import Caller, UnknownCaller, signed_in
from lazyapp.served_at import origin_of
from lazyapp.steps.migrations import lines_of
from lazyapp.version import __version__
from lazymcp import ToolError, completes, prompt, resource, tool
from lazyview import TemplateError, ViewError

PATH = "/_lazy/mcp"
INSTRUCTIONS = (
    "This server tells about the web application that is being developed in the folder of `describe_app`, and how lazyapp, its "
    "framework, is used: search_docs before you write code for it. When something went wrong, list_errors first."
)
Limit = Annotated[int, Field(ge=1, le=200)]


class Found(BaseModel):
    """One section of the documentation."""

    page: str
    heading: str
    excerpt: str


class Rows(BaseModel):
    """What a query found."""

    columns: list[str]
    rows: list[list[Any]]
    is_cut: bool = Field(description="Whether there are more rows.")


class AboutMCP(lazymcp.Base):
    """What a coding agent may ask of the application that it works on.

    Args:
        app: started.
        memory: of the requests, errors and log lines of this run; None: this process serves nobody, so there are none.
    """

    name = ""

    def __init__(self, app: Application, memory: Memory | None = None) -> None:
        self._app = app
        self._memory = memory

    @tool(read_only=True)
    async def describe_app(self) -> about_settings.Description:
        """What the application is: its name, folder, addresses, versions, MCP modules, and whether everything is ready."""
        return await about_settings.describe(self._app)

    @tool(read_only=True)
    def list_settings(self) -> list[about_settings.Setting]:
        """The settings of this run, each with its environment variable. Secrets are masked."""
        return about_settings.settings(self._app.settings)

    @tool(read_only=True)
    def list_routes(self, grep: str = "") -> list[about_routes.Route]:
        """List the routes: methods, path, name, action, and the file and line of the action.

        Args:
            grep: only routes that have this word in them.
        """
        return about_routes.rows(self._app, grep)

    @tool(read_only=True)
    def find_route(self, path: str, method: str = "GET") -> about_routes.Answering:
        """Tell what answers a request: which page, router, public file, or nothing and why.

        Args:
            path: as `/accounts/new`.
            method: of HTTP.
        """
        return about_routes.answering(self._app, method, path)

    @tool(read_only=True)
    def list_mcp(self, module: str = "") -> list[about_surface.Item]:
        """List what the application offers to AI clients: tools, resources, prompts, skills, apps, with their cost in tokens.

        Args:
            module: only of this module.
        """
        return about_surface.items(self._app.mcp, module)

    @tool(read_only=True)
    def read_mcp_entry(self, name: str) -> dict[str, Any]:
        """One tool, resource, prompt, skill or app as AI clients are sent it, with its schemas.

        Args:
            name: of `list_mcp`: a name or a URI.
        """
        return dict(_or_error(about_surface.entry, self._app.mcp, name))

    @tool(read_only=True)
    def list_errors(self, limit: Limit = 10) -> list[happened.Error]:
        """The last errors of the running application, newest first; `read_error` tells one whole."""
        return happened.errors(self._remembered, limit)

    @tool(read_only=True)
    def read_error(self, id: str) -> str:  # noqa: A002
        """One error as Markdown: its message, the application's lines where it passed, its causes, what was logged meanwhile.

        Args:
            id: of `list_errors`, of the sentence that a failed tool answered, or of a request.
        """
        return str(_or_error(happened.error, self._remembered, id))

    @tool(read_only=True)
    def list_requests(self, limit: Limit = 20, grep: str = "", errors_only: bool = False) -> list[happened.Request]:
        """The last requests, newest first: pages, logins and MCP calls, with status and time taken.

        Args:
            limit: how many.
            grep: only those with this word in method, path or call.
            errors_only: only those answered with 400 or above.
        """
        return happened.requests(self._remembered, limit, grep, errors_only)

    @tool(read_only=True)
    def read_log(
        self, limit: Limit = 50, grep: str = "", level: Literal["debug", "info", "warning", "error"] = "info", request_id: str = ""
    ) -> list[happened.Line]:
        """The last lines of the log.

        Args:
            limit: how many.
            grep: only those with this word in them.
            level: only those of this level and above.
            request_id: only those of this request.
        """
        return happened.lines(self._remembered, limit, grep, level, request_id)

    @tool(read_only=True)
    async def read_schema(self, table: str = "") -> about_schema_sql.Schema:
        """The tables that the database really has, with columns, indexes and foreign keys, and which migrations are pending.

        Args:
            table: only this one.
        """
        lines = lines_of(self._app.config, self._app.settings)
        try:
            return await about_schema_sql.schema(self._engine, lines, table or None)
        except LookupError as error:
            raise ToolError(str(error)) from None

    @tool(read_only=True)
    async def query_database(self, sql: str, limit: Annotated[int, Field(ge=1, le=about_query_sql.MAX_ROWS)] = 50) -> Rows:
        """Run one SELECT against the application's database. It cannot write, and has five seconds.

        Columns that hold secrets, by their names, are not shown: PostgreSQL refuses a query that reads one, SQLite reads NULL.

        Args:
            sql: one SELECT, in the dialect that `read_schema` names.
            limit: how many rows.
        """
        try:
            found = await about_query_sql.read(self._engine, sql, limit)
        except about_query_sql.Refused as error:
            raise ToolError(str(error)) from None
        return Rows(columns=list(found.columns), rows=[list(row) for row in found.rows], is_cut=found.is_cut)

    @tool(read_only=True)
    def render_view(self, view: str, variables: Mapping[str, Any] | None = None, layout: str = "") -> str:
        """Render a view with variables of your own; see `get_page` for a view as its action renders it.

        Args:
            view: as `accounts/index`.
            variables: those that it uses.
            layout: as `app`; empty for none.
        """
        try:
            return self._app.views.render(view, variables or {}, layout=layout or None)
        except (TemplateError, ViewError) as error:
            raise ToolError(str(error)) from None
        except Exception as error:
            raise ToolError(f"{type(error).__name__}: {error}") from None

    @tool(read_only=True)
    async def get_page(self, path: str, user: str = "", accept: str = "text/html") -> about_page.Page:
        """GET a path of the application, as a browser would, within this process.

        Args:
            path: with its query.
            user: the id of the user who is signed in; empty for nobody.
            accept: the kind of answer, such as `application/json`; `text/markdown` gets an error page that is short to read.
        """
        host = f"localhost:{self._app.settings.port}"
        try:
            caller = await signed_in(self._app, Caller(user)) if user else about_page.nobody()
            return await about_page.get(self._app, path, host=host, accept=accept, caller=caller)
        except (ValueError, TimeoutError, UnknownCaller) as error:
            raise ToolError(f"{error}") from None

    @tool
    async def call_tool(self, tool: str, arguments: Mapping[str, Any] | None = None, user: str = "") -> about_surface.Called:
        """Call a tool of the application as an AI client would. It does what it does: this may change data.

        Args:
            tool: its name, as `admin.user_count`.
            arguments: that fit its schema.
            user: the id of the user whose client calls; empty for the first user.
        """
        try:
            return await about_surface.call(self._app, tool, arguments or {}, user)
        except (LookupError, UnknownCaller) as error:
            raise ToolError(str(error)) from None

    @tool(read_only=True)
    def search_docs(self, words: str) -> list[Found]:
        """Find sections of the framework's documentation, of the version that is installed.

        Args:
            words: a few, such as `form errors`.
        """
        return [Found(page=each.page, heading=each.heading, excerpt=each.excerpt) for each in documentation.search(words)]

    @tool(read_only=True)
    def read_docs(self, page: str, heading: str = "") -> str:
        """One page of the documentation as Markdown, or one section of it.

        Args:
            page: as `search_docs` names it; empty for the list of all pages.
            heading: only the section of this heading.
        """
        if not page:
            return documentation.index()
        text = str(_or_error(documentation.page, page))
        if not heading:
            return text
        found = [each for each in documentation.sections() if each.page == page.removesuffix(".md") and each.heading == heading]
        if not found:
            raise ToolError(f"The page {page} has no heading {heading!r}.")
        return f"## {heading}\n\n{found[0].text}"

    @resource("lazyapp://docs/{+page}", mime_type="text/markdown")
    def docs(self, page: str) -> str | None:
        """A page of the framework's documentation."""
        try:
            return documentation.page(page)
        except LookupError:
            return None

    @completes(docs, "page")
    def pages(self, typed: str) -> list[str]:
        """The pages whose names begin so."""
        return [name for name in documentation.names() if name.startswith(typed)]

    @prompt
    def fix_last_error(self) -> str:
        """Find the cause of the application's last error and mend it."""
        return (
            "Call list_errors, then read_error of the newest. Find the cause in the application's code, mend it with a test that "
            "fails before, and show with get_page or call_tool that it is gone."
        )

    @property
    def _remembered(self) -> Memory:
        if self._memory is None:
            raise ToolError(happened.NOT_HERE.format(url=origin_of(self._app.settings) + PATH))
        return self._memory

    @property
    def _engine(self) -> AsyncEngine:
        return self._app.services.get(AsyncEngine)


def about(app: Application, memory: Memory | None = None) -> lazymcp.Scope:
    """The server about an application; `asgi()` serves it to this machine alone.

    It asks for no token: whoever may start the application may know all of this, and nobody else reaches it. Where it is mounted
    is behind the door of `/_lazy`; that it serves loopback names only is its own second lock.
    """
    info = lazymcp.ServerInfo(name="lazyapp-about", title=f"About {app.config.name}", version=__version__)
    scope = lazymcp.Scope(lazymcp.Options(server_info=info, instructions=INSTRUCTIONS))
    scope.register(AboutMCP(app, memory))
    return scope


def _or_error(find: Any, *arguments: Any) -> Any:
    try:
        return find(*arguments)
    except LookupError as error:
        raise ToolError(str(error)) from None
