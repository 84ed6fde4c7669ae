"""Processes that wait for orders."""

import os
import subprocess
from collections.abc import Iterator

import pytest

from lazyapp.serving import interpreters
from lazyapp.serving.interpreters import Interpreter, started_ahead
from tests.lazyapp.tiny_app import PATIENCE_S, wait_until_gone


@pytest.fixture
def interpreter() -> Iterator[Interpreter]:
    with started_ahead() as interpreter:
        interpreter.link.settimeout(PATIENCE_S)
        yield interpreter


def test_it_says_when_it_is_ready_and_is_gone_after_its_block(interpreter: Interpreter) -> None:
    assert interpreter.link.recv(10) == b"\n"
    assert interpreter.is_fresh
    interpreter.end()
    wait_until_gone(interpreter.process.pid)
    assert not interpreter.is_fresh


def test_it_ends_by_itself_when_nobody_has_orders_for_it(interpreter: Interpreter) -> None:
    """A supervisor that was killed leaves no process behind."""
    interpreter.link.close()
    assert interpreter.process.wait(PATIENCE_S) == 0


def test_a_package_that_was_installed_since_makes_it_stale(interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has imported is no longer what a new process would."""
    assert interpreter.is_fresh
    monkeypatch.setattr(interpreters, "_packages_changed", lambda: 1)
    assert not interpreter.is_fresh


def test_no_descriptor_is_left_when_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError("no room")

    before = set(os.listdir("/dev/fd"))  # noqa: PTH208  # their numbers
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(OSError, match="no room"):
        Interpreter.start()
    assert set(os.listdir("/dev/fd")) == before  # noqa: PTH208
