"""The starts that production refuses, each with one sentence that says the fix. Rules only: nothing is opened or read here."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from lazyapp.settings import LOOPBACK, Settings


@dataclass(frozen=True, slots=True)
class Facts:
    """What a start has come to know about itself, as far as safety depends on it.

    Args:
        has_mcp: at least one MCP module is registered.
        has_oauth: `/mcp` asks for a token.
        has_authorizer: the application brings its own MCP authorizer.
        users_in_memory: the number of users that live in this process only; None when they are kept elsewhere.
        states_are_shared: refresh-token families are seen by every process; None without OAuth.
        states_are_durable: they outlive the process; None without OAuth.
        assertions_are_shared: a client assertion that was used in one process is known in every other; None without OAuth.
        has_test_documents: documents of clients are not asked from the hosts that publish them.
    """

    has_mcp: bool = False
    has_oauth: bool = False
    has_authorizer: bool = False
    users_in_memory: int | None = None
    states_are_shared: bool | None = None
    states_are_durable: bool | None = None
    assertions_are_shared: bool | None = None
    has_test_documents: bool = False


def refusals(settings: Settings, facts: Facts) -> list[str]:
    """Why this start is not safe in production, most basic first; empty when it is."""
    found: list[str] = []
    public = urlsplit(settings.public_url)
    if public.scheme == "http" and public.hostname not in LOOPBACK:
        found.append(f"PUBLIC_URL is {settings.public_url}; cookies and tokens must not travel over http, so serve it by https.")
    if settings.machines > 1 and settings.is_on_sqlite:
        found.append(
            f"LAZYAPP_MACHINES is {settings.machines}, and SQLite is a file on one of them; "
            "set DATABASE_URL to a PostgreSQL database."
        )
    if facts.has_oauth:
        if not settings.given_public_url:
            found.append("PUBLIC_URL is not set; OAuth needs the address that clients see, an origin such as https://example.com.")
        if facts.has_test_documents:
            found.append("LAZYOAUTH_TEST_DOCUMENTS lets others stand in for the hosts of clients; it is for tests, so unset it.")
        if facts.users_in_memory == 0:
            found.append("Nobody can log in: set LAZYAUTH_DEFAULT_PASS for a first user, or give Config(auth=…) a backend.")
        if facts.states_are_durable is False:
            found.append(
                "Refresh tokens would be forgotten at every restart; declare services.add(lazyoauth.RefreshTokenStateStore, "
                "lazyoauth.SQLRefreshTokenStates) in init/dependencies.py."
            )
        found.extend(_several_processes(settings, facts))
    if facts.has_mcp and not facts.has_oauth and not facts.has_authorizer and not settings.is_loopback:
        found.append(
            "/mcp would answer anybody on the network: set Config(oauth=…), or decide yourself with "
            "Config(mcp_options=lazymcp.Options(authorizer=…))."
        )
    return found


def _several_processes(settings: Settings, facts: Facts) -> list[str]:
    processes = settings.workers * settings.machines
    if processes == 1:
        return []
    found: list[str] = []
    if facts.users_in_memory is not None:
        found.append(
            f"Users live in the memory of one process and {processes} are to run; "
            "give Config(auth=…) a backend that they share, or use --workers 1."
        )
    if facts.states_are_shared is False:
        found.append(
            f"{processes} processes would not see each other's refresh tokens; "
            "set DATABASE_URL to a PostgreSQL database, or use --workers 1."
        )
    elif facts.assertions_are_shared is False:
        # RFC 7523, section 3, item 7: whoever saw an assertion on its way could use it once more in each process.
        found.append(
            f"A client assertion that was used could be used again in each of {processes} processes; give "
            "lazyoauth.Config(assertions=…) a lazyoauth.SQLAssertions, or use --workers 1."
        )
    return found
