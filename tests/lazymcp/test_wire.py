"""tests/lazymcp/wire.py: a judge that lets everything pass proves nothing."""

import jsonschema
import pytest

from tests.lazymcp.wire import EXTENSION_RESULTS, MODERN, OLDER, judge, judge_message

SERVER = {"io.modelcontextprotocol/serverInfo": {"name": "x", "version": "1"}}
CALLED = {"content": [{"type": "text", "text": "x"}], "resultType": "complete", "_meta": SERVER}
TASK = {"taskId": "t", "createdAt": "2026-11-30T12:00:00Z", "lastUpdatedAt": "2026-11-30T12:00:00.5Z", "ttlMs": None}
SKILL = {
    "uri": "skill://a/b/SKILL.md",
    "frontmatter": {"name": "b", "description": "B."},
    "resources": [{"uri": "skill://a/b/SKILL.md", "digest": "sha256:" + "0" * 64, "size": 5}],
}


def result(value):
    return {"jsonrpc": "2.0", "id": 1, "result": value}


def error(code, data=None):
    return {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "m", **({"data": data} if data else {})}}


def notification(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


GOOD = [
    (MODERN, "tools/call", result(CALLED)),
    (MODERN, "tools/call", result({**TASK, "resultType": "task", "status": "working"})),
    (MODERN, "tools/call", result({"resultType": "input_required", "requestState": "s"})),
    (MODERN, "tasks/get", result({**TASK, "resultType": "complete", "status": "completed", "result": {}})),
    (MODERN, "skills/get", result({"skill": SKILL, "resultType": "complete", "ttlMs": 0, "cacheScope": "public"})),
    (MODERN, "x", error(-32022, {"supported": [MODERN], "requested": "x"})),
    (MODERN, "x", notification("notifications/progress", progressToken="t", progress=0.5)),
    (OLDER[0], "tools/call", result({"content": []})),
    (OLDER[0], "x", {"jsonrpc": "2.0", "id": 5, "method": "ping"}),
    (OLDER[0], "x", error(-32002)),
]
BAD = [
    (MODERN, "tools/call", result({"content": []})),  # no resultType
    (MODERN, "tools/call", result({**CALLED, "isError": "yes"})),
    (MODERN, "tools/call", result({**CALLED, "content": [{"type": "text", "text": 5}]})),
    (MODERN, "tools/list", result({**CALLED, "tools": []})),  # no caching hints
    (MODERN, "tools/list", result({"resultType": "input_required", "requestState": "s"})),
    (MODERN, "tools/call", result({"resultType": "input_required"})),
    (MODERN, "prompts/get", result({**TASK, "resultType": "task", "status": "working"})),
    (MODERN, "tools/call", result({**TASK, "resultType": "task", "status": "asleep"})),
    (MODERN, "tasks/get", result({**TASK, "resultType": "complete", "status": "completed"})),
    (MODERN, "tasks/get", result({**TASK, "resultType": "complete", "status": "working", "error": {}})),
    (MODERN, "tasks/update", result({**TASK, "resultType": "complete", "status": "working"})),
    (
        MODERN,
        "skills/get",
        result({"skill": {**SKILL, "resources": []}, "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}),
    ),
    (MODERN, "x", error(-32002)),
    (MODERN, "x", error(-32055)),
    (MODERN, "x", error(-32021)),
    (MODERN, "x", {"jsonrpc": "2.0", "id": 5, "method": "ping"}),
    (MODERN, "x", notification("notifications/progress", progressToken="t", progress="0.5")),
    (MODERN, "x", notification("notifications/elicitation/complete", elicitationId="e")),
    (OLDER[0], "tools/call", result({**CALLED, "_meta": {}})),  # resultType came later
    (OLDER[0], "x", error(-32001)),
    (OLDER[0], "x", {"jsonrpc": "2.0", "id": 5, "method": "tools/list"}),
]


@pytest.mark.parametrize(("era", "method", "message"), GOOD)
def test_the_judge_passes_what_is_of_the_revision(era, method, message):
    judge(era, message, method)


@pytest.mark.requirement("MCP-BASIC-2", "MCP-BASIC-16")
@pytest.mark.parametrize(("era", "method", "message"), BAD)
def test_the_judge_refuses_what_is_not_of_the_revision(era, method, message):
    """What `mcp_types` would let pass is refused too."""
    with pytest.raises((AssertionError, ValueError, KeyError, TypeError, jsonschema.ValidationError)):
        judge(era, message, method)


@pytest.mark.parametrize(
    "message",
    [
        *([], "x", None, {}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": 1}),
        {"jsonrpc": "1.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1.5, "result": {}},
        {"jsonrpc": "2.0", "id": None, "result": {}},
        {"jsonrpc": "2.0", "result": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": ""}},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "extra": 1},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": "1", "message": ""}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1}},
    ],
)
def test_what_is_no_message_is_refused(message):
    """JSON-RPC 2.0, sections 4 and 5."""
    with pytest.raises((AssertionError, ValueError)):
        judge_message(message)


def test_the_schemas_of_the_extensions_are_schemas():
    for schema in EXTENSION_RESULTS.values():
        jsonschema.Draft202012Validator.check_schema(schema)
