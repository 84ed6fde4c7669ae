import pytest

from lazyauth import Authenticator, Config, Credential, InvalidCredentials, User

USERS = {"mint": User("ada", {"kind": "badge"})}


class Badges:
    """An application's own: it knows people by what their badge says, not by a password."""

    async def authenticate(self, credential: Credential) -> User:
        if credential.kind != "badge" or credential.secret not in USERS:
            raise InvalidCredentials
        return USERS[credential.secret]

    async def find_user(self, user_id: str) -> User | None:
        return next((user for user in USERS.values() if user.id == user_id), None)


async def test_an_application_brings_its_own_way_to_know_people():
    """The promise "Register modules": add lazyapp.Config.Auth when clients should authenticate through app-specific accounts."""
    badges: Authenticator = Badges()
    config = Config(authenticator=badges)
    user = await config.authenticator.authenticate(Credential("", "mint", kind="badge"))
    assert await config.authenticator.find_user(user.id) == user
    assert await config.authenticator.find_user("eve") is None
    with pytest.raises(InvalidCredentials):
        await config.authenticator.authenticate(Credential("ada", "mint"))
