"""`BrowserSession`: the login that an application's pages already have, so that one login serves pages and consent."""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who is signed in to the pages.

    Attributes:
        user_id: who.
        auth_time: when they showed their credential, Unix seconds, with the fraction: a login of the second in which somebody was
            signed out everywhere began before that, or after.
    """

    user_id: str
    auth_time: float


class BrowserSession(Protocol):
    """The value of `Config.browser`. lazyapp supplies its session cookie; any application may bring its own.

    Both are given the request's ASGI scope. The cookie must be bound to this origin (`__Host-`), HttpOnly and SameSite=Lax or
    stricter, and its value must change at `begin`, or whoever planted it would be signed in with the person.
    """

    async def current(self, scope: MutableMapping[str, Any]) -> SignedIn | None:
        """Who is signed in to the pages in the browser that sent the request; whoever was disabled or signed out is not."""
        ...

    def begin(self, scope: MutableMapping[str, Any], user_id: str, auth_time: float) -> Sequence[tuple[bytes, bytes]]:
        """Sign a person in to the pages, who has signed in here; the headers that the answer must carry.

        `auth_time` is what `current` says of this login afterwards: when the credential was checked, not when this is called.
        """
        ...
