"""The other contestants that answer with the page: `python -m benchmarks.page_server limit|fastapi|flask|django PORT`.

All stand on the same uvicorn with uvloop and httptools, so that what differs is the framework. Flask is called as a WSGI
application on the event loop itself, without the thread that a server would give it, which flatters it; Django runs by its own
ASGI handler, with the middleware that a new project has for safety. Their pages inherit from their layout, as is their way; Django
renders them with its own templates. What the server of a team costs them comes on top.
"""

import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import uvicorn

from benchmarks.page import ACCOUNTS, PATH, TITLE, VIEWS, search
from lazyapp.security import Security

App = Callable[[Any, Any, Any], Awaitable[None]]
HEADERS = [(b"content-type", b"text/html; charset=utf-8"), *Security(["localhost"]).headers("", "")]


def limit(port: int) -> App:
    """A bare function that makes the same checks and renders the same two templates with Jinja."""
    import jinja2
    from markupsafe import Markup

    loader = jinja2.FileSystemLoader(VIEWS)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )
    view, layout = environment.get_template("accounts/index.html.j2"), environment.get_template("layouts/app.html.j2")
    hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        assert scope["method"] == "GET"
        assert scope["path"] == PATH
        assert headers[b"host"] in hosts
        assert headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin")
        assert b"text/html" in headers[b"accept"]
        variables = {"title": TITLE, "accounts": await search()}
        body = layout.render(**variables, content=Markup(view.render(**variables))).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS, (b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})

    return app


def fastapi(port: int) -> App:
    """FastAPI with its `Jinja2Templates`."""
    from fastapi import FastAPI, Request, Response
    from fastapi.templating import Jinja2Templates

    templates, app = Jinja2Templates(VIEWS), FastAPI()

    @app.get(PATH)
    async def accounts(request: Request) -> Response:
        return templates.TemplateResponse(request, "accounts.html", {"title": TITLE, "accounts": await search()})

    return app


def flask(port: int) -> App:
    """Flask."""
    from flask import Flask, render_template

    app = Flask("bench", template_folder=str(VIEWS))

    @app.get(PATH)
    def accounts() -> str:
        return render_template("accounts.html", title=TITLE, accounts=ACCOUNTS)

    return on_the_loop(app)


def django(port: int) -> App:
    """Django with its own templates, and of the middleware of a new project what needs no database."""
    from django.conf import settings
    from django.core.asgi import get_asgi_application
    from django.shortcuts import render
    from django.urls import path

    async def accounts(request: Any) -> Any:
        return render(request, "accounts.html", {"title": TITLE, "accounts": await search()})

    middleware = ("security.SecurityMiddleware", "common.CommonMiddleware", "csrf.CsrfViewMiddleware")
    settings.configure(
        SECRET_KEY="b" * 50,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=type("urls", (), {"urlpatterns": [path(PATH[1:], accounts)]}),
        MIDDLEWARE=[f"django.middleware.{name}" for name in (*middleware, "clickjacking.XFrameOptionsMiddleware")],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [VIEWS]}],
    )
    app: App = get_asgi_application()
    return app


def on_the_loop(wsgi: Callable[[Any, Any], Iterable[bytes]]) -> App:
    """A WSGI application that is called where it stands."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        environ = {
            "REQUEST_METHOD": scope["method"],
            "SCRIPT_NAME": "",
            "PATH_INFO": scope["path"],
            "QUERY_STRING": scope["query_string"].decode(),
            "SERVER_NAME": scope["server"][0],
            "SERVER_PORT": str(scope["server"][1]),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.url_scheme": scope["scheme"],
            "wsgi.errors": sys.stderr,
        }
        environ |= {f"HTTP_{name.decode().upper().replace('-', '_')}": value.decode() for name, value in scope["headers"]}
        start: dict[str, Any] = {"type": "http.response.start"}

        def begin(status: str, headers: list[tuple[str, str]], error: object = None) -> None:
            start.update(status=int(status[:3]), headers=[(name.lower().encode(), value.encode()) for name, value in headers])

        body = b"".join(wsgi(environ, begin))
        await send(start)
        await send({"type": "http.response.body", "body": body})

    return app


if __name__ == "__main__":
    kind, port = sys.argv[-2], int(sys.argv[-1])
    served = {"limit": limit, "fastapi": fastapi, "flask": flask, "django": django}[kind](port)
    uvicorn.run(served, port=port, lifespan="off", log_level="error", access_log=False, loop="uvloop", http="httptools")
