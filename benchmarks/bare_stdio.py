"""The limit over stdio: a bare script that reads a line, calls the function and writes a line."""

import sys

from pydantic_core import from_json, to_json


def add(a: int, b: int) -> int:
    """The work."""
    return a + b


def main() -> None:
    """Answer `tools/call` until the input ends."""
    for line in sys.stdin.buffer:
        message = from_json(line)
        found = {"total": add(**message["params"]["arguments"])}
        result = {"content": [{"type": "text", "text": to_json(found).decode()}], "structuredContent": found}
        result["resultType"] = "complete"
        sys.stdout.buffer.write(to_json({"jsonrpc": "2.0", "id": message["id"], "result": result}) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
