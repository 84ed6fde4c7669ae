"""What an application's users may be kept behind: `Authenticator`, and two things that an authenticator may offer besides."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from lazyauth.credential import Credential
from lazyauth.user import User, UserRecord


class Authenticator(Protocol):
    """Recognises users. `MemoryUsers`, `FileUsers` and `SQLUsers` are three; an application may bring its own."""

    async def authenticate(self, credential: Credential) -> User:
        """The user whose credential this is.

        Raises:
            InvalidCredentials: unknown, wrong or disabled. All of them must look alike and take the same time.
            Overloaded: nothing was checked, the caller may try again.
        """
        ...

    async def find_user(self, user_id: str) -> User | None:
        """The user as of now, asked whenever a login is renewed, and every few seconds while it is used.

        None: gone or disabled, and the login ends; so it does when it began before the user's `signed_out_at`. Raise any error when
        nothing is known at the moment: then nobody's login ends.
        """
        ...


@runtime_checkable
class AnnouncesUsers(Protocol):
    """An authenticator that says at once when a user's logins may have ended, rather than when it is next asked."""

    def on_changed(self, callback: Callable[[str], None]) -> None:
        """Call this with the id of each user who is disabled, removed or given another password, on the event loop, soon after."""
        ...


@runtime_checkable
class UserStore(Protocol):
    """An authenticator whose users can be looked after from outside: what `lazyapp user` needs."""

    async def add(self, user_id: str, password: str, data: Mapping[str, Any] | None = None) -> User:
        """Add a user.

        Raises:
            UserExists: somebody of this id is there.
            InvalidUser, MissingUser, WeakPassword: the message states the rule.
        """
        ...

    async def set_password(self, user_id: str, password: str) -> bool:
        """Give another password, which ends every login of this user. False when there is no such user."""
        ...

    async def set_data(self, user_id: str, data: Mapping[str, Any]) -> bool:
        """Replace the user's data; logins go on and see it when they are renewed. False when there is no such user."""
        ...

    async def disable(self, user_id: str) -> bool:
        """Let this user in no longer, and end every login of theirs. False when there is no such user."""
        ...

    async def enable(self, user_id: str) -> bool:
        """Let this user in again. False when there is no such user."""
        ...

    async def remove(self, user_id: str) -> bool:
        """Forget a user. False when there was no such user."""
        ...

    async def list(self) -> Sequence[UserRecord]:
        """All users, by id."""
        ...
