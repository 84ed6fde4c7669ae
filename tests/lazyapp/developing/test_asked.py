"""lazyapp/developing/asked.py: how parts of `/_lazy` read and answer."""

from typing import Any

import pytest

from lazyapp.developing.asked import POLICY, answer, is_read, query_of


async def sent(function: Any, method: str, *rest: Any, **more: Any) -> tuple[dict[str, Any], bytes, Any]:
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    result = await function({"method": method}, send, *rest, **more)
    if not messages:
        return {}, b"", result
    headers = {name.decode(): value.decode("latin-1") for name, value in messages[0]["headers"]}
    return {"status": messages[0]["status"], **headers}, messages[1]["body"], result


async def test_an_answer_is_kept_by_nobody_and_runs_nothing_inline():
    head, body, _ = await sent(answer, "GET", "é\ud800")
    assert body == "é?".encode()
    assert head["content-length"] == "3"
    assert head["content-type"] == "text/html; charset=utf-8"
    assert head["cache-control"] == "no-store"
    assert head["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in POLICY
    assert (head["referrer-policy"], head["x-content-type-options"]) == ("no-referrer", "nosniff")


async def test_a_head_has_the_length_and_no_body():
    """RFC 9110, section 9.3.2."""
    head, body, _ = await sent(answer, "HEAD", "four", status=404, media_type="text/plain", more={"vary": "accept"})
    assert (head["status"], head["content-length"], body, head["vary"]) == (404, "4", b"", "accept")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_what_reads_is_let_through(method):
    assert await sent(is_read, method) == ({}, b"", True)


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS", "TRACE", "BREW"])
async def test_what_does_not_is_told_what_does(method):
    """RFC 9110, section 15.5.6."""
    head, _, may = await sent(is_read, method)
    assert (head["status"], head["allow"], may) == (405, "GET, HEAD", False)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (b"", {}),
        (b"a=1&a=2&b=", {"a": "2", "b": ""}),
        (b"word=%C3%A9%20+x", {"word": "é  x"}),
        (b"word=\xff%ff", {"word": "\xff\ufffd"}),
        (b"&&&=&%%%", {"": "", "%%%": ""}),
    ],
)
def test_any_query_can_be_read(query, found):
    assert query_of({"query_string": query}) == found


def test_a_query_of_very_many_fields_is_read_as_well():
    assert len(query_of({"query_string": b"&".join(b"a%d=1" % number for number in range(5000))})) == 5000
