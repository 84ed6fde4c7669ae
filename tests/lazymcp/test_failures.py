"""lazymcp/failures.py: one safe sentence for the peer, everything for the log."""

import asyncio

import pytest

from lazyauth import SignInRequired
from lazymcp.asking import InputRequired
from lazymcp.errors import Forbidden, InternalError, InvalidParams, ToolError
from lazymcp.failures import explain, failure_id_of, pages_of, refusal


def told(problem):
    try:
        raise problem
    except BaseException as caught:
        return explain(caught, "tool x")


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [(ToolError("no paper"), "no paper"), (ToolError(), "tool x refused"), (SignInRequired(), "sign in required")],
)
def test_what_is_meant_for_the_reader_is_told(problem, sentence, caplog):
    assert told(problem) == sentence
    assert isinstance(refusal(problem, "x"), InvalidParams)
    assert caplog.records == []


@pytest.mark.parametrize(
    "problem",
    [
        ValueError("hunter2"),
        SystemExit(3),
        KeyboardInterrupt("hunter2"),
        GeneratorExit(),
        BaseException("hunter2"),
        BaseExceptionGroup("", [SystemExit()]),
        ExceptionGroup("hunter2", [ValueError()]),
    ],
)
async def test_everything_else_is_told_by_its_id(problem, caplog):
    sentence = told(problem)
    (record,) = caplog.records
    assert sentence == f"tool x failed; the details are in the server's log under {record.args[1]}"
    assert failure_id_of(sentence) == record.args[1]
    assert record.exc_info[1] is problem
    assert isinstance(refusal(problem, "x"), InternalError)


def test_whoever_serves_a_developer_may_say_where_the_page_is(caplog):
    token = pages_of.set("http://localhost:3000/_lazy/errors/")
    try:
        sentence = told(ValueError("hunter2"))
    finally:
        pages_of.reset(token)
    failure_id = caplog.records[0].args[1]
    told_in_the_log = f"tool x failed; the details are in the server's log under {failure_id}"
    assert sentence == f"{told_in_the_log} and at http://localhost:3000/_lazy/errors/{failure_id}"
    assert failure_id_of(sentence) == failure_id


@pytest.mark.parametrize("text", ["", "tool x refused", "see the server's log under 0badcafe", "failed under 0badcafe"])
def test_what_names_no_failure_has_no_id(text):
    assert failure_id_of(text) == ""


@pytest.mark.parametrize("problem", [InvalidParams("no"), Forbidden("a")])
def test_errors_for_the_peer_pass(problem):
    with pytest.raises(type(problem)):
        told(problem)


async def test_a_cancellation_is_a_failure_unless_the_request_is_cancelled():
    """https://github.com/modelcontextprotocol/python-sdk/issues/2610."""
    assert told(asyncio.CancelledError()).startswith("tool x failed")
    task = asyncio.current_task()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        told(asyncio.CancelledError())
    task.uncancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.sleep(0)


def test_a_coroutine_that_is_thrown_away_is_no_failure(caplog):
    """A loop that has ended leaves its requests to be closed."""

    async def request():
        try:
            await asyncio.Event().wait()
        except BaseException as problem:
            explain(problem, "tool x")

    async def begin_and_leave():
        left = request()
        left.send(None)
        return left

    asyncio.run(begin_and_leave()).close()
    assert caplog.records == []


@pytest.mark.parametrize("problem", [ToolError("no paper"), Forbidden("x"), InvalidParams("no"), InputRequired({})])
def test_a_task_group_says_what_the_one_thing_in_it_says(problem, caplog):
    """asyncio.TaskGroup wraps even a single problem."""
    for wrapped in (BaseExceptionGroup("", [problem]), BaseExceptionGroup("", [BaseExceptionGroup("", [problem])])):
        if isinstance(problem, ToolError):
            assert told(wrapped) == "no paper"
            assert isinstance(refusal(wrapped, "x"), InvalidParams)
        else:
            with pytest.raises(type(problem)):
                told(wrapped)
    assert caplog.records == []


def test_a_task_group_with_a_failure_is_a_failure(caplog):
    group = BaseExceptionGroup("", [ToolError("no paper"), InputRequired({}), ValueError("hunter2")])
    assert "hunter2" not in told(group)
    assert caplog.records[0].exc_info[1] is group
