"""A small application for the tests of `lazyapp.testing`: forms of every kind, a login, and tools that ask, tell and fail."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, StreamingResponse
from pydantic import BaseModel

import lazyapp
import lazyauth
import lazymcp
import lazyoauth
from lazymcp import Context, ParamHeader, prompt, resource, tool

ANN = lazyauth.User("ann", {"mcps": ["*"]})


class Prices:
    """A service."""

    def __init__(self, price: int = 7) -> None:
        self.price = price

    async def ping(self) -> None:
        """Always there."""


class Basket:
    """A service of one request."""

    def __init__(self, prices: Prices) -> None:
        self.total = prices.price * 2


class Booking(BaseModel):
    """What the user is asked."""

    nights: int


class ShopMCP(lazymcp.Base):
    """The module."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices

    @tool
    def price(self) -> dict[str, int]:
        """The price."""
        return {"price": self.prices.price}

    @tool
    async def count(self, upto: int, ctx: Context) -> str:
        """Count, and say how far."""
        for number in range(1, upto + 1):
            await ctx.progress(number, upto, f"step {number}")
            await ctx.log({"number": number})
        return "done"

    @tool
    async def book(self, city: str, ctx: Context) -> str:
        """Book a room, as the user wishes."""
        try:
            wish = await ctx.elicit(Booking, f"How long in {city}?")
        except lazymcp.Declined:
            return "nothing booked"
        return f"{wish.nights} nights in {city}"

    @tool
    def fail(self) -> str:
        """Fail without meaning to."""
        raise ZeroDivisionError("the shelf is empty")

    @tool
    def refuse(self) -> str:
        """Fail on purpose."""
        raise lazymcp.ToolError("closed on Sundays")

    @tool
    def ship(self, region: Annotated[str, ParamHeader("Region")]) -> str:
        """An argument that a header repeats."""
        return f"to {region}"

    @tool
    def who(self) -> str:
        """Who calls."""
        user = lazyauth.current_user()
        return user.id if user else "nobody"

    @resource("app://shop/prices")
    def prices_list(self) -> list[dict[str, int]]:
        """All prices."""
        return [{"price": self.prices.price}]

    @prompt
    def greet(self, name: str) -> str:
        """Greet somebody."""
        return f"Say hello to {name}."


router = APIRouter()


def season() -> str:
    """A FastAPI dependency."""
    return "winter"


Season = Annotated[str, Depends(season)]


@router.get("/season")
def show_season(now: Season) -> dict[str, str]:
    return {"season": now}


@router.get("/page", response_class=HTMLResponse)
def show_page() -> str:
    return PAGE


@router.api_route("/echo", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
async def echo(request: Request) -> dict[str, Any]:
    """What came."""
    form = await request.form()
    files = [
        [name, value.filename, (await value.read()).decode()] for name, value in form.multi_items() if not isinstance(value, str)
    ]
    return {
        "method": request.method,
        "query": list(request.query_params.multi_items()),
        "form": [[name, value] for name, value in form.multi_items() if isinstance(value, str)],
        "files": files,
        "headers": dict(request.headers),
    }


@router.post("/buy")
async def buy(request: Request) -> RedirectResponse:
    request.session["bought"] = dict(await request.form())
    return RedirectResponse("/hop", 303)


@router.get("/hop")
def hop() -> RedirectResponse:
    return RedirectResponse("/me", 302)


@router.get("/away")
def away() -> RedirectResponse:
    return RedirectResponse("https://elsewhere.example/", 302)


@router.api_route("/again", methods=["GET", "POST"])
def again() -> RedirectResponse:
    return RedirectResponse("/echo", 307)


@router.get("/round")
def go_round() -> RedirectResponse:
    return RedirectResponse("/round", 302)


@router.get("/me")
def me(request: Request) -> PlainTextResponse:
    user = lazyauth.current_user()
    return PlainTextResponse(f"{user.id if user else 'nobody'} bought {request.session.get('bought')}")


@router.get("/role")
def role() -> PlainTextResponse:
    user = lazyauth.current_user()
    return PlainTextResponse(str(user.data.get("role")) if user else "nobody")


@router.get("/broken")
def broken() -> str:
    raise ZeroDivisionError("nothing to divide by")


@router.get("/ticks")
def ticks() -> StreamingResponse:
    async def run() -> AsyncIterator[str]:
        yield "one "
        yield "two"

    return StreamingResponse(run(), media_type="text/plain")


PAGE = """<!doctype html><title>A shop</title>
<nav><a href="/me">My <b>things</b></a> <a href="https://elsewhere.example/">Elsewhere</a> <a href="#end">End</a></nav>
<h1>Goods &amp; more</h1><p hidden>unseen</p><script>var secret = 1</script>
<form method="post" action="/buy"><h2>Buy</h2>
  <input type="hidden" name="token" value="t1">
  <label for="email">E-mail *</label><input id="email" name="email" type="email" required>
  <button>Buy now</button>
</form>
<form action="/echo?old=1"><input name="q" aria-label="Search" value="shoes"><button name="go" value="1">Find</button></form>
<p id="end">The end</p>
"""


def draw(routes: lazyapp.Routes) -> None:
    routes.include(router)


def dependencies(services: lazyapp.Services) -> None:
    services.add(Prices, lambda: Prices(), ping=Prices.ping)
    services.add(Basket, Basket, per_request=True)


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


def register(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    scope.register(ShopMCP(ctx.get(Prices)))


def shop(**options: Any) -> lazyapp.App:
    """A new one, with settings that no environment decides."""
    given = {"name": "shop", "drawer": draw, "dependencies": dependencies, "oauth": oauth, "mcp": register, **options}
    settings = lazyapp.Settings(env="test", given_public_url="http://localhost:3000")
    return lazyapp.App(lazyapp.Config(**given), settings=settings)
