"""`Tool`: a published function, its entry in `tools/list` and its call."""

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

from lazymcp.context import Context
from lazymcp.errors import RegistrationError
from lazymcp.failures import explain
from lazymcp.function import BadArguments, Function
from lazymcp.given_schema import check_given
from lazymcp.icons import icons_of
from lazymcp.output import Output, entry_of
from lazymcp.page_meta import tool_meta
from lazymcp.param_headers import headed
from lazymcp.protocol import Structured
from lazymcp.specs import UI, TaskMode, ToolSpec

__all__ = ["Tool", "failed"]

_TASK_MODES = (None, *get_args(TaskMode))
_HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


class Tool:
    """A tool as it is served.

    Attributes:
        name: with the module's name, e.g. `admin.user_count`.
        module: the module it belongs to, for the authorizer.
        place: where it is written.
        scopes: what an access token must carry.
        ui: the URI of the page that shows its result, or "".
        headed: the arguments that HTTP headers repeat.
        task: how a call becomes a task, or None: see `ToolSpec`.
        is_callable_by_pages: whether the page of an app may call it.
        is_for_pages: whether only the page of an app may call it, and not the model.
        is_idempotent: whether a task that was interrupted may be run again.
        successes: how many calls have had a result in this process.
        failures: how many went wrong, which is a result too.
    """

    __slots__ = (
        "_entry",
        "_function",
        "_output",
        "_what",
        "description",
        "failures",
        "headed",
        "is_callable_by_pages",
        "is_for_pages",
        "is_idempotent",
        "module",
        "name",
        "place",
        "scopes",
        "successes",
        "task",
        "ui",
    )

    def __init__(self, module: str, name: str, spec: ToolSpec, place: str) -> None:
        """Compile a spec.

        Raises:
            RegistrationError: no function, no description, or types without a JSON form.
        """
        if not callable(spec.fn):
            raise RegistrationError(f"tool {name}: fn must be a function, not {spec.fn!r}", place)
        self.module, self.name, self.place = module, name, place
        self.scopes = tuple(spec.scopes)
        self.task, self.is_idempotent = spec.task, spec.idempotent is True
        if spec.task not in _TASK_MODES:
            raise RegistrationError(f'tool {name}: task is "optional", "required" or "manual", not {spec.task!r}', place)
        self._function = Function(spec.fn)
        self._output = Output(self._function.returns, spec.output_schema, self._function.place)
        self._what = f"tool {name}"
        self.successes = self.failures = 0
        self.description = (spec.desc or self._function.summary).strip()
        if not self.description:
            raise RegistrationError(f"tool {name} has no description: write a docstring, or set desc", self._function.place)
        ui = UI(spec.ui) if isinstance(spec.ui, str) else spec.ui
        if ui is not None and not ui.resource_uri:
            raise RegistrationError(f'tool {name}: ui names no page; write ui="ui://…", or leave it out', place)
        self.ui = ui.resource_uri if ui else ""
        self.is_for_pages = bool(spec.visibility) and "model" not in spec.visibility
        self.is_callable_by_pages = not spec.visibility or "app" in spec.visibility
        if ui is not None:
            self._output.to_result = partial(_told, self._output.to_result, spec.title or name)
        self._entry = self._describe(spec, ui)

    def entry(self, name: str) -> dict[str, Any]:
        """The tool in `tools/list`, under the spelling of its name that the client can read."""
        return {"name": name, **self._entry}

    async def call(self, arguments: dict[str, Any], ctx: Context) -> dict[str, Any]:
        """Call the tool. What goes wrong inside is a result too: the model reads it and tries again.

        MCP 2026-07-28, server/tools, "Error handling".
        """
        function = self._function
        try:
            result = self._output.to_result(await function.call(function.bind(arguments), ctx))
        except BaseException as problem:
            result = failed(explain(problem, self._what))
            self.failures += 1
            return result
        self.successes += 1
        return result

    def misfit(self, arguments: dict[str, Any]) -> str | None:
        """What is wrong with arguments, in the words that a model reads; None where they fit. Nothing is called."""
        try:
            self._function.bind(dict(arguments))
        except BadArguments as problem:
            return str(problem)
        return None

    def _describe(self, spec: ToolSpec, ui: UI | None) -> dict[str, Any]:
        schema = self._function.schema if spec.input_schema is None else spec.input_schema
        if schema.get("type") != "object":
            raise RegistrationError(f'tool {self.name}: input_schema must have "type": "object" at its root', self.place)
        try:
            for given in (spec.input_schema, spec.output_schema):
                check_given(given or {})
            self.headed = headed(schema)
        except RegistrationError as problem:
            raise RegistrationError(f"tool {self.name}: {problem.reason}", self.place) from None
        if not set(spec.file_params) <= set(schema.get("properties", ())):
            raise RegistrationError(f"tool {self.name}: file_params names a parameter that it does not have", self.place)
        meta = tool_meta(spec, ui, self.place)
        hints = {key: getattr(spec, hint) for key, hint in _HINTS.items() if getattr(spec, hint) is not None}
        entry = {
            "title": spec.title,
            "description": self.description,
            "icons": icons_of(spec.icons),
            "inputSchema": schema,
            "outputSchema": self._output.schema,
            # Before 2025-06-18 a title stood among the hints, and many clients still look for it there.
            "annotations": {"title": spec.title, **hints} if spec.title else hints,
            "_meta": {**meta, **spec.meta},
            # ChatGPT reads this in both places.
            "securitySchemes": meta.get("securitySchemes"),
        }
        return entry_of(entry, self.place)


def _told(to_result: Callable[[Any], dict[str, Any]], title: str, value: Any) -> dict[str, Any]:
    """The result of a tool with a page, never without a content: SEP-1865 wants a text for clients that show no pages."""
    result = to_result(value)
    if type(result) is Structured or result.get("content"):
        return result
    return {**result, "content": [{"type": "text", "text": f"{title} is done."}]}


def failed(sentence: str) -> dict[str, Any]:
    """The result of a call that went wrong."""
    return {"content": [{"type": "text", "text": sentence}], "isError": True}
