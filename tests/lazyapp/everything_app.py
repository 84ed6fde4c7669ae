"""A small application with everything that `lazyapp mcp` meets: closed modules, failures, bytes, questions, tasks."""

EVERYTHING_APP = '''
import asyncio
import time
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

import lazyapp
import lazyauth
import lazymcp
from lazymcp import Audio, Context, Image, ResourceContent, ResourceLink, Text, prompt, resource, tool

print("printed by an import")


class Row(BaseModel):
    name: str
    size: int


class Found(BaseModel):
    total: int
    rows: list[Row]


class Order(BaseModel):
    size: Literal["small", "large"]
    gift: bool = False


class ShopMCP(lazymcp.Base):
    @tool(read_only=True)
    async def search(self, query: str, limit: int = 2, tags: list[str] | None = None) -> Found:
        """Search the shelves.

        Args:
            query: What is looked for.
            limit: How many at most.
            tags: Only with these.
        """
        print("printed by a tool")
        return Found(total=9, rows=[Row(name=f"{query} {n} {' '.join(tags or [])}".strip(), size=n) for n in range(limit)])

    @tool
    async def who(self) -> str:
        """Say who calls."""
        claims = lazyauth.current_claims()
        return lazyauth.require_user().id + (" with " + " ".join(sorted(claims.scopes)) if claims else "")

    @tool
    async def refuse(self) -> str:
        """Refuse to do it."""
        raise lazymcp.ToolError("the shelf is empty; order first")

    @tool
    async def crash(self) -> str:
        """Crash in the middle."""
        raise RuntimeError("secret innards")

    @tool
    async def picture(self) -> list[Image | Audio | Text]:
        """Draw the shelf."""
        return [Text("the shelf"), Image(data=b"png bytes", mime_type="image/png"), Audio(data=b"wav bytes", mime_type="audio/wav")]

    @tool
    async def slow(self, ctx: Context) -> str:
        """Count up."""
        await ctx.progress(1, 3, "one")
        await ctx.log("a line", level="warning")
        await ctx.progress(2, 3, "two")
        return "three"

    @tool
    async def wait(self) -> str:
        """Wait for ever."""
        print("waiting", flush=True)
        try:
            await asyncio.sleep(600)
        finally:
            print("no longer waiting", flush=True)

    @tool
    def hold(self) -> str:
        """Hold a thread."""
        print("holding", flush=True)
        time.sleep(600)

    @tool
    async def order(self, ctx: Context) -> str:
        """Order something, once its size is known."""
        wanted = await ctx.elicit(Order, "Which size?")
        return f"{wanted.size}{' as a gift' if wanted.gift else ''}"

    @tool(task="required")
    async def bake(self, ctx: Context) -> str:
        """Bake, which takes a while."""
        return "baked"

    @tool(scopes=["shop:write"])
    async def restock(self) -> str:
        """Fill the shelf."""
        return "filled"

    @resource("shop://logo", mime_type="image/png")
    async def logo(self) -> bytes:
        """The sign above the door."""
        return b"\\x89PNG bytes"

    @resource("shop://shelves/{number}")
    async def shelf(self, number: int) -> str | None:
        """One shelf."""
        return f"shelf {number}" if number < 3 else None

    @prompt
    def greet(self, name: str, times: int = 1) -> list[lazymcp.Message]:
        """Greet a customer."""
        return [lazymcp.Message("user", f"Greet {name} {times} times."), lazymcp.Message("assistant", "Gladly.")]


class OfficeMCP(lazymcp.Base):
    @tool
    async def fire(self, name: str) -> str:
        """Let somebody go."""
        return f"{name} is gone"

    @resource("office://safe")
    async def safe(self) -> str:
        """What lies in the safe."""
        return "gold"

    @prompt
    def scold(self) -> str:
        """Scold the staff."""
        return "Scold them."


class Users:
    """Two people, and no password that would have to be hashed at each start."""

    async def authenticate(self, credential):
        raise lazyauth.InvalidCredentials

    async def find_user(self, user_id):
        modules = {"ada": ["shop"], "boss": ["*"]}.get(user_id)
        return None if modules is None else lazyauth.User(user_id, {"mcps": modules})


app = lazyapp.App(
    lazyapp.Config(name="everything", auth=Users(), mcp=lambda ctx, scope: scope.register(ShopMCP(), OfficeMCP()))
)
'''
