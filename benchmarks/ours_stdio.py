"""lazymcp alone as a contestant over stdio: a script that imports nothing else of ours. `python benchmarks/ours_stdio.py`."""

import asyncio
from dataclasses import dataclass

from lazymcp import Base, Scope, tool


@dataclass
class Sum:
    """What `add` answers."""

    total: int


class Bench(Base):
    """A module without a name, so that its tool is `add` as in the other contestants."""

    name = ""

    @tool
    async def add(self, a: int, b: int) -> Sum:
        """Add two numbers.

        Args:
            a: The first.
            b: The second.
        """
        return Sum(total=a + b)


def main() -> None:
    """Serve until the input ends."""
    scope = Scope()
    scope.register(Bench())
    asyncio.run(scope.serve_stdio())


if __name__ == "__main__":
    main()
