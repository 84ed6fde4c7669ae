"""The JSON that a request brings, as text that can be written again."""

import json
from typing import Any

from fastapi import Request

_ESCAPED_SURROGATE = b"\\ud"


class JSONRequest(Request):
    """A request whose JSON holds no half of a surrogate pair.

    RFC 8259, section 8.2: `"\\ud800"` is valid JSON and no text. Python reads it into a `str` that no answer, database or file can
    be given, so whoever sends it would get a 500 out of every action that keeps what it was told.
    """

    @classmethod
    def of(cls, request: Request) -> "JSONRequest":
        """The same request; what either has read, both have, for a body comes once and a failed form is looked at again."""
        found = cls(request.scope)
        found.__dict__ = request.__dict__
        return found

    async def json(self) -> Any:
        """What the body says.

        Raises:
            json.JSONDecodeError: it is no JSON, or not Unicode.
        """
        found = await super().json()
        body = await self.body()
        if _ESCAPED_SURROGATE in body.lower() and not _is_unicode(found):
            text = body.decode(errors="replace")
            raise json.JSONDecodeError("half of a surrogate pair", text, text.lower().index("\\ud"))
        return found


def _is_unicode(found: Any) -> bool:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
