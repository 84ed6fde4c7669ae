"""How a serving process logs."""

import asyncio
import io
import json
import logging
import logging.config
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from uvicorn.config import LOGGING_CONFIG

from lazyapp.migrations import FRAMEWORK
from lazyapp.request_ids import RequestIds, answering
from lazyapp.serving.log_lines import ACCESS, SERVER, log_config, quieten
from lazyapp.steps.migrations import run
from tests.lazyapp.tiny_app import Serving, write_app


@pytest.fixture
def loggers_as_they_were() -> Iterator[None]:
    """`dictConfig` changes what the whole process shares."""
    named = [logging.getLogger(name) for name in (None, *log_config(in_development=True)["loggers"])]
    before = [(logger, logger.level, logger.propagate, list(logger.handlers), list(logger.filters)) for logger in named]
    yield
    for logger, level, propagate, handlers, filters in before:
        logger.setLevel(level)
        logger.propagate = propagate
        logger.handlers[:], logger.filters[:] = handlers, filters


def access(path: str) -> None:
    """As uvicorn says it."""
    logging.getLogger(ACCESS).info('%s - "%s %s HTTP/%s" %d', "203.0.113.9:5000", "GET", path, "1.1", 302)


@pytest.mark.usefixtures("loggers_as_they_were")
@pytest.mark.parametrize("in_development", [True, False])
def test_a_query_string_never_reaches_a_log(in_development: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Design 5: no code or token in any log at any level; RFC 9700 4.3.2 for codes in URLs."""
    logging.config.dictConfig(log_config(in_development=in_development))
    access("/callback?code=secret&state=also")
    said = capsys.readouterr().err
    assert "/callback" in said
    assert "secret" not in said
    assert "?" not in said


@pytest.mark.usefixtures("loggers_as_they_were")
def test_an_access_line_is_short_at_home_and_whole_in_production(capsys: pytest.CaptureFixture[str]) -> None:
    logging.config.dictConfig(log_config(in_development=True))
    access("/accounts")
    assert re.fullmatch(r"  \d\d:\d\d:\d\d  GET    302  /accounts\n", capsys.readouterr().err)
    logging.config.dictConfig(log_config(in_development=False))
    access("/accounts")
    assert re.fullmatch(r"  \d{4}-\S+T\S+  203\.0\.113\.9:5000  GET    302  /accounts\n", capsys.readouterr().err)


@pytest.mark.usefixtures("loggers_as_they_were")
def test_what_was_cut_at_the_end_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A reload cuts open streams on purpose; other errors of the server stay visible, however uvicorn was set up before."""
    logging.config.dictConfig(LOGGING_CONFIG)
    logging.config.dictConfig(log_config(in_development=True))
    server = logging.getLogger(SERVER)
    server.error("Cancel %s running task(s), timeout graceful shutdown exceeded", 1)
    server.error("Exception in ASGI application\n", exc_info=asyncio.CancelledError())
    assert capsys.readouterr().err == ""
    server.error("Exception in ASGI application\n", exc_info=ValueError("real"))
    assert "ValueError: real" in capsys.readouterr().err


@pytest.mark.usefixtures("loggers_as_they_were")
@pytest.mark.parametrize("set_up", [lambda: logging.config.dictConfig(log_config(in_development=True)), quieten])
async def test_no_statements_parameter_is_logged_even_when_all_else_is(set_up: Callable[[], None], tmp_path: Path) -> None:
    """Design 5: no secret in any log at any level. An application that looks for its own error sets the root logger to DEBUG."""
    set_up()
    said = io.StringIO()
    logging.basicConfig(level=logging.DEBUG, stream=said, force=True)
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/x.db")
    async with engine.connect() as connection:
        assert (await connection.execute(text("select :x"), {"x": "form-secret"})).scalar() == "form-secret"
    await engine.dispose()
    logging.getLogger("application").debug("still heard")
    assert "still heard" in said.getvalue()
    assert "form-secret" not in said.getvalue()


@pytest.mark.usefixtures("loggers_as_they_were")
async def test_a_first_start_tells_of_each_migration_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 5, item 4: the banner is what a first start shows; what Alembic says of its plugins and contexts would bury it."""
    logging.config.dictConfig(log_config(in_development=True))
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/x.db")
    await run(engine, [FRAMEWORK])
    await engine.dispose()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(FRAMEWORK.read())
    assert all("lazyapp: migrated: framework" in line for line in said)


@pytest.mark.usefixtures("loggers_as_they_were")
def test_what_the_libraries_of_a_sign_in_say_is_not_logged_either(capsys: pytest.CaptureFixture[str]) -> None:
    """RFC 9700, section 4.2.4: of an address that our process fetches the query is as secret as of one that it serves."""
    logging.config.dictConfig(log_config(in_development=True))
    logging.getLogger().setLevel(logging.DEBUG)
    logging.getLogger("httpcore2.http11").debug("receive_response_headers.complete [(b'set-cookie', b'sid=secret')]")
    logging.getLogger("authlib.integrations.base_client.sync_app").debug("Using code_verifier: 'secret'")
    with httpx2.Client(transport=httpx2.MockTransport(lambda _: httpx2.Response(200))) as client:
        client.get("https://provider.example/token?code=secret")
    assert "secret" not in capsys.readouterr().err


@pytest.mark.usefixtures("loggers_as_they_were")
def test_lines_are_objects_where_something_collects_them(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/logs.md, LOG_FORMAT; a query string is in none of them either."""
    logging.config.dictConfig(log_config(in_development=False, as_json=True))
    access("/callback?code=secret")
    logging.getLogger("shop").info("opened")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["message"], first["status"], second["message"]) == ("GET /callback 302", 302, "opened")
    assert "secret" not in str(first)


@pytest.mark.usefixtures("loggers_as_they_were")
def test_the_level_is_the_applications_and_whoever_counts_hears_all(capsys: pytest.CaptureFixture[str]) -> None:
    """LOG_LEVEL; `/metrics` counts requests by these records."""
    logging.config.dictConfig(log_config(in_development=False, level="warning"))
    heard: list[logging.LogRecord] = []
    logging.getLogger(ACCESS).addFilter(lambda record: not heard.append(record))
    access("/accounts")
    logging.getLogger("shop").info("opened")
    assert (capsys.readouterr().err, len(heard)) == ("", 1)
    logging.config.dictConfig(log_config(in_development=False, level="debug"))
    logging.getLogger("shop").debug("opened")
    assert "opened" in capsys.readouterr().err


@pytest.mark.usefixtures("loggers_as_they_were")
def test_in_production_a_line_about_a_request_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    token = answering.set(({"lazyapp.request_id": "mine-1234"}, RequestIds()))
    for in_development in (True, False):
        logging.config.dictConfig(log_config(in_development=in_development))
        access("/accounts")
    answering.reset(token)
    at_home, in_production = capsys.readouterr().err.splitlines()
    assert at_home.endswith("/accounts")
    assert in_production.endswith("/accounts  [mine-1234]")


def test_a_served_process_writes_what_the_settings_say(tmp_path: Path) -> None:
    """LOG_FORMAT, over a real socket."""
    serving = Serving(write_app(tmp_path), LOG_FORMAT="JSON")
    try:
        answer = httpx2.get(serving.wait_until_up() + "/facts")
        line = json.loads(serving.wait_for('"path": "/facts"'))
    finally:
        assert serving.end() == 0
    assert line["request_id"] == answer.headers["x-request-id"]


@pytest.mark.usefixtures("loggers_as_they_were")
def test_what_an_open_page_asks_by_itself_is_no_line_in_development(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/development.md; in production there is nothing at these paths, and whoever asks for them is worth a line."""
    for in_development, lines in ((True, 1), (False, 3)):
        logging.config.dictConfig(log_config(in_development=in_development))
        for path in ("/_lazy/changes", "/_lazy/refresh.js", "/_lazy"):
            access(path)
        assert len(capsys.readouterr().err.splitlines()) == lines
