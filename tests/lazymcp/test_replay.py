"""lazymcp/replay.py: a request that is sent again until all its questions are answered. MCP 2026-07-28, basic/patterns/mrtr."""

import logging
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyauth import Claims, User
from lazyauth.current import signed_in
from lazymcp.protocol import CAPABILITIES_KEY
from tests.lazymcp.asking_peer import ALL, accept, ask_again, converse, served
from tests.lazymcp.booking_module import Booking


@pytest.fixture
def module():
    return Booking()


@pytest.fixture
def peer(module):
    return served(module)


def ask(peer, name, capabilities=ALL, **more):
    return peer.ask("tools/call", {"name": name, **more}, **{CAPABILITIES_KEY: capabilities})


async def test_each_question_ends_the_request_and_the_answers_are_kept(peer, module):
    """`sep-2322-multi-round`: the second round brings only the second answer."""
    first = await ask(peer, "book")
    assert first.result["inputRequests"]["question_1"]["params"]["message"] == "Where to?"
    second = await ask_again(peer, "tools/call", {"name": "book"}, first, {"question_1": accept(value="Oslo")})
    assert second.result["inputRequests"]["question_2"]["params"]["message"] == "Which hotel in Oslo?"
    assert second.result["requestState"] != first.result["requestState"]
    third = await ask_again(peer, "tools/call", {"name": "book"}, second, {"question_2": accept(value="Grand")})
    assert third.result["content"][0]["text"] == "Grand, Oslo"
    assert third.result["resultType"] == "complete"
    assert module.runs == 3


async def test_several_questions_are_asked_at_once(peer):
    """`sep-2322-multiple-inputs`."""
    replies = {
        "elicitation/create": accept(value="Ada"),
        "sampling/createMessage": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hello"}},
        "roots/list": {"roots": [{"uri": "file:///home"}]},
    }
    first = await ask(peer, "several")
    assert {key: question["method"] for key, question in first.result["inputRequests"].items()} == {
        "user_name": "elicitation/create",
        "greeting": "sampling/createMessage",
        "client_roots": "roots/list",
    }
    answer, _ = await converse(peer, "tools/call", {"name": "several"}, lambda question: replies[question["method"]])
    assert answer.result["structuredContent"] == {
        "user_name": "Ada",
        "greeting": "Hello",
        "client_roots": [{"uri": "file:///home"}],
    }


async def test_what_is_missing_is_asked_again_and_what_came_is_kept(peer):
    """`sep-2322-missing-response-rerequests`."""
    first = await ask(peer, "several")
    second = await ask_again(
        peer, "tools/call", {"name": "several"}, first, {"user_name": accept(value="Ada"), "wrong": {"action": "accept"}}
    )
    assert second.result["inputRequests"].keys() == {"greeting", "client_roots"}
    greeting = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "Hi"}]}
    rest = {"greeting": greeting, "client_roots": {"roots": []}}
    third = await ask_again(peer, "tools/call", {"name": "several"}, second, rest)
    assert third.result["structuredContent"] == {"user_name": "Ada", "greeting": "Hi", "client_roots": []}


async def test_a_retry_without_answers_is_asked_the_same(peer):
    """`sep-2322-missing-response-rerequests`."""
    first = await ask(peer, "book")
    for more in ({"requestState": first.result["requestState"]}, {"inputResponses": {}}, {}):
        again = await ask(peer, "book", **more)
        assert again.result["inputRequests"] == first.result["inputRequests"]


async def test_answers_that_nobody_asked_for_are_ignored(peer):
    """`sep-2322-ignore-unexpected-params`: also without a state, as the suite sends them."""
    given = {"age": accept(years=5), "other": {"action": "accept", "content": {"foo": 1}}}
    assert (await ask(peer, "age", inputResponses=given)).result["structuredContent"] == {"result": 5}
    assert (await ask(peer, "plain", inputResponses=given)).result["structuredContent"] == {"result": 1}


async def test_older_clients_know_no_answers_of_this_kind(module):
    """MCP 2025-11-25: `inputResponses` and `requestState` mean nothing there."""
    peer = served(module, era="2025-11-25")
    answer = await peer.ask("tools/call", {"name": "plain", "inputResponses": None, "requestState": 5})
    assert answer.result["structuredContent"] == {"result": 1}


async def test_nothing_to_ask_is_no_question(peer):
    """`inputRequests` must hold one at least. MCP 2026-07-28, basic/patterns/mrtr."""
    assert (await ask(peer, "nothing")).result["structuredContent"] == {}


async def test_an_answer_to_what_was_not_asked_yet_is_not_taken(peer):
    """With a state it is known what was asked: a client cannot answer a question that it has not seen."""
    first = await ask(peer, "book")
    given = {"question_1": accept(value="Oslo"), "question_2": accept(value="any")}
    second = await ask_again(peer, "tools/call", {"name": "book"}, first, given)
    assert second.result["inputRequests"].keys() == {"question_2"}


async def test_an_answer_is_final(peer):
    """A later round cannot change what was answered: the questions that followed depend on it."""
    first = await ask(peer, "book")
    second = await ask_again(peer, "tools/call", {"name": "book"}, first, {"question_1": accept(value="Oslo")})
    given = {"question_1": accept(value="Rome"), "question_2": accept(value="Grand")}
    third = await ask_again(peer, "tools/call", {"name": "book"}, second, given)
    assert third.result["content"][0]["text"] == "Grand, Oslo"


async def test_a_yes_to_one_question_is_none_to_another(peer, caplog):
    """The question changed between the runs, so the answer is to something that is no longer asked."""
    first = await ask(peer, "restless")
    with caplog.at_level(logging.WARNING, "lazymcp"):
        second = await ask_again(peer, "tools/call", {"name": "restless"}, first, {"sure": accept(value="yes")})
    assert second.result["inputRequests"]["sure"]["params"]["message"] == "Delete 2 files?"
    assert "must be the same" in caplog.text


@pytest.mark.parametrize("given", [None, [], "x", 5, {"question_1": 12345}, {"question_1": None}, {"question_1": []}, {"zzz": "x"}])
@pytest.mark.parametrize("name", ["book", "plain"])
async def test_malformed_answers_are_refused(peer, name, given):
    """`sep-2322-validate-input-responses`, `sep-2322-error-on-protocol-error`."""
    answer = await ask(peer, name, inputResponses=given)
    assert (answer.status, answer.error["code"]) == (400, -32602)


NO_ANSWERS = [{}, {"action": "yes"}, {"action": None}, {"action": "accept", "content": []}, {"content": {"years": 1}}]


@pytest.mark.parametrize("given", NO_ANSWERS)
async def test_what_is_no_answer_to_a_form_is_refused(peer, given):
    """MCP 2026-07-28, client/elicitation, "Response actions"."""
    answer = await ask(peer, "age", inputResponses={"age": given})
    assert answer.error["code"] == -32602


@pytest.mark.parametrize("content", [None, {}, {"years": "old"}, {"years": None}, {"years": [1]}, {"Years": 1}])
async def test_a_form_that_is_filled_in_wrongly_is_shown_again_with_the_reason(peer, content):
    """MCP 2026-07-28, basic/patterns/mrtr: never accepted silently."""
    first = await ask(peer, "age")
    again = first
    for _ in range(5):
        again = await ask_again(peer, "tools/call", {"name": "age"}, again, {"age": {"action": "accept", "content": content}})
        message = again.result["inputRequests"]["age"]["params"]["message"]
        assert message.startswith("How old?\n\nyears: ")
    last = await ask_again(peer, "tools/call", {"name": "age"}, again, {"age": accept(years=5)})
    assert last.result["structuredContent"] == {"result": 5}


@pytest.mark.parametrize("state", ["", "x", None, 5, {}])
async def test_a_state_that_is_none_is_refused(peer, state):
    """`sep-2322-reject-tampered-state`."""
    answer = await ask(peer, "book", inputResponses={}, requestState=state)
    assert (answer.status, answer.error["code"]) == (400, -32602)


async def test_a_state_of_another_request_or_user_is_refused(peer):
    """MCP 2026-07-28, basic/patterns/mrtr, "Security considerations"."""
    first = await ask(peer, "book")
    given = {"question_1": accept(value="Oslo")}
    for params in ({"name": "age"}, {"name": "book", "arguments": {"a": 1}}):
        answer = await ask_again(peer, "tools/call", params, first, given)
        assert answer.error["code"] == -32602
    with signed_in(User("eve"), Claims({"sub": "eve", "mcps": ["*"]})):
        answer = await ask_again(peer, "tools/call", {"name": "book"}, first, given)
        assert answer.error["code"] == -32602


async def test_a_key_names_one_question(peer, caplog):
    """A developer's mistake: it is named in the log, and the client hears no detail."""
    first = await ask(peer, "twice")
    answer = await ask_again(peer, "tools/call", {"name": "twice"}, first, {"x": accept(value="a")})
    assert answer.result["isError"]
    assert "names another question" in caplog.text


@pytest.mark.parametrize("capabilities", [{}, {"sampling": {}}, {"elicitation": {"url": {}}}])
async def test_a_client_that_did_not_declare_it_is_not_asked(peer, capabilities):
    """MCP 2026-07-28, basic/patterns/mrtr; basic/index, -32021."""
    answer = await ask(peer, "book", capabilities)
    assert (answer.status, answer.error["code"]) == (400, -32021)
    assert answer.error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


async def test_all_that_is_missing_is_named_at_once(peer):
    """MCP 2026-07-28, basic/index, -32021: `requiredCapabilities` is shaped like ClientCapabilities."""
    answer = await ask(peer, "several", {"roots": {}})
    assert answer.error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}, "sampling": {}}}


async def test_capabilities_are_not_remembered(peer):
    """MCP 2026-07-28, basic/index: they hold for one request."""
    first = await ask(peer, "book")
    answer = await ask_again(peer, "tools/call", {"name": "book"}, first, {"question_1": accept(value="Oslo")}, {})
    assert answer.error["code"] == -32021


TEXTS = st.text(st.characters(codec="utf-8"), max_size=9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@cache
def everyone():
    return served(Booking())


KEYS = st.sampled_from(["age", "question_1", "user_name", "greeting", "client_roots", "x"])


@settings(max_examples=100, deadline=None)
@given(
    name=st.sampled_from(["book", "age", "several"]),
    given_answers=st.dictionaries(KEYS, JSON | st.fixed_dictionaries({"action": JSON | st.just("accept"), "content": JSON})) | JSON,
    state=st.none() | JSON | st.just("real"),
)
async def test_no_answer_of_a_client_is_more_than_an_error(name, given_answers, state):
    """Untrusted input never gives a 500: it is refused, asked again, or an answer."""
    peer = everyone()
    more = {"inputResponses": given_answers}
    if state == "real":
        more["requestState"] = (await ask(peer, name)).result["requestState"]
    elif state is not None:
        more["requestState"] = state
    answer = await ask(peer, name, **more)
    last = answer.messages[-1]
    assert last["error"]["code"] == -32602 if "error" in last else last["result"]["resultType"] in {"complete", "input_required"}
