"""The judge of what a server says: `mcp_types` held strictly, the extensions by their SEPs, and what no model can tell.

The models alone are lax: pydantic would read "5" as a number, a result of today fits the models of yesterday, and almost anything
fits `InputRequiredResult`, which stands beside the result of a call in a union.
"""

import json
from functools import cache
from typing import Any, get_args

import jsonschema
from mcp_types import jsonrpc, methods
from pydantic import TypeAdapter

MODERN = "2026-07-28"
OLDER = ("2025-11-25", "2025-06-18", "2025-03-26")
ERAS = (MODERN, *OLDER)

# MCP 2026-07-28, basic/index, "Error Codes": -32000 to -32019 are nobody's, -32020 to -32099 are the specification's.
RESERVED = range(-32099, -31999)
DEFINED = {-32020, -32021, -32022}
RETIRED = {-32002, -32042}
NEW_IN_RESULTS = {"resultType", "ttlMs", "cacheScope"}

_TEXT = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 0}
_CACHED = {"required": ["ttlMs", "cacheScope"], "properties": {"ttlMs": _COUNT, "cacheScope": {"enum": ["public", "private"]}}}


def _object(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": required | optional}


_INSTANT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"}
_FILE = _object({"uri": _TEXT, "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}, "size": _COUNT})
_FRONTMATTER = _object({"name": _TEXT, "description": _TEXT})
_FILES = {"anyOf": [{"const": "dynamic"}, {"type": "array", "items": _FILE, "minItems": 1}]}
_SKILL = _object({"uri": _TEXT, "frontmatter": _FRONTMATTER, "resources": _FILES})
_CHILD = _object({"uri": {"type": "string", "pattern": "[^/]$"}, "name": _TEXT}, mimeType=_TEXT, size=_COUNT)
_STATUSES = ["working", "input_required", "completed", "failed", "cancelled"]
_TASK = _object(
    {
        "taskId": _TEXT,
        "status": {"enum": _STATUSES},
        "createdAt": _INSTANT,
        "lastUpdatedAt": _INSTANT,
        "ttlMs": {"anyOf": [{"type": "null"}, _COUNT]},
    },
    statusMessage={"type": "string"},
    pollIntervalMs=_COUNT,
)


def _exactly_with(status: str, member: str) -> dict[str, Any]:
    """The member is there in this status, and in no other."""
    return {
        "if": {"properties": {"status": {"const": status}}},
        "then": {"required": [member], "properties": {member: {"type": "object"}}},
        "else": {"not": {"required": [member]}},
    }


_DETAILED = {
    "allOf": [
        _TASK,
        _exactly_with("input_required", "inputRequests"),
        _exactly_with("completed", "result"),
        _exactly_with("failed", "error"),
    ]
}
_EMPTY = {"type": "object", "propertyNames": {"enum": ["resultType", "_meta"]}}

#: SEP-2640 and SEP-2663; their methods are of today's revision only.
EXTENSION_RESULTS = {
    "skills/list": {"allOf": [_object({"skills": {"type": "array", "items": _SKILL}}, nextCursor={"type": "string"}), _CACHED]},
    "skills/get": {"allOf": [_object({"skill": _SKILL}), _CACHED]},
    "resources/directory/read": _object({"resources": {"type": "array", "items": _CHILD}}, nextCursor={"type": "string"}),
    "tasks/get": _DETAILED,
    "tasks/update": _EMPTY,
    "tasks/cancel": _EMPTY,
}
EXTENSION_NOTIFICATIONS = {"notifications/tasks": _DETAILED}


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _fits(model: Any, value: Any) -> None:
    _adapter(model).validate_json(json.dumps(value), strict=True, by_name=False)


def judge_message(message: Any) -> str:
    """Hold a message against JSON-RPC; gives what it is: "request", "notification", "result" or "error"."""
    assert type(message) is dict, message
    kinds = {
        "request": "method" in message and "id" in message,
        "notification": "method" in message and "id" not in message,
        "result": "result" in message,
        "error": "error" in message,
    }
    (kind,) = [kind for kind, holds in kinds.items() if holds]
    models = {
        "request": jsonrpc.JSONRPCRequest,
        "notification": jsonrpc.JSONRPCNotification,
        "result": jsonrpc.JSONRPCResponse,
        "error": jsonrpc.JSONRPCError,
    }
    _fits(models[kind], message)
    members = {"jsonrpc", "method", "params"} if kind in {"request", "notification"} else {"jsonrpc", "id", kind}
    assert set(message) <= members | {"id"}, message
    return kind


def judge(era: str, message: Any, method: str = "") -> str:
    """Hold a message of a server against its revision; gives what it is.

    Args:
        method: of the request that a result answers.
    """
    kind = judge_message(message)
    if kind == "result":
        judge_result(era, method, message["result"])
    elif kind == "error":
        judge_error(era, message["error"])
    elif kind == "notification":
        judge_notification(era, message)
    else:
        # MCP 2026-07-28, basic/patterns: servers start no requests.
        assert era != MODERN, message
        _fits(methods.SERVER_REQUESTS[message["method"], era], message)
    return kind


def judge_result(era: str, method: str, result: dict[str, Any]) -> None:
    """The result of a request; of one that nobody knows only what holds for all."""
    if era != MODERN:
        assert not NEW_IN_RESULTS & set(result), result
        if (method, era) in methods.SERVER_RESULTS:
            _fits(methods.SERVER_RESULTS[method, era], result)
        return
    kind = result["resultType"]
    if kind == "task":
        assert method == "tools/call", method
        jsonschema.validate(result, _TASK)
        return
    assert kind == "complete" or (kind == "input_required" and method in methods.INPUT_REQUIRED_METHODS), (kind, method)
    if (method, era) in methods.SERVER_RESULTS:
        model = methods.SERVER_RESULTS[method, era]
        arms = [arm for arm in get_args(model) or (model,) if (arm.__name__ == "InputRequiredResult") is (kind == "input_required")]
        _fits(arms[0], result)
    if kind == "input_required":
        assert not {"ttlMs", "cacheScope"} & set(result), result
        assert result.get("inputRequests") or "requestState" in result, result
    jsonschema.validate(result, EXTENSION_RESULTS.get(method, {}))


def judge_error(era: str, error: dict[str, Any]) -> None:
    """An error: its code is one that the revision allows, and its data what the code demands."""
    code, data = error["code"], error.get("data")
    if era == MODERN:
        assert code not in RESERVED or code in DEFINED, error
    else:
        assert code not in RESERVED or code in DEFINED | RETIRED, error
    if code == -32021:
        assert data["requiredCapabilities"], error
    if code == -32022:
        assert data["supported"], error
        assert "requested" in data, error


def judge_notification(era: str, message: dict[str, Any]) -> None:
    """A notification: one that a server of the revision may send."""
    if era == MODERN and message["method"] in EXTENSION_NOTIFICATIONS:
        jsonschema.validate(message["params"], EXTENSION_NOTIFICATIONS[message["method"]])
    else:
        _fits(methods.SERVER_NOTIFICATIONS[message["method"], era], message)
