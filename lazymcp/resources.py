"""`Resource`: something a client reads by its URI. Functions, pages of apps and files of skills are all read this way."""

import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic.errors import PydanticUserError

from lazymcp.completion import Completions
from lazymcp.content import ResourceContent
from lazymcp.context import Context
from lazymcp.errors import RegistrationError, ResourceNotFound
from lazymcp.failures import refusal
from lazymcp.function import BadArguments, Function
from lazymcp.icons import icons_of
from lazymcp.jsonrpc import dump_finite
from lazymcp.output import entry_of, jsonable, writer
from lazymcp.specs import ResourceSpec
from lazymcp.uri_template import URITemplate

__all__ = ["Read", "Resource", "contents", "function_resource"]

# Answers the contents for a URI and, from a template, the variables in it.
Read = Callable[[str, dict[str, Any], Context], Awaitable[list[dict[str, Any]]]]

# RFC 3986, section 3: a scheme and what may follow it. Letters of other scripts are left to the clients (RFC 3987).
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f\x7f\"<>\\^`{|}]+")
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_RESERVED = {"ui://": "a page is published with an AppSpec", "skill://": "a skill is published with a SkillSpec"}


class Resource:
    """A resource, or a template of many, as it is served.

    Attributes:
        uri: its URI, or the template.
        template: how its URIs are matched; None when there is only one.
        module: the module it belongs to, for the authorizer.
        place: where it is written.
        entry: how it stands in `resources/list` or `resources/templates/list`; None for one that is read but not listed.
        read: how it is read.
        ttl_ms: how long clients may keep what they read.
        is_public: whether it is the same for everyone who may read it.
        completions: how the variables of a template are completed; None where nothing can be.
    """

    __slots__ = ("completions", "entry", "is_public", "module", "place", "read", "template", "ttl_ms", "uri")

    def __init__(self, module: str, uri: str, entry: Mapping[str, Any] | None, read: Read, place: str) -> None:
        """Keep what was compiled elsewhere.

        Args:
            entry: without its `uri` or `uriTemplate`, which is added here.

        Raises:
            RegistrationError: the URI or the template is malformed.
        """
        self.module, self.uri, self.read, self.place = module, uri, read, place
        self.ttl_ms, self.is_public = 0, False
        self.completions: Completions | None = None
        try:
            self.template = URITemplate(uri) if "{" in uri else None
        except RegistrationError as problem:
            raise RegistrationError(problem.reason, place) from None
        if not _URI.fullmatch(_EXPRESSION.sub("/", uri)):
            raise RegistrationError(f"{uri!r} is no URI: begin with a scheme, such as app://, and write a space as %20", place)
        key = "uri" if self.template is None else "uriTemplate"
        self.entry = None if entry is None else {key: uri, **entry}


def function_resource(module: str, uri: str, name: str, spec: ResourceSpec, place: str) -> Resource:
    """A resource that a function of the module reads.

    Raises:
        RegistrationError: no function, no description, parameters other than the template's variables, or another kind's URI.
    """
    for scheme, advice in _RESERVED.items():
        if uri.lower().startswith(scheme):
            raise RegistrationError(f"resource {uri}: URIs that begin with {scheme} are of another kind; {advice}", place)
    if not callable(spec.read):
        raise RegistrationError(f"resource {uri}: read must be a function, not {spec.read!r}", place)
    reader = _Reader(Function(spec.read), spec.mime_type, f"resource {uri}")
    description = (spec.desc or reader.function.summary).strip()
    if not description:
        raise RegistrationError(f"resource {uri} has no description: write a docstring, or set desc", reader.function.place)
    entry = {
        "name": name,
        "title": spec.title,
        "description": description,
        "icons": icons_of(spec.icons),
        "mimeType": reader.mime_type,
        "size": spec.size,
        "annotations": spec.annotations.to_dict() if spec.annotations else None,
        "_meta": dict(spec.meta),
    }
    resource = Resource(module, uri, entry_of(entry, place), reader.read, place)
    if resource.template is not None and spec.size is not None:
        raise RegistrationError(f"resource {uri}: a template has no size; each of its resources has its own", place)
    if spec.ttl_ms < 0 or spec.cache not in {"private", "public"}:
        raise RegistrationError(f'resource {uri}: ttl_ms is not negative, and cache is "private" or "public"', place)
    resource.ttl_ms, resource.is_public = spec.ttl_ms, spec.cache == "public"
    _check_variables(reader.function, resource)
    resource.completions = Completions(reader.function.schema, spec.completions, f"resource {uri}")
    return resource


def contents(uri: str, value: ResourceContent | str | bytes, mime_type: str = "") -> dict[str, Any]:
    """One item of the `contents` of `resources/read`."""
    if not isinstance(value, ResourceContent):
        value = ResourceContent(text=value) if isinstance(value, str) else ResourceContent(blob=value)
    return value.to_contents(uri, mime_type)


class _Reader:
    """A function that is read: its parameters are the template's variables, its return value is the content."""

    def __init__(self, function: Function, mime_type: str, what: str) -> None:
        self.function = function
        self.what = what
        self.given_type = mime_type
        kinds = _kinds(function.returns)
        # Only what is certain is told beforehand; what is read always bears its type.
        self.mime_type = mime_type or (_usual_type(next(iter(kinds))) if len(kinds) == 1 else "")
        self.write: Callable[[Any], Any] = _typed_writer(function) if kinds == {"json"} else jsonable

    async def read(self, uri: str, variables: dict[str, Any], ctx: Context) -> list[dict[str, Any]]:
        try:
            found = await self.function.call(self.function.bind(variables), ctx)
            if found is None:
                raise ResourceNotFound(uri)
            is_several = isinstance(found, list) and found and all(isinstance(item, ResourceContent) for item in found)
            return [self._content(uri, item) for item in (found if is_several else [found])]
        except BadArguments as problem:
            # `app://users/x` where a number belongs names nothing.
            raise ResourceNotFound(uri) from problem
        except BaseException as problem:
            raise refusal(problem, self.what) from problem

    def _content(self, uri: str, value: Any) -> dict[str, Any]:
        if isinstance(value, ResourceContent | str | bytes):
            return contents(uri, value, self.given_type)
        return contents(uri, dump_finite(self.write(value)).decode(), self.given_type or _usual_type("json"))


def _kinds(annotation: Any) -> set[str]:
    """What a function may return, by its annotation: "text", "blob", "json", or "any" where nothing is said."""
    if annotation in (str, bytes):
        return {"text" if annotation is str else "blob"}
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return {kind for part in typing.get_args(annotation) if part is not type(None) for kind in _kinds(part)}
    if annotation is inspect.Signature.empty or annotation is Any or annotation is None or _has_content(annotation):
        return {"any"}
    return {"json"}


def _has_content(annotation: Any) -> bool:
    return annotation is ResourceContent or any(_has_content(part) for part in typing.get_args(annotation))


def _usual_type(kind: str) -> str:
    return {"text": "text/plain", "blob": "application/octet-stream", "json": "application/json"}.get(kind, "")


def _typed_writer(function: Function) -> Callable[[Any], Any]:
    try:
        _, write = writer(function.returns)
    except PydanticUserError as problem:
        reason = str(problem).partition("\n")[0]
        raise RegistrationError(f"the return type has no JSON form ({reason})", function.place) from problem
    return lambda value: write(value)[1]


def _check_variables(function: Function, resource: Resource) -> None:
    variables = set() if resource.template is None else set(resource.template.variables)
    takes = set(function.takes)
    if not function.takes_anything and takes != variables:
        wants = ", ".join(sorted(variables)) or "no parameters"
        has = ", ".join(sorted(takes)) or "none"
        raise RegistrationError(f"resource {resource.uri}: the function must take {wants}; it takes {has}", function.place)
