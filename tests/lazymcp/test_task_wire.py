"""What clients read of a task."""

import pytest

from lazymcp import Context
from lazymcp.errors import MissingCapability
from lazymcp.no_link import NoLink
from lazymcp.protocol import TASKS_EXTENSION, VERSION, VERSION_KEY
from lazymcp.task_wire import created, detailed, require_tasks, takes_tasks
from tests.lazymcp.task_peer import record

TODAY = {VERSION_KEY: VERSION}


def context(capabilities, meta=TODAY):
    return Context(NoLink(None), meta, {}, capabilities)


def test_a_task_reads_as_the_extension_writes_it():
    """SEP-2663, "Tasks": integer milliseconds under the names that have the unit, instants in ISO 8601."""
    assert created(record(message="at it"), 500) == {
        "resultType": "task",
        "taskId": "t" * 32,
        "status": "working",
        "statusMessage": "at it",
        "createdAt": "1970-01-01T00:00:01.000Z",
        "lastUpdatedAt": "1970-01-01T00:00:01.000Z",
        "ttlMs": 9_000,
        "pollIntervalMs": 500,
    }


@pytest.mark.parametrize(
    ("more", "member"),
    [
        (
            {"status": "input_required", "questions": {"a": {"method": "roots/list"}}},
            {"inputRequests": {"a": {"method": "roots/list"}}},
        ),
        ({"status": "completed", "outcome": {"content": []}}, {"result": {"content": []}}),
        ({"status": "failed", "outcome": {"code": 1, "message": "m"}}, {"error": {"code": 1, "message": "m"}}),
        ({"status": "cancelled"}, {}),
        ({}, {}),
    ],
)
def test_each_status_has_its_own_member_and_no_other(more, member):
    """SEP-2663, "Task Status"."""
    found = detailed(record(**more), 500)
    assert {key: found[key] for key in found.keys() & {"inputRequests", "result", "error"}} == member
    assert "resultType" not in found
    assert ("pollIntervalMs" in found) is (found["status"] in {"working", "input_required"})


def test_only_this_very_request_says_that_the_client_takes_tasks():
    """SEP-2663, "Capability Negotiation"; the tasks of 2025-11-25 were others."""
    assert takes_tasks(context({"extensions": {TASKS_EXTENSION: {}}}))
    for capabilities in ({}, {"extensions": {}}, {"extensions": []}, {"extensions": {TASKS_EXTENSION: None}}, {"tasks": {}}):
        assert not takes_tasks(context(capabilities))
    assert not takes_tasks(context({"extensions": {TASKS_EXTENSION: {}}}, meta={}))
    with pytest.raises(MissingCapability) as refused:
        require_tasks(context({}))
    assert refused.value.data == {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}}
