"""A module that asks, as a user would write it; without the test tools, so that other processes start fast with it."""

from pydantic import BaseModel

from lazymcp import Base, Context, form, roots, sampling, tool


class Text(BaseModel):
    value: str


class Age(BaseModel):
    years: int


class Booking(Base):
    """Asks one thing after the other, several at once, and differently each time."""

    name = ""

    def __init__(self):
        self.runs = 0

    @tool
    async def book(self, ctx: Context) -> str:
        """Book a journey."""
        self.runs += 1
        city = await ctx.elicit(Text, "Where to?")
        hotel = await ctx.elicit(Text, f"Which hotel in {city.value}?")
        return f"{hotel.value}, {city.value}"

    @tool
    async def several(self, ctx: Context) -> dict[str, object]:
        """Ask several things at once."""
        found = await ctx.ask(
            user_name=form(Text, "What is your name?"),
            greeting=sampling("Write a greeting.", max_tokens=50),
            client_roots=roots(),
        )
        return {**found, "user_name": found["user_name"].value}

    @tool
    async def restless(self, ctx: Context) -> str:
        """Ask something else in each run."""
        self.runs += 1
        return (await ctx.elicit(Text, f"Delete {self.runs} files?", "sure")).value

    @tool
    async def twice(self, ctx: Context) -> str:
        """Use one key for two questions."""
        await ctx.elicit(Text, "One?", "x")
        return (await ctx.elicit(Age, "Two?", "x")).model_dump_json()

    @tool
    async def age(self, ctx: Context) -> int:
        """Ask for a number."""
        return (await ctx.elicit(Age, "How old?", "age")).years

    @tool
    async def nothing(self, ctx: Context) -> dict[str, object]:
        """Ask nothing at all."""
        return await ctx.ask()

    @tool
    async def plain(self, a: int = 1) -> int:
        """Ask nothing."""
        return a
