"""`Server`: the whole authorization server, as routes to mount at the root of an origin and a guard to put before the resource."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lazyauth import Authenticator
from lazyoauth import http, metadata
from lazyoauth.answers import Answers
from lazyoauth.assertions import MemoryAssertions
from lazyoauth.bearer import BearerGuard
from lazyoauth.client_documents import ClientDocuments
from lazyoauth.client_keys import ClientKeys
from lazyoauth.clients import Clients
from lazyoauth.config import Config, check
from lazyoauth.connected import Connected
from lazyoauth.connections import Connection, LivingConnections, MemoryConnections
from lazyoauth.errors import ConfigError
from lazyoauth.fetch import Fetcher
from lazyoauth.http import ASGIApp
from lazyoauth.issuer import Issuer
from lazyoauth.keys import Keys, derive
from lazyoauth.limits import Throttle, login_throttle
from lazyoauth.network import Network
from lazyoauth.pages import Pages
from lazyoauth.refresh import PURGED_AFTER_S, Families, Tolerance
from lazyoauth.registered import Registry
from lazyoauth.standalone import STYLESHEET, standalone, stylesheet
from lazyoauth.store import AnnouncesRevocations
from lazyoauth.tokens import Tokens
from lazyoauth.trace import Watched
from lazyoauth.transactions import Transactions
from lazyoauth.users import Users


class Server:
    """An OAuth 2.1 authorization server and the bearer guard of its resource.

    Attributes:
        config: as given.
        routes: ASGI applications by exact path, for the root of the origin.
        resource_routes: the documents of the resource (RFC 9728); mount them only where the resource is.

    Raises:
        ConfigError: a setting cannot work.
    """

    def __init__(self, config: Config) -> None:
        check(config)
        self.config = config
        self._issuers = _issuers(config)
        if isinstance(config.refresh_token_states, AnnouncesRevocations):
            config.refresh_token_states.on_revoked(self._issuers[0].families.mark_ended)
        for issuer in self._issuers:
            metadata.validate(_document(issuer))
        self._choose = http.by_host(self._issuers)
        self.routes: Mapping[str, ASGIApp] = self._watched(self._machine_routes() | self._page_routes())
        self.resource_routes: Mapping[str, ASGIApp] = self._watched(self._resource_routes())

    def guard(self, app: ASGIApp) -> ASGIApp:
        """Let only requests with a good bearer token through to the application; inside, its user is `lazyauth.current_user()`."""
        guard = BearerGuard(app, self._choose)
        observer = self.config.observer
        return guard if observer is None else Watched(guard, "resource", observer, self.config.now)

    async def revoke(self, family_id: str) -> bool:
        """End a login at once. False when it had ended before."""
        ended = await self._issuers[0].families.end(family_id)
        await self._issuers[0].connections.forget(family_id)
        return ended

    async def connections_of(self, user_id: str) -> Sequence[Connection]:
        """The logins of a user that go on, the last used first.

        Raises:
            TemporarilyUnavailable: the store is away.
        """
        return await self._issuers[0].connections.of_user(user_id)

    async def purge(self) -> int:
        """Remove from the store what nobody can use any more: logins that expired more than a day ago.

        Call it every ten minutes or so, from any number of processes at once; without it the table only grows. A revoked login
        stays until then too, and no login is removed before its end.

        Returns:
            How many logins were removed.

        Raises:
            TemporarilyUnavailable: the store is away; try again at the next turn.
        """
        removed = await self._issuers[0].families.purge()
        await self._issuers[0].connections.purge(self.config.now() - self.config.lifetimes.refresh_absolute_s - PURGED_AFTER_S)
        return removed

    def _watched(self, routes: Mapping[str, ASGIApp]) -> Mapping[str, ASGIApp]:
        observer = self.config.observer
        if observer is None:
            return routes
        names = {path: name for path in routes if (name := metadata.name_of(path))}
        watched = {path: Watched(routes[path], name, observer, self.config.now) for path, name in names.items()}
        return {**routes, **watched}

    def _machine_routes(self) -> dict[str, ASGIApp]:
        jwks = self._issuers[0].tokens.keys.jwks()
        document = http.document(_document)
        documents = dict.fromkeys(metadata.server_paths(self.config.resource_path), http.endpoint(document, self._choose, ["GET"]))
        introspect = {metadata.INTROSPECT: http.endpoint(http.introspect, self._choose, ["POST"])}
        return {
            **documents,
            **(introspect if any(client.is_confidential for client in self.config.clients) else {}),
            metadata.JWKS: http.endpoint(http.document(lambda _: jwks), self._choose, ["GET"]),
            metadata.TOKEN: http.endpoint(http.token, self._choose, ["POST"]),
            metadata.REVOKE: http.endpoint(http.revoke, self._choose, ["POST"]),
            metadata.REGISTER: http.endpoint(http.register, self._choose, ["POST"]),
        }

    def _page_routes(self) -> dict[str, ASGIApp]:
        own: dict[str, ASGIApp] = {}
        render = self.config.render
        if render is None:
            render = standalone()
            own[metadata.STYLE] = http.endpoint(stylesheet(STYLESHEET.read_text()), self._choose, ["GET"], cors=False)
        answers = Answers(render)
        pages, connected = Pages(answers), Connected(answers)

        def page(handler: http.Handler, methods: list[str]) -> ASGIApp:
            return http.endpoint(handler, self._choose, methods, cors=False, on_error=pages.error)

        return own | {
            metadata.AUTHORIZE: page(pages.authorize, ["GET", "POST"]),
            metadata.LOGIN: page(pages.login, ["POST"]),
            metadata.CONSENT: page(pages.consent, ["GET", "POST"]),
            metadata.CONNECTIONS: page(connected.show, ["GET", "POST"]),
        }

    def _resource_routes(self) -> dict[str, ASGIApp]:
        document = http.document(
            lambda issuer: metadata.resource_document(issuer.url, issuer.resource, issuer.config.scopes, issuer.config.name)
        )
        return dict.fromkeys(metadata.resource_paths(self.config.resource_path), http.endpoint(document, self._choose, ["GET"]))


def _document(issuer: Issuer) -> dict[str, Any]:
    config = issuer.config
    return metadata.server_document(issuer.url, config.scopes, config.clients, client_documents=config.client_documents)


def _issuers(config: Config) -> list[Issuer]:
    """The configured issuer and its local alternatives: one set of keys, families and counters, bound to different names."""
    if config.secret is None or config.authenticator is None:
        raise ConfigError("lazyoauth.Config needs secret and authenticator")
    keys = derive(config.secret, config.secret_fallbacks, config.signing_key_version)
    first = _issuer(config, config.issuer, keys, config.authenticator)
    others = [_issuer(config, url, keys, config.authenticator) for url in config.local_issuers if url != config.issuer]
    names = ("clients", "client_keys", "assertions", "families", "connections", "throttle", "login_throttle", "users")
    shared = {name: getattr(first, name) for name in names}
    return [first, *(replace(other, **shared) for other in others)]


def _issuer(config: Config, url: str, keys: Keys, authenticator: Authenticator) -> Issuer:
    resource = f"{url}{config.resource_path}"
    throttle = Throttle(config.limits)
    fetcher = Fetcher(config.now, Network(instead=config.test_documents), partial(throttle.hit, "documents"))
    documents = ClientDocuments(fetcher, config.now) if config.client_documents else None
    families = Families(config.refresh_token_states, config.now, _tolerance(config))
    connections = MemoryConnections() if config.connections is None else config.connections
    transactions = Transactions(
        keys=keys.transaction,
        issuer=url,
        lifetime_s=config.lifetimes.transaction_s,
        secure=url.startswith("https:"),
        now=config.now,
    )
    return Issuer(
        url=url,
        resource=resource,
        config=config,
        authenticator=authenticator,
        users=Users(authenticator, config.now),
        tokens=Tokens(keys, url, resource, config.lifetimes, config.now),
        transactions=transactions,
        clients=Clients(keys.client_id, Registry(config.clients), documents),
        client_keys=ClientKeys(fetcher, config.now),
        assertions=MemoryAssertions(config.now) if config.assertions is None else config.assertions,
        families=families,
        connections=LivingConnections(connections, families, config.now),
        throttle=throttle,
        login_throttle=login_throttle(config.limits, config.login_throttle, config.now),
        now=config.now,
    )


def _tolerance(config: Config) -> Tolerance:
    return Tolerance(config.refresh_retry_window_s, config.refresh_burst_merge_s, config.heal_after_restore)
