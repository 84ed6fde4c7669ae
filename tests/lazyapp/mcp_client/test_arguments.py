"""lazyapp/mcp_client/arguments.py: arguments from a command line."""

import io
from typing import Any

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.mcp_client.arguments import check_required, kind_of, merge, read_object, signature

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "price": {"type": "number"},
        "active": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "size": {"$ref": "#/$defs/Size"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "numbers": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
        "row": {"type": "object"},
        "id": {"type": ["integer", "string"]},
        "any": {},
        "either": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]},
        "name": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["query"],
    "additionalProperties": False,
    "$defs": {"Size": {"enum": ["small", "large"]}},
}


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["query=12"], "12"),
        (["query="], ""),
        (["query=a=b"], "a=b"),
        (["query=[1]"], "[1]"),
        (["limit=12"], 12),
        (["price=12"], 12.0),
        (["price=1e3"], 1000.0),
        (["active=yes"], True),
        (["active=0"], False),
        (["active=null"], None),
        (["size=large"], "large"),
        (["tags=a"], ["a"]),
        (["tags=a", "tags=1"], ["a", "1"]),
        (['tags=["a, b"]'], ["a, b"]),
        (["numbers=1", "numbers=2"], [1, 2]),
        (['row={"a": [1]}'], {"a": [1]}),
        (["id=7"], 7),
        (["id=seven"], "seven"),
        (["any=7"], 7),
        (["any=seven"], "seven"),
        (["name=null"], "null"),
        (["either=[1]"], [1]),
        (["either=one"], "one"),
        (["either=1", "either=2"], [1, 2]),
    ],
)
def test_a_word_has_the_type_that_the_schema_gives_it(words: list[str], value: object) -> None:
    """docs/commands.md, "Arguments": a text stays a text, whatever it looks like (https://github.com/PrefectHQ/fastmcp/issues/251)."""
    (found,) = merge({}, words, SCHEMA).values()
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["limit=1.5"], "The argument 'limit' should be a whole number, not '1.5'."),
        (["price=nan"], "The argument 'price' should be a number, not 'nan'."),
        (["active=maybe"], "The argument 'active' should be true or false, not 'maybe'."),
        (["size=medium"], "The argument 'size' is one of small, large, not 'medium'."),
        (["numbers=1", "numbers=x"], "The argument 'numbers' should be a whole number, not 'x'."),
        (["row=[1]"], "The argument 'row' should be a JSON object, not '[1]'."),
        (["limit=1", "limit=2"], "The argument 'limit' is given twice, and it is no list."),
        (["qery=1"], "There is no argument 'qery'; did you mean 'query'?"),
        (["zzz=1"], "There is no argument 'zzz'; it takes query, limit,"),
        (["=1"], "'=1' is no argument; write NAME=VALUE"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(words: list[str], sentence: str) -> None:
    """docs/commands.md, "Exit codes"."""
    with pytest.raises(ConfigurationError) as refused:
        merge({}, words, SCHEMA)
    assert str(refused.value).startswith(sentence)


def test_a_tool_that_takes_anything_takes_any_word() -> None:
    """`ToolSpec(input_schema={"type": "object"})`: its arguments reach the function by keyword."""
    assert merge({"a": 1}, ["b=2", "c=x"], {"type": "object"}) == {"a": 1, "b": 2, "c": "x"}
    assert merge({}, ["b=2"], {"properties": {"a": {}}, "additionalProperties": True}) == {"b": 2}


def test_the_arguments_of_a_tool_are_told_in_one_line() -> None:
    told = signature(SCHEMA)
    assert told.startswith("query: string, limit?: integer, price?: number, active?: boolean, size?: small|large, tags?: string[],")
    assert signature({"properties": {}, "additionalProperties": False}) == "nothing"
    assert signature({}) == "anything"
    assert kind_of({"$ref": "#/$defs/Loop"}, {"$defs": {"Loop": {"$ref": "#/$defs/Loop"}}}) == "any"


def test_what_is_required_is_asked_for_by_name() -> None:
    check_required({"query": "x"}, SCHEMA)
    with pytest.raises(ConfigurationError, match="The argument 'query' is missing; it takes query: string"):
        check_required({}, SCHEMA)


@pytest.mark.parametrize("text", ["{", "NaN", '{"a": NaN}', "[" * 100_000, "7", "null", '"x"'])
def test_json_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--args"):
        read_object(text, io.StringIO())


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"--args: nowhere\.json cannot be read: No such file"):
        read_object("@nowhere.json", io.StringIO())


def test_no_text_is_no_arguments() -> None:
    assert read_object("", io.StringIO()) == {}
    assert read_object("-", io.StringIO("\n")) == {}
