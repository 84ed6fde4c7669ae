"""The work that every contestant does: one tool, `add`, and 999 more that only have to be there."""

from collections.abc import Awaitable, Callable

from pydantic import BaseModel

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
