"""The work that every contestant does: one tool, `add`, and 999 more that only have to be there."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, TypeAdapter

TOOLS = 1_000


class Sum(BaseModel):
    """What `add` answers."""

    total: int


async def add(a: int, b: int) -> Sum:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return Sum(total=a + b)


def another(number: int) -> Callable[[int], Awaitable[Sum]]:
    """A tool that nobody calls."""

    async def tool(value: int) -> Sum:
        return Sum(total=value + number)

    tool.__name__ = f"tool_{number:04}"
    tool.__doc__ = f"Add {number} to a value.\n\nArgs:\n    value: What to add to."
    return tool


def listed() -> bytes:
    """A result of `tools/list` with all of them, as JSON."""
    tools = [_entry("add", "Add two numbers.", {"a": "The first.", "b": "The second."})]
    value = {"value": "What to add to."}
    tools += [_entry(f"tool_{number:04}", f"Add {number} to a value.", value) for number in range(1, TOOLS)]
    server = {"io.modelcontextprotocol/serverInfo": {"name": "bench", "version": "1.0"}}
    result = {"tools": tools, "resultType": "complete", "ttlMs": 60_000, "cacheScope": "private", "_meta": server}
    return json.dumps(result, separators=(",", ":")).encode()


def _entry(name: str, description: str, arguments: dict[str, str]) -> dict[str, Any]:
    properties = {argument: {"type": "integer", "description": text} for argument, text in arguments.items()}
    schema = {"type": "object", "properties": properties, "required": list(arguments), "additionalProperties": False}
    return {"name": name, "description": description, "inputSchema": schema, "outputSchema": TypeAdapter(Sum).json_schema()}
