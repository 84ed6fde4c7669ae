"""`Tool`: a published function, its entry in `tools/list` and its call."""

from collections.abc import Mapping
from typing import Any

from lazymcp.context import Context
from lazymcp.errors import RegistrationError
from lazymcp.failures import explain
from lazymcp.function import Function
from lazymcp.icons import icons_of
from lazymcp.output import Output, entry_of
from lazymcp.specs import UI, ToolSpec

__all__ = ["Tool", "failed"]

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
    """

    __slots__ = ("_entry", "_function", "_output", "_what", "description", "module", "name", "place", "scopes", "ui")

    def __init__(self, module: str, name: str, spec: ToolSpec, place: str) -> None:
        """Compile a spec.

        Raises:
            RegistrationError: no function, no description, or types without a JSON form.
        """
        if not callable(spec.fn):
            raise RegistrationError(f"tool {name}: fn must be a function, not {spec.fn!r}", place)
        self.module, self.name, self.place = module, name, place
        self.scopes = tuple(spec.scopes)
        self._function = Function(spec.fn)
        self._output = Output(self._function.returns, spec.output_schema, self._function.place)
        self._what = f"tool {name}"
        self.description = (spec.desc or self._function.summary).strip()
        if not self.description:
            raise RegistrationError(f"tool {name} has no description: write a docstring, or set desc", self._function.place)
        ui = UI(spec.ui) if isinstance(spec.ui, str) else spec.ui
        if ui is not None and not ui.resource_uri:
            raise RegistrationError(f'tool {name}: ui names no page; write ui="ui://…", or leave it out', place)
        self.ui = ui.resource_uri if ui else ""
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
            return self._output.to_result(await function.call(function.bind(arguments), ctx))
        except BaseException as problem:
            return failed(explain(problem, self._what))

    def _describe(self, spec: ToolSpec, ui: UI | None) -> dict[str, Any]:
        schema = self._function.schema if spec.input_schema is None else spec.input_schema
        if schema.get("type") != "object":
            raise RegistrationError(f'tool {self.name}: input_schema must have "type": "object" at its root', self.place)
        hints = {key: getattr(spec, hint) for key, hint in _HINTS.items() if getattr(spec, hint) is not None}
        entry = {
            "title": spec.title,
            "description": self.description,
            "icons": icons_of(spec.icons),
            "inputSchema": schema,
            "outputSchema": self._output.schema,
            # Before 2025-06-18 a title stood among the hints, and many clients still look for it there.
            "annotations": {"title": spec.title, **hints} if spec.title else hints,
            "_meta": {**_ui_meta(ui, spec.visibility, self.place), **spec.meta},
        }
        return entry_of(entry, self.place)


def failed(sentence: str) -> dict[str, Any]:
    """The result of a call that went wrong."""
    return {"content": [{"type": "text", "text": sentence}], "isError": True}


def _ui_meta(ui: UI | None, visibility: Any, place: str) -> Mapping[str, Any]:
    """The standard keys, the flat alias that older hosts read, and ChatGPT's. SEP-1865, "Tool metadata"; OpenAI Apps SDK."""
    seen_by = tuple(visibility)
    if isinstance(visibility, str) or not set(seen_by) <= {"model", "app"}:
        raise RegistrationError(f'visibility is a list of "model" and "app", not {visibility!r}', place)
    if ui is None and not seen_by:
        return {}
    standard: dict[str, Any] = {}
    meta: dict[str, Any] = {"ui": standard}
    if ui is not None:
        standard["resourceUri"] = meta["ui/resourceUri"] = meta["openai/outputTemplate"] = ui.resource_uri
    if seen_by:
        standard["visibility"] = list(seen_by)
    meta["openai/widgetAccessible"] = not seen_by or "app" in seen_by
    meta["openai/visibility"] = "public" if not seen_by or "model" in seen_by else "private"
    if ui is not None and ui.invoking:
        meta["openai/toolInvocation/invoking"] = ui.invoking
    if ui is not None and ui.invoked:
        meta["openai/toolInvocation/invoked"] = ui.invoked
    return meta
