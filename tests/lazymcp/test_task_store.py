"""The contract of `TaskStore`, held by every store."""

import asyncio
from dataclasses import replace

import pytest

from lazymcp import ToolError
from lazymcp.task_steps import answered, asked, cancelled, completed, kept_by
from lazymcp.task_store import MemoryTasks
from tests.lazymcp.task_peer import record

NASTY = {
    "text": "NUL \0, half a pair \ud800, \N{SNOWMAN}, 'quotes\"; DROP TABLE",
    "deep": [[{"": None}]],
    "big": 2**60,
    "no": 1e-300,
}


async def test_what_was_created_is_found_as_it_was(task_store):
    """`TaskStore.create`, `find`: records are JSON through and through."""
    task = record(recipe={"arguments": NASTY}, questions={"q": NASTY}, answers={"a": NASTY}, outcome=NASTY, message="m \0 m")
    await task_store.create(task)
    assert await task_store.find(task.id) == task
    assert await task_store.find("x" * 32) is None


async def test_a_change_is_what_its_step_makes_of_the_newest_record(task_store):
    """`TaskStore.change`."""
    await task_store.create(record())
    first = await task_store.change("t" * 32, lambda task: replace(task, message="one"))
    second = await task_store.change("t" * 32, lambda task: replace(task, message=f"{task.message}, two"))
    assert (first.revision, second.revision, second.message) == (1, 2, "one, two")
    assert await task_store.find("t" * 32) == second


async def test_a_step_that_leaves_the_task_changes_nothing(task_store):
    """`TaskStore.change`: None leaves it, and there may be no such task."""
    await task_store.create(record())
    assert await task_store.change("t" * 32, lambda task: None) is None
    assert await task_store.change("x" * 32, lambda task: task) is None
    assert await task_store.find("t" * 32) == record()


async def test_a_step_that_fails_changes_nothing_and_holds_nothing(task_store):
    """`TaskStore.change`: one act."""
    await task_store.create(record())

    def fail(_):
        raise LookupError

    with pytest.raises(LookupError):
        await task_store.change("t" * 32, fail)
    assert (await task_store.change("t" * 32, lambda task: task)).revision == 1


async def test_changes_at_the_same_moment_all_count(task_store):
    """`TaskStore.change`: nobody changes the task between what the step sees and what is written."""
    await task_store.create(record())
    questions = {f"q{number}": {"method": "elicitation/create"} for number in range(20)}
    await task_store.change("t" * 32, asked(questions, (), 1_500))
    await asyncio.gather(*(task_store.change("t" * 32, answered({key: {"key": key}}, 1_600)) for key in questions))
    found = await task_store.find("t" * 32)
    assert {key: answer["result"] for key, answer in found.answers.items()} == {key: {"key": key} for key in questions}
    assert (found.status, found.revision) == ("working", 21)


async def test_of_a_cancellation_and_a_result_one_wins_and_stays(task_store):
    """SEP-2663, "Task Status": nothing follows a terminal status."""
    for number in range(10):
        task = record(f"{number:032}")
        await task_store.create(task)
        steps = [cancelled(1_500), kept_by("here", completed({"content": []}, 1_500))]
        done = await asyncio.gather(*(task_store.change(task.id, step) for step in (steps if number % 2 else steps[::-1])))
        (winner,) = [found for found in done if found is not None]
        assert await task_store.find(task.id) == winner


async def test_a_runner_renews_its_own_leases_only(task_store):
    """`TaskStore.renew`: what the runner believes to run and is not here has been taken from it."""
    for task_id, more in (("a", {}), ("b", {"runner": "there"}), ("c", {"status": "completed"}), ("d", {"lease_ms": 9_000})):
        await task_store.create(record(task_id * 32, **more))
    await task_store.change("a" * 32, lambda task: replace(task, message="changed"))
    assert await task_store.renew("here", 5_000, 20_000) == {"a" * 32: 1, "d" * 32: 0}
    found = {task_id: await task_store.find(task_id * 32) for task_id in "abcd"}
    assert [(task.lease_ms, task.expires_ms) for task in found.values()] == [
        (5_000, 20_000),
        (2_000, 10_000),
        (2_000, 10_000),
        (9_000, 20_000),
    ]
    assert await task_store.renew("nobody", 5_000, 20_000) == {}


async def test_what_nobody_runs_any_more_is_found(task_store):
    """`TaskStore.abandoned`."""
    for task_id, more in (("a", {}), ("b", {"status": "input_required"}), ("c", {"status": "failed"}), ("d", {"lease_ms": 9_000})):
        await task_store.create(record(task_id * 32, **more))
    assert await task_store.abandoned(2_000) == []
    assert sorted(await task_store.abandoned(2_001)) == ["a" * 32, "b" * 32]


async def test_what_has_expired_is_forgotten_unless_it_runs(task_store):
    """`TaskStore.purge`. SEP-2663: a server must not expire a task before its time."""
    for task_id, more in (("a", {"status": "completed"}), ("b", {}), ("c", {"lease_ms": 30_000}), ("d", {"expires_ms": 30_000})):
        await task_store.create(record(task_id * 32, **more))
    assert await task_store.purge(10_000) == 0
    assert await task_store.purge(10_001) == 2
    assert [await task_store.find(task_id * 32) is None for task_id in "abcd"] == [True, True, False, False]


async def test_memory_holds_so_many_tasks_and_no_more():
    """`MemoryTasks(limit)`: those that have expired make room, others do not."""
    store = MemoryTasks(2)
    await store.create(record("a" * 32, status="completed"))
    await store.create(record("b" * 32))
    with pytest.raises(ToolError, match="keeps 2 tasks and has no room"):
        await store.create(record("c" * 32))
    await store.create(record("c" * 32, created_ms=10_001))
    assert await store.find("a" * 32) is None


async def test_nobody_fills_the_memory_for_all():
    """What is over is kept too, so a caller could begin and end tasks until there is room for nobody's."""
    store = MemoryTasks(limit=4, per_caller=2)
    for number in range(2):
        await store.create(record(f"a{number}", status="completed"))
    with pytest.raises(ToolError, match="you have 2 tasks here"):
        await store.create(record("a2"))
    await store.create(record("b", owner="bob"))
    # Those of nobody in particular cannot be told apart.
    await store.create(record("c", owner=""))
    with pytest.raises(ToolError, match="has no room"):
        await store.create(record("d", owner="dan"))
    assert await store.purge(10_001) == 4
    await store.create(record("a2"))
    assert store._owned == {"ann": 1}
