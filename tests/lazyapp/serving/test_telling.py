"""What a run says on its terminal."""

import time
from pathlib import Path

import pytest

from lazyapp.location import Location
from lazyapp.serving.banner import Run, Surface
from lazyapp.serving.link import Failed, Grace
from lazyapp.serving.serve import Plan
from lazyapp.serving.telling import say, show

RUN = Run(version="0.1.0", env="development", target="init.app:app", origin="http://localhost:3000")
PLAN = Plan(location=Location(Path("/shop")), run=RUN, sockets=[], reload=True, grace=Grace(1, 5))


def test_the_first_start_shows_the_banner_and_each_later_one_how_long_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    show(PLAN, Surface(client_name="shop"), None)
    assert "http://localhost:3000" in capsys.readouterr().out
    show(PLAN, Surface(client_name="shop"), time.monotonic())
    assert capsys.readouterr().out == "  Ready again in 0.0 s.\n"


def test_what_is_wrong_goes_to_stderr_every_line_indented(capsys: pytest.CaptureFixture[str]) -> None:
    show(PLAN, Failed("one\ntwo"), None)
    assert capsys.readouterr().err == "  one\n  two\n"
    say("three")
    assert capsys.readouterr().out == "  three\n"
