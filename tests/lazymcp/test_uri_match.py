"""lazymcp/uri_match.py: it finds what a regular expression finds, and never takes its time."""

import gc
import re
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lazymcp.uri_match import Literal, Maybe, Variable, divide
from lazymcp.uri_template import MAX_URI, URITemplate


def as_expression(steps):
    """The regular expression that says the same."""
    pattern, ends = "", []
    for number, step in enumerate([*steps, None]):
        while ends and ends[-1] == number:
            ends.pop()
            pattern += ")?"
        if isinstance(step, Literal):
            pattern += re.escape(step.text)
        elif isinstance(step, Variable):
            any_of = f"[^{re.escape(step.closed)}]" if step.closed else "(?s:.)"
            pattern += f"({any_of}{'+' if step.is_required else '*'}{'?' if step.is_lazy else ''})"
        elif step is not None:
            ends.append(step.end)
            pattern += "(?:"
    return re.compile(pattern)


literals = st.builds(Literal, st.text("ab/,", min_size=1, max_size=2))
variables = st.builds(Variable, st.text("a/,", max_size=2), st.booleans(), st.booleans())


@st.composite
def all_steps(draw):
    steps = []
    for optional in draw(st.lists(st.booleans(), max_size=4)):
        some = draw(st.lists(literals | variables, min_size=1, max_size=3))
        inner = draw(st.lists(literals | variables, min_size=1, max_size=2)) if optional and draw(st.booleans()) else []
        start = len(steps)
        end = start + len(some) + optional + (len(inner) + 1 if inner else 0)
        steps += [*([Maybe(end)] if optional else []), *some, *([Maybe(end), *inner] if inner else [])]
    return steps


@given(all_steps(), st.text("ab/,c", max_size=12))
@example([Variable("", True), Literal("/"), Variable("", True)], "a/b/c")
@example([Variable("", True, True), Maybe(4), Literal("."), Variable("", False)], "a.b.c")
def test_it_divides_as_a_regular_expression_does(steps, text):
    found = as_expression(steps).fullmatch(text)
    assert divide(text, steps) == (None if found is None else list(found.groups()))


@pytest.mark.parametrize(
    ("template", "unit"),
    [
        ("app://{+a}/{+b}/{+c}/{+d}/raw", "/"),
        ("app://{a}-{b}-{c}-{d}-x", "-"),
        ("app://{a}.{b}.{c}.{d}!", "."),
        ("app://{a}{.b,c,d,e}x", "."),
        ("app://{+a}{/b,c,d}z", "/"),
        ("app://{a,b,c,d}/x", ","),
        ("app://{+a}aa{+b}aa{+c}b", "a"),
        ("app://x{?a,b}{#c}", "&a=b"),
    ],
)
def test_no_uri_takes_long(template, unit):
    """With a regular expression the first two took minutes; a step looks at each place once, so these take milliseconds."""
    uri = ("app://" + unit * MAX_URI)[:MAX_URI]
    parsed = URITemplate(template)
    assert sum(1 for _ in range(3) if parsed.match(uri) is None) == 3


@pytest.mark.parametrize("unit", ["/", "a/", "x/y", "/y"])
def test_a_step_costs_the_same_however_many_stretches_a_text_has(unit):
    """Each took a turn of the interpreter: a thousand long URIs in one request held up the server for half a minute."""
    steps = [Variable("", True), Literal("/y"), Variable("/", True), Maybe(6), Literal("/"), Variable("/", False)]
    divide(unit * 2, steps)  # compiles what each step needs, once
    assert calls(unit * 2000, steps) < calls(unit * 2, steps) + 20


def calls(text, steps):
    found = []
    gc.disable()  # a collection calls whoever has asked to hear of it
    sys.setprofile(lambda frame, event, argument: found.append(event) if "call" in event else None)
    try:
        divide(text, steps)
    finally:
        sys.setprofile(None)
        gc.enable()
    return len(found)
