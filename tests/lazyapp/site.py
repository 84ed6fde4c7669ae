"""A small site put together as `App` does it, without `App`: the web half alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from lazyapp.pages import Pages
from lazyapp.public import PublicFiles
from lazyapp.request_ids import RequestIds, answering
from lazyapp.routes import Routes
from lazyapp.security import Security
from lazyapp.services import Services
from lazyapp.sessions import Sessions
from lazyapp.settings import Settings
from lazyapp.web import web
from lazyview import Views

SECRET = "0123456789abcdef" * 4
LAYOUT = "<!doctype html><title>{{ title is defined and title or 'site' }}</title>{{ content }}"


@dataclass
class Site:
    """What a test decides about its site."""

    folder: Path
    draw: Callable[[Routes], None]
    files: Mapping[str, str] = field(default_factory=dict)
    services: Services = field(default_factory=Services)
    env: str = "test"
    now: Callable[[], float] = lambda: 1_800_000_000.0
    options: Mapping[str, Any] = field(default_factory=dict)
    fastapi_options: Mapping[str, Any] = field(default_factory=dict)
    security_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, text in {"views/layouts/app.html.j2": LAYOUT, "public/.keep": "", **self.files}.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.routes = Routes()
        self.draw(self.routes)
        self.settings = Settings(env=self.env, root=self.folder, given_public_url="http://testserver")
        self.fastapi = FastAPI(redirect_slashes=False, **self.fastapi_options)
        self.pages = Pages(
            routes=self.routes,
            services=self.services,
            views=Views([self.folder / "views"]),
            settings_of=lambda: self.settings,
            **self.options,
        )
        self.pages.install(self.fastapi)
        self.prepare()
        production = self.env == "production"
        rules = {"origin": self.settings.public_url, "docs": ("/docs", "/redoc"), **self.security_options}
        security = Security(self.settings.hosts, **rules)
        self.app = web(
            self.fastapi,
            pages=self.pages,
            sessions=Sessions(SECRET, now=lambda: self.now()),
            security=security,
            public=PublicFiles(self.folder / "public", hashed=production, headers=security.headers("", "")),
        )

    def prepare(self) -> None:
        """What an application adds to its FastAPI before it starts."""

    async def _named(self, scope: Any, receive: Any, send: Any) -> None:
        """As `App` does, behind a proxy that it trusts."""
        named = answering.set((scope, RequestIds("*")))
        try:
            await self.app(scope, receive, send)
        finally:
            answering.reset(named)

    def client(self, **options: Any) -> TestClient:
        """A browser on this site: it says where its requests come from, keeps cookies and asks for HTML."""
        headers = {"accept": "text/html", "sec-fetch-site": "same-origin"} | options.pop("headers", {})
        return TestClient(self._named, headers=headers, follow_redirects=False, **options)
