"""Garbage collection: off while a process starts, on as soon as it serves."""

import gc
import sys
from pathlib import Path

import pytest

from lazyapp.cli import main
from tests.lazyapp.cli.test_mcp_stdio import CALL, INITIALIZE, ask, start
from tests.lazyapp.tiny_app import NOTES_APP, TINY_APP, facts, serving, write_app

REMEMBER = "import gc\nAT_FIRST = gc.isenabled()\n"


def test_a_command_ends_with_the_collector_as_it_was_found(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lazyapp", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.startswith("lazyapp ")
    assert gc.isenabled()


def test_a_local_process_collects_once_it_serves(tmp_path: Path) -> None:
    code = REMEMBER + NOTES_APP.replace("return 7", "return 10 * gc.isenabled() + AT_FIRST")
    process = start(write_app(tmp_path, code))
    ask(process, 1, "initialize", **INITIALIZE)
    assert ask(process, 2, "tools/call", **CALL)["result"]["structuredContent"] == {"result": 10}
    process.communicate()


@pytest.mark.parametrize("how", [(), ("--no-reload",)])
def test_a_server_collects_once_it_serves(tmp_path: Path, how: tuple[str, ...]) -> None:
    code = REMEMBER + TINY_APP.replace('"version": VERSION', '"collects": [AT_FIRST, gc.isenabled()]')
    with serving(write_app(tmp_path, code), *how) as server:
        assert facts(server.wait_until_up())["collects"] == [False, True]
        assert server.end() == 0
