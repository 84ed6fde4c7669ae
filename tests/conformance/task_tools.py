"""Tools that may run as tasks, and the sync one beside them. SEP-2663."""

import asyncio

from pydantic import BaseModel

from lazymcp import Context, MCPError, ToolError, form, tool
from tests.conformance.asking_tools import Name


class Consent(BaseModel):
    confirm: bool


class TaskTools:
    """What outlives its request, for clients that know tasks."""

    @tool
    def greet(self, name: str) -> str:
        """Says hello, at once.

        Args:
            name: to whom.
        """
        return f"Hello, {name}!"

    @tool(task="optional")
    async def slow_compute(self, seconds: float, label: str = "") -> str:
        """Takes its time.

        Args:
            seconds: how much of it.
            label: what to call the result.
        """
        await asyncio.sleep(seconds)
        return f"{label or 'slow_compute'} took {seconds} seconds"

    @tool(task="required")
    async def failing_job(self) -> str:
        """Fails, as a tool does."""
        raise ToolError("The job failed")

    @tool(task="required")
    async def protocol_error_job(self) -> str:
        """Fails, as a server does."""
        raise MCPError("the job broke the protocol")

    @tool(task="optional")
    async def confirm_delete(self, filename: str, ctx: Context) -> str:
        """Asks before it deletes.

        Args:
            filename: what to delete; nothing is deleted really.
        """
        consent = await ctx.elicit(Consent, f"Delete {filename}?")
        return f"{filename} was {'deleted' if consent.confirm else 'kept'}"

    @tool(task="optional")
    async def multi_input(self, ctx: Context) -> str:
        """Asks for two names at once."""
        answers = await ctx.ask(first=form(Name, "The first name?"), second=form(Name, "The second name?"))
        return f"{answers['first'].name} and {answers['second'].name}"

    @tool(task="manual")
    async def test_tool_with_task(self, ctx: Context) -> str:
        """Asks for a name, then greets it in a task."""
        name = (await ctx.elicit(Name, "What is your name?", key="user_name")).name
        await ctx.begin_task()
        await asyncio.sleep(0.1)
        return f"Hello, {name}!"
