"""A small application to be previewed: tools of every shape, and widgets good and bad."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

import lazyapp
import lazyauth
import lazyoauth
from lazyapp import Settings
from lazymcp import AppCSP, AppPermissions, AppSpec, Base, Context, ParamHeader, Titles, ToolError, WidgetOnly, tool

SECRET_KEY = "0123456789abcdef" * 4
WIDGETS = Path(__file__).parent / "widgets"


def _a_date(text: str) -> str:
    if not text.startswith("20"):
        raise ValueError("must be a date")
    return text


class Size(BaseModel):
    """How large a picture is."""

    width: int = Field(ge=1, le=4000, description="In pixels.")
    height: int = Field(100, ge=1, le=4000)


class Framing(BaseModel):
    """What is asked."""

    wood: Annotated[Literal["oak", "ash"], Titles(oak="Old oak")] = "oak"
    nails: int = Field(title="Nails", ge=1)


class Order(BaseModel):
    """What is ordered."""

    title: str = Field(min_length=2, description="What stands under the picture.")
    copies: int = Field(1, ge=1, le=9)
    price: float | None = None
    paper: Literal["matt", "gloss"] = "matt"
    framed: bool = False
    tags: list[str] = []
    size: Size | None = None
    extra: dict[str, Any] = {}


class Picture(BaseModel):
    """A picture, and what only its page sees."""

    name: str
    seen_by: str
    rows: Annotated[list[str], WidgetOnly] = []


class GalleryMCP(Base):
    """Pictures."""

    def __init__(self, folder: Path) -> None:
        self.easel = folder / "views" / "mcp" / "gallery" / "easel.html.j2"
        self.easel.parent.mkdir(parents=True)
        self.easel.write_text(EASEL.format("first"))
        self.changed: Callable[[], None] = lambda: None
        self.waiting = asyncio.Event()
        self.cancelled = asyncio.Event()

    @tool(ui="ui://gallery/picture", read_only=True)
    async def show(self, name: str = "dusk") -> Picture:
        """Show a picture."""
        user = lazyauth.current_user()
        return Picture(name=name, seen_by=user.id if user else "nobody", rows=["first", "second"])

    @tool(ui="ui://gallery/hostile")
    async def hostile(self, what: str = "") -> dict[str, str]:
        """Show a widget that means harm."""
        return {"what": what}

    @tool(ui="ui://gallery/official")
    async def official(self, name: str) -> dict[str, str]:
        """Show a widget made with the official class."""
        return {"name": name}

    @tool(ui="ui://gallery/chatgpt")
    async def chat(self, name: str) -> Picture:
        """Show a widget for ChatGPT."""
        return Picture(name=name, seen_by="", rows=["first"])

    @tool(ui="ui://gallery/easel", read_only=True)
    async def paint(self) -> str:
        """Show a widget whose file is written while it is looked at."""
        return "painted"

    @tool(visibility=["app"])
    async def repaint(self) -> str:
        """Write the file of that widget anew, as its author does in an editor."""
        self.easel.write_text(EASEL.format("second"))
        self.changed()
        return "repainted"

    @tool(visibility=["app"])
    async def rename(self, name: str) -> dict[str, str]:
        """Rename a picture, by its button."""
        return {"renamed": name}

    @tool(visibility=["model"])
    async def erase(self) -> str:
        """Erase everything; not for buttons."""
        return "gone"

    @tool
    async def order(self, params: Order) -> Order:
        """Order a print."""
        return params

    @tool
    async def dated(self, day: Annotated[str, AfterValidator(_a_date)]) -> str:
        """A rule that no schema tells."""
        return day

    @tool
    async def route(self, region: Annotated[str, ParamHeader("Region")], ctx: Context) -> str:
        """An argument that a header repeats, and a word on the way."""
        await ctx.progress(1, 2)
        return f"{region} by {ctx.transport}"

    @tool
    async def frame(self, ctx: Context) -> str:
        """Ask how it is framed, and to open a page."""
        wish = await ctx.elicit(Framing, "How shall <b>it</b> be framed?")
        await ctx.elicit_url("https://pay.example.com/1", "Please pay.")
        return f"{wish.wood}, {wish.nails} nails"

    @tool
    async def fall(self) -> str:
        """Fall down."""
        raise RuntimeError("the frame fell down")

    @tool
    async def refuse(self) -> str:
        """Refuse in words."""
        raise ToolError("<b>Not</b> today")

    @tool(scopes=["prints"])
    async def publish(self) -> str:
        """What takes a scope of its own."""
        return "printed"

    @tool
    async def wait(self) -> str:
        """Wait for ever."""
        self.waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return ""

    def picture_app(self) -> AppSpec:
        csp = AppCSP(connect_domains=["https://api.example.com"], resource_domains=["https://static.example.com"])
        permissions = AppPermissions(geolocation=True)
        return AppSpec(desc="A picture.", html=_html("picture"), csp=csp, permissions=permissions, prefers_border=False)

    def hostile_app(self) -> AppSpec:
        return AppSpec(desc="Harm.", html=_html("hostile"))

    def official_app(self) -> AppSpec:
        return AppSpec(desc="The official class.", html=OFFICIAL[0], csp=AppCSP())

    def easel_app(self) -> AppSpec:
        return AppSpec(desc="An easel.", view="easel", use_layout=True)

    def chatgpt_app(self) -> AppSpec:
        return AppSpec(desc="For ChatGPT.", html=_html("chatgpt"))


EASEL = '<p id="stroke">{}</p><button id="repaint" onclick="lazy.call(\'gallery.repaint\')">Repaint</button>'

#: The page of the tool `official`; a test puts a bundle there that was made on the spot.
OFFICIAL = ["<!doctype html><title>none</title>"]


class SecretMCP(Base):
    """A module that not everybody may use."""

    @tool
    async def word(self) -> str:
        """Say the word."""
        return "sesame"


def _html(name: str) -> str:
    return (WIDGETS / f"{name}.html").read_text(encoding="utf-8")


def gallery(folder: Path, *, has_oauth: bool = True, origin: str = "", **more: Any) -> tuple[lazyapp.App, GalleryMCP]:
    """The application, in development, on a SQLite file of its own, and its module."""
    module = GalleryMCP(folder)
    users = lazyauth.FileUsers(folder / "users")
    settings = Settings(
        env=more.pop("env", "development"),
        root=folder,
        default_user="ada",
        secret_key=SECRET_KEY,
        given_public_url=origin,
        database_url=f"sqlite+aiosqlite:///{folder}/gallery.sqlite3",
        migrate="auto",
    )

    def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
        return lazyoauth.Config(
            issuer=ctx.settings.public_url,
            refresh_token_states=ctx.get(lazyoauth.RefreshTokenStateStore),
            scopes=("mcp", "prints"),
        )

    config: dict[str, Any] = {
        "name": "gallery",
        "views": folder / "views",
        "dependencies": lambda services: services.add(lazyoauth.RefreshTokenStateStore, lazyoauth.SQLRefreshTokenStates),
        "mcp": lambda ctx, scope: scope.register(module, SecretMCP()),
    }
    if has_oauth:
        config |= {"auth": users, "oauth": oauth}
    app = lazyapp.App(lazyapp.Config(**(config | more)), settings=settings)
    module.changed = lambda: app.files_changed()
    return app, module


async def people(folder: Path) -> None:
    """Two users: one who may use everything, one who may see pictures only, one who is locked out."""
    users = lazyauth.FileUsers(folder / "users")
    await users.add("ada", "correct horse battery", {"mcps": ["*"]})
    await users.add("bob", "correct horse battery", {"mcps": ["gallery"]})
    await users.add("eve", "correct horse battery", {"mcps": ["*"]})
    await users.disable("eve")
