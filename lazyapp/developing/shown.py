"""How values are written on the pages of `/_lazy`: times, sizes, JSON, and texts that a stranger may have sent. Rules only.

Templates escape markup by themselves. What is left is what no markup is and still changes what is read: control characters, and
those that turn the direction of the text around (Unicode Standard Annex 9; https://trojansource.codes).
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

_TURNING: Final = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_CONTROLS: Final = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
_PLAIN: Final = {**_CONTROLS, **{code: f"\\u{code:04x}" for code in (*_TURNING, 0x2028, 0x2029)}}


def plain(text: object) -> str:
    """A text, its control characters shown and not obeyed."""
    return str(text).translate(_PLAIN)


def clock(moment: float) -> str:
    """A time of this day, in this machine's zone: `14:03:59`."""
    return time.strftime("%H:%M:%S", time.localtime(moment))


def moment(when: float) -> str:
    """The same with its date, as a machine reads it: `2026-12-01T14:03:59+0100`."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(when))


def duration(ms: float) -> str:
    """A length of time that can be compared at a glance: `0.4 ms`, `35 ms`, `1.20 s`."""
    if ms >= 1000:
        return f"{ms / 1000:.2f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def counted(count: int, word: str) -> str:
    """`1 tool`, `2 tools`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def pretty(value: object) -> str:
    """JSON for people."""
    return plain(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def segment(text: str) -> str:
    """A text as one segment of a path. RFC 3986, section 3.3."""
    return quote(text, safe="", errors="replace")


HELPERS: Final[Mapping[str, Callable[..., str]]] = {
    "plain": plain,
    "clock": clock,
    "moment": moment,
    "duration": duration,
    "counted": counted,
    "pretty": pretty,
    "segment": segment,
}
