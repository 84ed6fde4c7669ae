"""Spans of OpenTelemetry: FastAPI's for each request, ours for each function of an MCP module and each view.

Where nobody has set up a tracer provider by the time the application starts, nothing here stands in any path. It is the only file
that calls FastAPI's instrumentation, which is no public part of it: the paths that are answered before its stack, such as `/mcp`,
would have no span otherwise. No span carries a query string, an argument or the message of an error: they may be secrets.
"""

from collections.abc import AsyncIterator, Container, Iterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from typing import Any, Final

from fastapi import FastAPI
from fastapi.telemetry._api import _route_selected
from opentelemetry import propagate, trace
from opentelemetry.trace import Link, NoOpTracerProvider, ProxyTracerProvider, Span, SpanKind, StatusCode, Tracer

from lazyapp.health import ASGIApp
from lazyapp.version import __version__
from lazymcp import Surroundings
from lazymcp.asking import InputRequired
from lazymcp.surroundings import Call

__all__ = ["Spans", "spans"]

Scope = MutableMapping[str, Any]

# OpenTelemetry, semantic conventions for MCP: what a span calls the thing that is asked for.
_NAMED: Final = {
    "tools/call": "gen_ai.tool.name",
    "prompts/get": "gen_ai.prompt.name",
    "resources/read": "mcp.resource.uri",
}


def spans() -> "Spans | None":
    """What makes spans; None where no tracer provider is set up."""
    provider = trace.get_tracer_provider()
    if isinstance(provider, ProxyTracerProvider | NoOpTracerProvider):
        return None
    return Spans(provider.get_tracer("lazyapp", __version__))


class Spans:
    """Makes the spans of one run of an application."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def requests(self, app: FastAPI, serve: ASGIApp, exact: Container[str]) -> ASGIApp:
        """What serves, each request in a span of FastAPI's.

        Args:
            app: whose telemetry settings count.
            serve: everything that the application answers.
            exact: the paths that are routes of their own.
        """

        async def traced(scope: Scope, receive: Any, send: Any) -> None:
            async def within(seen: Scope, receive: Any, send: Any) -> None:
                scope["fastapi.telemetry"] = seen.get("fastapi.telemetry")
                if scope["path"] in exact:
                    _route_selected(scope=scope, path=scope["path"])
                await serve(scope, receive, send)

            # RFC 9700, section 4.3.2: codes travel in query strings, and spans leave the machine.
            seen = {**scope, "query_string": b""}
            await app._native_telemetry(app=within, scope=seen, receive=receive, send=send)

        return traced

    def around(self, inner: Surroundings | None, method: str, name: str) -> Surroundings:
        """A span around each call of a function, within which its own surroundings stand."""
        fills = inner.fills if inner else frozenset()
        attributes = {"mcp.method.name": method}
        if method in _NAMED:
            attributes[_NAMED[method]] = name

        @asynccontextmanager
        async def opened(call: Call) -> AsyncIterator[Mapping[str, Any]]:
            parent, links = _origin(call)
            with self._span(f"{method} {name}", attributes, context=parent, links=links):
                async with inner.opened(call) if inner else nullcontext({}) as values:
                    yield values

        return Surroundings(opened, fills)

    def view(self, name: str) -> Any:
        """A span around the rendering of a view."""
        return self._span(f"render {name}", {"lazyapp.view": name})

    @contextmanager
    def _span(self, name: str, attributes: Mapping[str, str], **more: Any) -> Iterator[Span]:
        quiet: dict[str, Any] = {"record_exception": False, "set_status_on_exception": False}
        with self._tracer.start_as_current_span(name, kind=SpanKind.INTERNAL, attributes=attributes, **quiet, **more) as span:
            try:
                yield span
            except InputRequired:
                raise  # a question to the client is no failure
            except BaseException as problem:
                span.set_attribute("error.type", type(problem).__qualname__)
                span.set_status(StatusCode.ERROR)
                raise


def _origin(call: Call) -> tuple[Any, list[Link]]:
    """The trace that a call belongs to: what the message itself says, the HTTP request then being linked; else that request's.

    MCP 2026-07-28, basic/index, trace context in `_meta`: a gateway may carry the messages of many in one connection.
    """
    if "traceparent" not in (carried := call.trace_context):
        return None, []
    here = trace.get_current_span().get_span_context()
    return propagate.extract(carried), [Link(here)] if here.is_valid else []
