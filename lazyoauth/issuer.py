"""`Issuer`: one name under which the server answers, with everything its acts need. They take it as their first argument."""

from dataclasses import dataclass

from lazyauth import Authenticator, LoginThrottle, User
from lazyoauth.assertions import AssertionStore
from lazyoauth.client_keys import ClientKeys
from lazyoauth.clients import Clients
from lazyoauth.config import Config
from lazyoauth.connections import LivingConnections
from lazyoauth.lifetimes import Clock
from lazyoauth.limits import Throttle
from lazyoauth.refresh import Families
from lazyoauth.tokens import Tokens
from lazyoauth.transactions import Transactions
from lazyoauth.users import Users
from lazyoauth.users import unavailable as unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """An issuer and its resource. Keys, families and limits are shared by all issuers of a server; tokens are bound to one.

    Attributes:
        url: the issuer identifier, byte for byte.
        resource: the URL of the protected resource.
    """

    url: str
    resource: str
    config: Config
    authenticator: Authenticator
    users: Users
    tokens: Tokens
    transactions: Transactions
    clients: Clients
    client_keys: ClientKeys
    assertions: AssertionStore
    families: Families
    connections: LivingConnections
    throttle: Throttle
    login_throttle: LoginThrottle | None
    now: Clock

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach it through TLS."""
        return self.url.startswith("https:")

    async def find_user(self, user_id: str) -> User | None:
        """The user as of now; None when gone or disabled.

        Raises:
            TemporarilyUnavailable: the authenticator failed, so nothing is known and no login may end for it.
        """
        return await self.users.find(user_id)
