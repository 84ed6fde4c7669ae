"""lazymcp/form_answer.py: what a user filled in, held against the form. MCP 2026-07-28, client/elicitation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazymcp.asking import Unreadable
from lazymcp.form_answer import fit, fit_value

TITLED = [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]


@pytest.mark.parametrize(
    ("node", "value", "expected"),
    [
        ({"type": "string"}, "", ""),
        ({"type": "string", "minLength": 1, "maxLength": 2}, "éé", "éé"),
        ({"type": "string", "pattern": "b+$"}, "abb", "abb"),
        ({"type": "string", "pattern": "(?=a)a"}, "a", "a"),
        ({"type": "string", "format": "email"}, "ada@example.com", "ada@example.com"),
        ({"type": "string", "format": "uri"}, "mailto:ada@example.com", "mailto:ada@example.com"),
        ({"type": "string", "format": "date"}, "2026-02-28", "2026-02-28"),
        ({"type": "string", "format": "date-time"}, "2026-07-28T12:00:00Z", "2026-07-28T12:00:00Z"),
        ({"type": "string", "format": "date-time"}, "2026-07-28T12:00:00.5+02:00", "2026-07-28T12:00:00.5+02:00"),
        ({"type": "string", "format": "date-time"}, "2026-07-28T12:00", "2026-07-28T12:00"),
        ({"type": "string", "enum": ["a", "b"]}, "b", "b"),
        ({"type": "string", "oneOf": TITLED}, "b", "b"),
        ({"type": "integer"}, 5, 5),
        ({"type": "integer"}, 5.0, 5),
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, " -5 ", -5),
        ({"type": "integer", "minimum": 5, "maximum": 5}, 5, 5),
        ({"type": "number"}, 5, 5),
        ({"type": "number"}, "5.25", 5.25),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "boolean"}, True, True),
        ({"type": "boolean"}, "false", False),
        ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, ["b"], ["b"]),
        ({"type": "array", "items": {"anyOf": TITLED}, "minItems": 0}, [], []),
    ],
)
def test_what_fits_is_taken_as_what_the_field_is(node, value, expected):
    """Lenient where nothing is lost: text boxes give text."""
    found = fit_value(node, value)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("node", "value", "reason"),
    [
        ({"type": "string"}, 5, "must be text"),
        ({"type": "string"}, ["a"], "must be text"),
        ({"type": "string", "minLength": 1}, "", "at least 1 characters"),
        ({"type": "string", "maxLength": 1}, "ab", "at most 1 characters"),
        ({"type": "string", "pattern": "^b"}, "ab", "must match ^b"),
        ({"type": "string", "pattern": "(?=b)"}, "a", "must match"),
        ({"type": "string", "format": "email"}, "ada", "e-mail"),
        ({"type": "string", "format": "email"}, "ada@x\nbcc:y", "e-mail"),
        ({"type": "string", "format": "uri"}, "example.com", "scheme"),
        ({"type": "string", "format": "uri"}, "https:// x", "scheme"),
        ({"type": "string", "format": "date"}, "2026-02-30", "a date"),
        ({"type": "string", "format": "date"}, "2026-02-28T00:00:00", "a date"),
        ({"type": "string", "format": "date"}, "20260228", "a date"),
        ({"type": "string", "format": "date"}, "٢٠٢٦-٠٢-٢٨", "a date"),
        ({"type": "string", "format": "date-time"}, "1700000000", "date and time"),
        ({"type": "string", "format": "date-time"}, "2026-02-30T12:00:00Z", "date and time"),
        ({"type": "string", "format": "date-time"}, "2026-02-28T12:00:00Z\n", "date and time"),
        ({"type": "string", "enum": ["a", "b"]}, "A", "one of a, b, not 'A'"),
        ({"type": "string", "enum": [str(n) for n in range(50)]}, "x" * 500, "…"),
        ({"type": "string", "oneOf": TITLED}, "A", "one of a, b"),
        ({"type": "integer"}, 5.5, "whole number"),
        ({"type": "integer"}, True, "whole number"),
        ({"type": "integer"}, "5.0", "whole number"),
        ({"type": "integer"}, "\u0665", "whole number"),
        ({"type": "integer"}, "9" * 50, "whole number"),
        ({"type": "integer"}, float("inf"), "whole number"),
        ({"type": "integer", "minimum": 5}, 4, "5 or more"),
        ({"type": "integer", "maximum": 5}, "6", "5 or less"),
        ({"type": "number"}, False, "a number"),
        ({"type": "number"}, "nan", "a number"),
        ({"type": "number"}, "inf", "a number"),
        ({"type": "number"}, "1e999", "a number"),
        ({"type": "number"}, 10**400, "a number"),
        ({"type": "number", "minimum": 0.5}, 0.4, "0.5 or more"),
        ({"type": "boolean"}, 1, "true or false"),
        ({"type": "boolean"}, "yes", "true or false"),
        ({"type": "boolean"}, [], "true or false"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, "a", "list of choices"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, [1], "list of choices"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, ["b"], "one of a"),
        ({"type": "array", "items": {"anyOf": TITLED}}, ["A"], "one of a, b"),
        ({"type": "array", "items": {"anyOf": TITLED}, "minItems": 1}, [], "at least 1 choices"),
        ({"type": "array", "items": {"anyOf": TITLED}, "maxItems": 1}, ["a", "b"], "at most 1 choices"),
    ],
)
def test_what_does_not_fit_is_told_with_what_would(node, value, reason):
    """MCP 2026-07-28, client/elicitation: the server validates what it receives."""
    with pytest.raises(ValueError) as refused:
        fit_value(node, value)
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 300


FORM = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string", "minLength": 1}}, "required": ["a"]}


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(Unreadable, match="a: is missing; b: must have at least 1 characters"):
        fit(FORM, {"b": "", "c": 1})


def test_what_the_form_did_not_ask_for_is_left_out():
    """And null stands for what was left empty."""
    assert fit(FORM, {"a": "1", "b": None, "c": 1, "__class__": "x"}) == {"a": 1}
    with pytest.raises(Unreadable, match="a: is missing"):
        fit(FORM, {"a": None})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NODES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "maxLength": 3, "pattern": "a|1"},
        {"type": "string", "format": "date"},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "email"},
        {"type": "string", "format": "uri"},
        {"type": "string", "enum": ["a", "1"]},
        {"type": "integer", "minimum": 0},
        {"type": "number", "maximum": 5},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 2},
    ]
)
KINDS = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list}


@given(NODES, JSON)
def test_whatever_comes_is_taken_as_the_fields_type_or_refused(node, value):
    """Untrusted input: no other exception, and a second reading changes nothing."""
    try:
        found = fit_value(node, value)
    except ValueError:
        return
    assert isinstance(found, KINDS[node["type"]])
    assert (node["type"] == "boolean") == isinstance(found, bool)
    assert fit_value(node, found) == found
