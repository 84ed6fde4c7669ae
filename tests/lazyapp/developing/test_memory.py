"""lazyapp/developing/memory.py: the last of each, and no more."""

from lazyapp.debug_report import Report, Told
from lazyapp.developing.memory import ERRORS, LINES, REQUESTS, Failure, Line, Memory, Request


def request(id: str, status: int = 200) -> Request:
    return Request(0.0, "page", "GET", "/", status, 1.0, id)


def failure(id: str, request_id: str = "") -> Failure:
    return Failure(
        id, 0.0, "tool", "tool x", Report("POST /mcp", request_id, (Told("KeyError", "x", None, ()),), (), ()), request_id
    )


def test_each_list_is_bounded():
    memory = Memory()
    for number in range(2000):
        memory.requests.append(request(str(number)))
        memory.errors.append(failure(str(number)))
        memory.lines.append(Line(0.0, "info", "app", "said", str(number)))
    assert (len(memory.requests), len(memory.errors), len(memory.lines)) == (REQUESTS, ERRORS, LINES)
    assert memory.request("0") is None
    assert memory.failure("0") is None
    assert memory.request("1999") is not None


def test_of_two_requests_with_one_id_the_newest_is_found():
    memory = Memory()
    memory.requests.extend([request("a", 200), request("a", 500)])
    found = memory.request("a")
    assert found is not None
    assert found.status == 500


def test_an_error_is_found_by_its_own_id_and_by_that_of_its_request():
    memory = Memory()
    memory.errors.extend([failure("one", "r"), failure("two", "r"), failure("r2", "x")])
    assert [found.id if (found := memory.failure(name)) else None for name in ("one", "r", "r2", "nobody")] == [
        "one",
        "two",
        "r2",
        None,
    ]


def test_the_lines_of_one_request_are_told_apart():
    memory = Memory()
    memory.lines.extend([Line(0.0, "info", "app", text, name) for text, name in (("a", "1"), ("b", "2"), ("c", "1"))])
    assert [line.text for line in memory.lines_of("1")] == ["a", "c"]
