"""The JSON that a request brings, as values that can be written again.

Python reads more than JSON: halves of surrogate pairs, NaN, numbers past every float, UTF-16. No answer, database or file can be
given those, so whoever sends them would get a 500 out of every action that keeps what it was told.
"""

import json
import math
from typing import Any, NoReturn

from fastapi import Request

_ESCAPED_SURROGATE = "\\ud"


class JSONRequest(Request):
    """A request whose JSON is UTF-8 (RFC 8259, section 8.1), Unicode (8.2) and has no number but a finite one (6)."""

    @classmethod
    def of(cls, request: Request) -> "JSONRequest":
        """The same request; what either has read, both have, for a body comes once and a failed form is looked at again."""
        found = cls(request.scope)
        found.__dict__ = request.__dict__
        return found

    async def json(self) -> Any:
        """What the body says.

        Raises:
            json.JSONDecodeError: it is no such JSON.
        """
        if not hasattr(self, "_json"):
            self._json = _read(await self.body())
        return self._json


def _read(body: bytes) -> Any:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise json.JSONDecodeError("not UTF-8", body.decode(errors="replace"), error.start) from None
    found = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    if (place := text.lower().find(_ESCAPED_SURROGATE)) >= 0 and not _is_unicode(found):
        raise json.JSONDecodeError("half of a surrogate pair", text, place)
    return found


def _no_number(name: str) -> NoReturn:
    raise json.JSONDecodeError("no number of JSON", name, 0)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        _no_number(digits)
    return number


def _is_unicode(found: Any) -> bool:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
