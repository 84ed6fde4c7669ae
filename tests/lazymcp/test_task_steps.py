"""What can happen to a task, rule by rule."""

import pytest

from lazymcp import MCPError
from lazymcp.task_steps import (
    MAX_ATTEMPTS,
    answered,
    asked,
    cancelled,
    completed,
    failed_with,
    interrupted,
    kept_by,
    lost,
    resumed,
    said,
    withdrawn,
)
from tests.lazymcp.task_peer import record

ASK = {"method": "elicitation/create", "params": {}}
LATE = 2_001


def test_questions_wait_until_the_last_is_answered():
    """SEP-2663, "Task Update Requests": partial answers leave the task in input_required."""
    task = asked({"a": ASK, "b": ASK}, (), 1_100)(record())
    assert (task.status, set(task.questions), task.updated_ms) == ("input_required", {"a", "b"}, 1_100)
    task = answered({"a": {"action": "accept"}, "unknown": {}}, 1_200)(task)
    assert (task.status, set(task.questions), set(task.answers)) == ("input_required", {"b"}, {"a"})
    task = answered({"a": {"action": "cancel"}, "b": {"action": "decline"}}, 1_300)(task)
    assert (task.status, task.questions, task.updated_ms) == ("working", {}, 1_300)
    assert task.answers["a"] == {"question": ASK, "result": {"action": "accept"}}
    assert task.answers["b"] == {"question": ASK, "result": {"action": "decline"}}


def test_what_nobody_asks_is_ignored():
    """SEP-2663, "Task Update Requests": keys that are not outstanding."""
    assert answered({"a": {}}, 1_100)(record()) is None
    over = cancelled(1_100)(asked({"a": ASK}, (), 1_100)(record()))
    assert answered({"a": {}}, 1_200)(over) is None


def test_a_question_is_not_put_twice():
    """A resumed function asks again what it asked before."""
    task = answered({"a": {}}, 1_200)(asked({"a": ASK, "b": ASK}, (), 1_100)(record()))
    assert asked({"a": ASK, "b": ASK}, (), 1_300)(task) is None
    assert set(asked({"b": ASK, "c": ASK}, (), 1_300)(task).questions) == {"b", "c"}
    assert set(asked({"c": ASK}, ["b"], 1_300)(task).questions) == {"c"}
    assert asked({"a": ASK}, ["b"], 1_300)(task).status == "working"


def test_a_question_can_be_taken_back():
    """Nobody waits for its answer any more."""
    task = asked({"a": ASK, "b": ASK}, (), 1_100)(record())
    task = withdrawn({"a": ASK}, 1_200)(task)
    assert (task.status, set(task.questions)) == ("input_required", {"b"})
    assert withdrawn({"b": ASK}, 1_300)(task).status == "working"


@pytest.mark.parametrize(
    ("step", "status", "outcome", "message"),
    [
        (
            completed({"content": [], "isError": True}, 1_500),
            "completed",
            {"content": [], "isError": True, "resultType": "complete"},
            "",
        ),
        (failed_with(MCPError("no luck", code=7), 1_500), "failed", {"code": 7, "message": "no luck"}, "no luck"),
        (cancelled(1_500), "cancelled", None, "the client cancelled the task"),
    ],
)
def test_a_task_that_is_over_keeps_its_outcome_and_nothing_of_its_making(step, status, outcome, message):
    """SEP-2663, "Task Execution Errors": an isError result is completed, failed is a JSON-RPC error only."""
    task = step(asked({"a": ASK}, (), 1_100)(record(answers={"b": {}}, recipe={"arguments": {"secret": 1}}, message="half done")))
    assert (task.status, task.outcome, task.message, task.updated_ms) == (status, outcome, message, 1_500)
    assert (task.questions, task.answers, task.recipe, task.lease_ms, task.is_over) == ({}, {}, {}, 0, True)


def test_a_late_step_changes_nothing():
    """A late writer never resurrects a cancelled task, and whoever lost a task writes nothing to it."""
    over = cancelled(1_500)(record())
    for step in (completed({}, 1_600), said("still here", 1_600), asked({"a": ASK}, (), 1_600), interrupted(1_600)):
        assert kept_by("here", step)(over) is None
        assert kept_by("elsewhere", step)(record()) is None
        assert kept_by("here", step)(record()) is not None
    assert cancelled(1_600)(over) is None


def test_a_message_has_an_end():
    """It stands in every answer about the task."""
    assert len(said("x" * 100_000, 1_500)(record()).message) == 2_000
    assert len(failed_with(MCPError("x" * 100_000), 1_500)(record()).message) == 2_000


def test_an_interrupted_task_fails_or_is_free_for_others_at_once():
    """A graceful end: never silently lost, never run twice when that is not allowed."""
    failed = interrupted(1_500)(record())
    assert (failed.status, failed.outcome["code"]) == ("failed", -32603)
    assert "the server was restarted" in failed.message
    free = interrupted(1_500)(record(recipe={"arguments": {}}, questions={"a": ASK}, status="input_required"))
    assert (free.status, free.runner, free.lease_ms, free.questions) == ("input_required", "", 0, {"a": ASK})


def test_a_lease_that_holds_is_respected():
    """Nobody takes a task from a process that is alive."""
    running = record(recipe={"arguments": {}})
    assert resumed("there", 9_000, 2_000)(running) is None
    assert lost(2_000)(running) is None
    over = completed({}, 1_500)(running)
    assert resumed("there", 9_000, LATE)(over) is None
    assert lost(LATE)(over) is None


def test_an_abandoned_task_is_resumed_or_fails():
    """SEP-2663 leaves it open; we never lose one silently."""
    taken = resumed("there", 9_000, LATE)(record(recipe={"arguments": {}}, answers={"a": {}}))
    assert (taken.status, taken.runner, taken.lease_ms, taken.attempts, taken.answers) == ("working", "there", 9_000, 2, {"a": {}})
    assert resumed("there", 9_000, LATE)(record()).status == "failed"
    assert lost(LATE)(record(recipe={"arguments": {}})).status == "failed"


def test_a_task_that_ends_its_process_each_time_is_given_up():
    """It must not end all processes, one after the other."""
    task, now_ms = record(recipe={"arguments": {}}), LATE
    for _ in range(MAX_ATTEMPTS - 1):
        task = resumed("there", now_ms, now_ms)(task)
        assert task.status == "working"
        now_ms += 1
    assert resumed("there", now_ms, now_ms)(task).status == "failed"


def test_a_task_outlives_any_number_of_orderly_ends():
    """A release a day, and a user who is away for a week."""
    task = record(recipe={"arguments": {}})
    for _ in range(3 * MAX_ATTEMPTS):
        task = resumed("there", LATE, LATE)(interrupted(1_500)(task))
        assert (task.status, task.runner, task.attempts) == ("working", "there", 2)
