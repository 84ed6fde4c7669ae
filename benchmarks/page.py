"""The page that every contestant answers with: fifty rows in a layout. Where it comes from, how it is asked for and checked."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

VIEWS = Path(__file__).parent / "views"
PATH, TITLE, ROWS = "/accounts", "Accounts", 50
_SPACE = re.compile(rb"\s+")


@dataclass(frozen=True, slots=True)
class Account:
    """One row."""

    email: str
    active: bool


ACCOUNTS = [Account(f"person.{number}+<b>@example.com", number % 3 > 0) for number in range(ROWS)]


async def search() -> list[Account]:
    """The work behind the page."""
    return ACCOUNTS


def get(port: int) -> bytes:
    """The request of a browser that has been here before, less what it says about itself."""
    lines = {
        "Host": f"127.0.0.1:{port}",
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Encoding": "identity",
        "Sec-Fetch-Site": "none",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"GET {PATH} HTTP/1.1\r\n{head}\r\n".encode()


def checked_against(expected: bytes) -> Callable[[bytes], None]:
    """Raises unless an answer is this page, apart from the white space between its elements."""
    wanted = _packed(expected)

    def check(answer: bytes) -> None:
        head, _, body = answer.partition(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0] or b"text/html" not in head.lower() or _packed(body) != wanted:
            raise AssertionError(answer.decode())

    return check


def _packed(page: bytes) -> bytes:
    return _SPACE.sub(b"", page)
