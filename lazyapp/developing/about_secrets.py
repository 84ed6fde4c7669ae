"""Which names stand for secrets: of columns, of settings, of keys in JSON. What bears one is shown as three dots.

A name is all that there is to judge by, so it is judged broadly: a column `key_hash` is hidden, and so is a harmless `keyword_code`
that nobody misses. Counts and times of secrets (`token_count`, `password_changed_at`) are no secrets.
"""

import re
from collections.abc import Mapping
from typing import Any

MASK = "•••"

_SECRET = re.compile(
    r"pass(word|wd|phrase|code)?s?$|pass(word|wd|phrase|code)|secret|token|credential|signature|cookie|session_?(id|data)$"
    r"|hash|digest|salt|api_?key|private_?key|signing_?key|encryption_?key|(^|_)key$|(^|_)(otp|pin)$|conninfo|umoptions|authorization",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"(_at|_on|_count|_s|_ms|_type|_version|_limit|_size|_length|_policy)$", re.IGNORECASE)
_IN_URL = re.compile(r"(://[^:/\s@]*:)[^@\s]+@")


def is_secret(name: str) -> bool:
    """Whether what bears this name is not to be shown."""
    return bool(_SECRET.search(name)) and not _HARMLESS.search(name)


def masked(value: Any) -> Any:
    """JSON in which nothing is left that stands under a secret's name, at any depth."""
    if isinstance(value, Mapping):
        return {str(key): MASK if is_secret(str(key)) and each is not None else masked(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [masked(each) for each in value]
    return value


def without_password(url: str) -> str:
    """An address without the password that it may carry."""
    return _IN_URL.sub(rf"\1{MASK}@", url)
