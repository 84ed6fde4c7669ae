"""What a store of users takes: rules that hold before anything is kept, wherever it is kept."""

import json
from collections.abc import Mapping
from typing import Any

from lazyauth.errors import InvalidUser, MissingUser

MAX_ID_BYTES = 255  # an e-mail address has 254 at most (RFC 5321, section 4.5.3.1.3)


def is_storable(user_id: str) -> bool:
    """Whether somebody could be kept under this id: whoever types another is nobody, and no database is asked."""
    if "\0" in user_id or not user_id.strip() or len(user_id) > MAX_ID_BYTES:
        return False
    try:
        return len(user_id.encode()) <= MAX_ID_BYTES
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def check(user_id: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The data as they will be read again: what is no JSON is refused before it is written.

    Raises:
        MissingUser: the id is blank.
        InvalidUser: the id or the data cannot be kept.
    """
    if not user_id.strip():
        raise MissingUser
    if not is_storable(user_id) or user_id != user_id.strip() or any(ord(letter) < 32 for letter in user_id):
        raise InvalidUser(f"a user's id has at most {MAX_ID_BYTES} bytes, no control characters, and no spaces around it")
    try:
        read: dict[str, Any] = json.loads(json.dumps(dict(data), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidUser(f"a user's data must be JSON: {error}") from None
    return read
