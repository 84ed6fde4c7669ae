"""What the stand-in says, form by form."""

import pytest

from lazyapp.serving.causes import Cause, Place
from lazyapp.serving.stand_in_page import Trouble

CHAIN = (
    Cause("StartupError", "services: <away>"),
    Cause("OSError", "away", (Place("init/dependencies.py", 3, "open_db", ((2, "x"), (3, "connect()"))),)),
)


def test_one_line_names_the_last_cause_and_its_place() -> None:
    assert Trouble("", CHAIN).title == "OSError: away (init/dependencies.py:3)"
    assert Trouble("The server process ended (SIGKILL).").title == "The server process ended (SIGKILL)."


def test_the_page_tells_the_chain_and_listens_only_when_it_may() -> None:
    page = Trouble("", CHAIN, "down-1").as_html("n0nce")
    assert "services: &lt;away&gt;" in page
    assert "<h2>Caused by OSError</h2>" in page
    assert "<mark>   3  connect()</mark>" in page
    assert '<style nonce="n0nce">' in page
    assert '<script src="/_lazy/refresh.js" data-at="down-1"></script>' in page
    assert "<script" not in Trouble("", CHAIN).as_html("n0nce")


def test_markdown_shows_the_code_that_failed() -> None:
    said = Trouble("", CHAIN).as_markdown()
    assert "`init/dependencies.py:3` in `open_db`" in said
    assert "    >    3 connect()" in said


def test_a_request_of_a_program_is_answered_with_its_id_and_nothing_else_is() -> None:
    """JSON-RPC 2.0, sections 4.1 and 5."""
    trouble = Trouble("", CHAIN)
    answer = trouble.as_rpc_error(b'{"jsonrpc": "2.0", "id": 3, "method": "ping"}')
    assert answer is not None
    assert (answer["id"], answer["error"]["code"]) == (3, -32603)
    for other in (b'{"method": "ping"}', b"[]", b"\xff", b'{"id": {}, "method": "ping"}'):
        assert trouble.as_rpc_error(other) is None


@pytest.mark.parametrize(
    "sent", [b"[" * 100_000, b'{"id":' * 100_000, b'{"id": true, "method": "ping"}', b'{"id": null, "method": "ping"}']
)
def test_what_is_no_request_gets_no_answer_and_breaks_nothing(sent: bytes) -> None:
    """JSON-RPC 2.0, section 4: an id is a string or a number. CWE-674: the depth is the sender's to choose."""
    assert Trouble("", CHAIN).as_rpc_error(sent) is None
