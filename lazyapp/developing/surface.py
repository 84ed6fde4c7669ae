"""`/_lazy/mcp`: what AI clients are offered, module by module, and what reading it costs a model."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from lazyapp.developing.application import Application
from lazyapp.developing.schema_words import Field, fields_of
from lazymcp import Scope, SurfaceRow
from lazymcp.scope import KINDS
from lazymcp.weight import BYTES_PER_TOKEN, tokens_of

_TITLES: Final = dict(zip(KINDS, ("Tools", "Resources", "Resource templates", "Prompts", "Skills", "Apps"), strict=True))
#: Who pays for a list: these are read by the model itself, the others by its client.
_LISTS: Final = {"tool": "tools", "resource": "resources", "template": "resourceTemplates", "prompt": "prompts"}
_HINTS: Final = {
    ("readOnlyHint", True): "only reads",
    ("readOnlyHint", False): "changes things",
    ("destructiveHint", True): "may destroy",
    ("destructiveHint", False): "destroys nothing",
    ("idempotentHint", True): "may be repeated",
    ("openWorldHint", True): "reaches outside",
    ("openWorldHint", False): "reaches nothing outside",
}


class Item(NamedTuple):
    """One entry of a list.

    Args:
        entry: as clients are sent it.
        anchor: its place on the page.
        preview: where it can be called and seen; empty where there is nothing to call.
    """

    row: SurfaceRow
    entry: Mapping[str, Any]
    title: str
    tokens: int
    anchor: str
    arguments: list[Field]
    result: list[Field]
    hints: list[str]
    widget: str
    preview: str


class Module(NamedTuple):
    """What one module offers, kind by kind, and the tokens of its tools."""

    name: str
    tokens: int
    kinds: list[tuple[str, list[Item]]]


def surface(app: Application) -> dict[str, Any]:
    """What the page shows."""
    scope = app.mcp
    if scope is None:
        return {"modules": [], "totals": [], "per_token": BYTES_PER_TOKEN, "endpoint": ""}
    items = [_item(row, entry) for kind in KINDS for row, entry in scope.entries(kind)]
    return {
        "modules": [_module(summary.name, items) for summary in scope.summary()],
        "totals": _totals(scope),
        "per_token": BYTES_PER_TOKEN,
        "endpoint": f"{app.settings.public_url}/mcp",
    }


def _totals(scope: Scope) -> list[tuple[str, int, int]]:
    """Each list that is not empty: its name, how many entries it has, and the tokens of the whole."""
    found = []
    for kind, member in _LISTS.items():
        if entries := [entry for _, entry in scope.entries(kind)]:
            found.append((_TITLES[kind], len(entries), tokens_of({member: entries})))
    return found


def _module(name: str, items: list[Item]) -> Module:
    own = [item for item in items if item.row.module == name]
    kinds = [(label, [item for item in own if item.row.kind == kind]) for kind, label in _TITLES.items()]
    return Module(name, sum(item.tokens for item in own if item.row.kind == "tool"), [pair for pair in kinds if pair[1]])


def _item(row: SurfaceRow, entry: Mapping[str, Any]) -> Item:
    meta = entry.get("_meta") or {}
    ui = meta.get("ui") if isinstance(meta, Mapping) else None
    widget = str(ui.get("resourceUri", "")) if isinstance(ui, Mapping) and row.kind == "tool" else ""
    arguments = _prompt_arguments(entry) if row.kind == "prompt" else fields_of(entry.get("inputSchema") or {})
    return Item(
        row,
        entry,
        _title(entry),
        tokens_of(entry),
        f"{row.kind}-{row.name}",
        arguments,
        fields_of(entry.get("outputSchema") or {}),
        _hints(entry),
        widget,
        f"/_lazy/preview?{urlencode({'tool': row.name})}" if row.kind == "tool" else "",
    )


def _title(entry: Mapping[str, Any]) -> str:
    annotations = entry.get("annotations")
    given = entry.get("title") or (annotations.get("title") if isinstance(annotations, Mapping) else "")
    return str(given or "")


def _hints(entry: Mapping[str, Any]) -> list[str]:
    annotations = entry.get("annotations")
    if not isinstance(annotations, Mapping):
        return []
    return [words for (name, value), words in _HINTS.items() if annotations.get(name) is value]


def _prompt_arguments(entry: Mapping[str, Any]) -> list[Field]:
    given = entry.get("arguments") or ()
    return [
        Field(str(each.get("name", "")), "string", bool(each.get("required")), str(each.get("description", "")), "")
        for each in given
    ]
