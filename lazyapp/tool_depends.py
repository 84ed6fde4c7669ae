"""What FastAPI and the application's services put into the functions of MCP modules: `Depends`, services by type, the request.

The only file that calls FastAPI's solver of dependencies, which is no public part of it; tests/lazyapp/test_tool_depends.py says
what it is relied on for. A call of a function opens what it depends on, and closes it, in reverse, before the call is answered.
"""

import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any, Final, get_args, get_origin

from fastapi import Depends, HTTPException, Request
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_dependant, solve_dependencies
from fastapi.exceptions import FastAPIError
from fastapi.params import Depends as Dependency
from starlette.requests import HTTPConnection

from lazyapp.request_ids import answering
from lazyapp.service_depends import Providers
from lazyapp.services import Services
from lazymcp import RegistrationError, Surroundings, ToolError
from lazymcp.surroundings import Call

__all__ = ["Dependencies"]

Overrides = Callable[[], Mapping[Callable[..., Any], Callable[..., Any]]]

# MCP 2026-07-28, basic/authorization, "Access token privilege restriction": what proves who is asking goes no further.
_CREDENTIALS: Final = frozenset({b"authorization", b"cookie", b"proxy-authorization"})
_STANDS_FOR: Final = "__lazyapp_stands_for__"


class Dependencies:
    """What the functions of an application's modules depend on.

    Args:
        services: whose types parameters may name, in functions and in what they depend on.
        overrides: what the application's `dependency_overrides` are now.
    """

    def __init__(self, services: Services, overrides: Overrides) -> None:
        self._services = services
        self._overrides = overrides
        # Both scopes end with the call; this one lets a dependency use them in its own clean-up.
        self._providers = Providers(services, "request")

    def surround(self, fn: Callable[..., Any]) -> Surroundings | None:
        """What a function depends on; None for one that depends on nothing.

        Raises:
            RegistrationError: a dependency asks for what no call has, such as a form.
        """
        try:
            asked = {name: parameter for name, parameter in _parameters(fn) if self._is_filled(parameter)}
        except (NameError, TypeError, ValueError):
            return None  # lazymcp reads the signature next, and says what is wrong with it and where
        if not asked:
            return None
        tree = self._tree(list(asked.values()), {})
        _check(tree)
        return Surroundings(lambda call: self._opened(asked, tree, call), frozenset(asked))

    @asynccontextmanager
    async def _opened(
        self, asked: Mapping[str, inspect.Parameter], tree: Dependant, call: Call
    ) -> AsyncIterator[Mapping[str, Any]]:
        if overrides := self._overrides():
            tree = self._tree(list(asked.values()), overrides)
        own: BaseException | None = None
        try:
            # One stack for FastAPI's two scopes: no answer is sent in between, and what was opened last is closed first.
            async with AsyncExitStack() as stack:
                request = _request(tree, call)
                request.scope.update(fastapi_inner_astack=stack, fastapi_function_astack=stack)
                values = await _solved(tree, request, stack)
                try:
                    yield values
                except BaseException as problem:
                    own = problem
                    raise
        except HTTPException as problem:
            if problem is own or problem.status_code >= 500:
                raise
            raise ToolError(_sentence(problem)) from problem

    def _tree(self, asked: list[inspect.Parameter], overrides: Mapping[Callable[..., Any], Callable[..., Any]]) -> Dependant:
        """What FastAPI makes of these parameters. It reads stand-ins, in which services are dependencies."""

        def function() -> None: ...

        try:
            tree = get_dependant(path="", call=self._stand_in(function, asked, overrides))
        except (FastAPIError, AssertionError, NameError, TypeError, ValueError) as problem:
            raise RegistrationError(f"a dependency cannot be read: {problem}") from problem
        _give_back(tree)
        return tree

    def _stand_in(
        self,
        fn: Callable[..., Any],
        parameters: list[inspect.Parameter],
        overrides: Mapping[Callable[..., Any], Callable[..., Any]],
    ) -> Callable[..., Any]:
        def stand_in() -> None: ...

        seen = [self._translated(parameter, overrides) for parameter in parameters]
        stand_in.__dict__[_STANDS_FOR] = fn
        stand_in.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # read by inspect.signature
            [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in seen]
        )
        return stand_in

    def _translated(
        self, parameter: inspect.Parameter, overrides: Mapping[Callable[..., Any], Callable[..., Any]]
    ) -> inspect.Parameter:
        kind = parameter.annotation
        if self._services.knows(kind):
            return parameter.replace(annotation=Annotated[kind, Depends(self._providers.of(kind))], default=inspect.Parameter.empty)
        depends = _dependency(parameter)
        if depends is None:
            return parameter
        wanted = depends.dependency or (get_args(kind)[0] if get_origin(kind) is Annotated else kind)
        wanted = overrides.get(wanted, wanted)
        if self._services.knows(wanted):
            call = self._providers.of(wanted)
        else:
            call = self._stand_in(wanted, [each for _, each in _parameters(wanted)], overrides)
        return parameter.replace(annotation=Annotated[Any, replace(depends, dependency=call)], default=inspect.Parameter.empty)

    def _is_filled(self, parameter: inspect.Parameter) -> bool:
        kind = parameter.annotation
        is_request = isinstance(kind, type) and issubclass(kind, HTTPConnection)
        return is_request or self._services.knows(kind) or _dependency(parameter) is not None


def _parameters(fn: Callable[..., Any]) -> Iterator[tuple[str, inspect.Parameter]]:
    yield from inspect.signature(fn, eval_str=True).parameters.items()


def _dependency(parameter: inspect.Parameter) -> Dependency | None:
    """What a parameter depends on: the last that its annotation says, else what stands as its default."""
    marks = get_args(parameter.annotation)[1:] if get_origin(parameter.annotation) is Annotated else ()
    return next((mark for mark in (*reversed(marks), parameter.default) if isinstance(mark, Dependency)), None)


def _give_back(tree: Dependant) -> None:
    """Put the functions into the tree that the stand-ins stood for: they are what is called, and what is asked once a call."""
    tree.call = getattr(tree.call, _STANDS_FOR, tree.call)
    for branch in tree.dependencies:
        _give_back(branch)


def _branches(tree: Dependant) -> Iterator[Dependant]:
    yield tree
    for branch in tree.dependencies:
        yield from _branches(branch)


def _check(tree: Dependant) -> None:
    """Refuse at registration what no call can give."""
    for branch in _branches(tree):
        absent = {
            "a path, a form or a body, which is the tool's arguments": branch.path_params or branch.body_params,
            "a query without a default": [field for field in branch.query_params if field.field_info.is_required()],
            "a WebSocket": branch.websocket_param_name,
            "a Response": branch.response_param_name,
            "BackgroundTasks": branch.background_tasks_param_name,
        }
        for what, asked in absent.items():
            if asked:
                name = getattr(branch.call, "__qualname__", repr(branch.call))
                raise RegistrationError(f"the dependency {name} asks for {what}; an MCP call has none")


def _request(tree: Dependant, call: Call) -> Request:
    """The HTTP request of the call, without credentials; where there is none, an empty one that nothing sees."""
    found = answering.get()
    if found is None:
        asking = [branch for branch in _branches(tree) if branch.request_param_name or branch.http_connection_param_name]
        if asking:
            name = getattr(asking[0].call, "__name__", "this")
            raise ToolError(f"{name} needs the HTTP request of the call, and there is none{_over(call)}")
        return Request({"type": "http", "method": "POST", "path": "", "query_string": b"", "headers": []})
    scope = found[0]
    headers = [pair for pair in scope["headers"] if pair[0] not in _CREDENTIALS]
    return Request({**scope, "headers": headers}, _no_body)


async def _no_body() -> Any:
    raise RuntimeError("the body of an MCP request has been read: it is the arguments of the tool")


async def _solved(tree: Dependant, request: Request, stack: AsyncExitStack) -> dict[str, Any]:
    solved = await solve_dependencies(request=request, dependant=tree, async_exit_stack=stack, embed_body_fields=False)
    if solved.errors:
        first = solved.errors[0]
        where = " ".join(str(part) for part in first["loc"])
        raise ToolError(f"the HTTP request of the call does not fit: {where}: {first['msg'].lower()}")
    return solved.values


def _over(call: Call) -> str:
    return " over stdio" if call.transport == "stdio" else ""


def _sentence(problem: HTTPException) -> str:
    return problem.detail if isinstance(problem.detail, str) else json.dumps(problem.detail, default=str)
