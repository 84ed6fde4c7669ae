"""The services, by type. Whoever needs one names its type in a constructor or in an action."""

import lazyapp
import lazyoauth
from app.services.accounts import Accounts, open_accounts


def dependencies(services: lazyapp.Services) -> None:
    """Declare the services: opened in this order when the application starts, closed in reverse."""
    services.add(Accounts, open_accounts, ping=Accounts.ping)
    services.add(lazyoauth.RefreshTokenStateStore, lazyoauth.SQLRefreshTokenStates)
