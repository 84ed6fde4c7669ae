"""`Authenticator`: the door behind which an application keeps its users."""

from typing import Protocol

from lazyauth.credential import Credential
from lazyauth.user import User


class Authenticator(Protocol):
    """Recognises users. `MemoryUsers` is one; an application may bring its own."""

    async def authenticate(self, credential: Credential) -> User:
        """The user whose credential this is.

        Raises:
            InvalidCredentials: unknown, wrong or disabled. All of them must look alike and take the same time.
            Overloaded: nothing was checked, the caller may try again.
        """
        ...

    async def find_user(self, user_id: str) -> User | None:
        """The user as of now, asked whenever a login is renewed. None: gone or disabled, and the login ends."""
        ...
