"""`lazyapp.generators.fields`."""

import ast

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.fields import KINDS, Field, in_order, parse, quoted


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("title", Field("title", "str")),
        ("limit:int=10", Field("limit", "int", default="10")),
        ("low:int=-3", Field("low", "int", default="-3")),
        ("price:Decimal=9.50", Field("price", "Decimal", default='Decimal("9.50")')),
        ("shipped_at:datetime?", Field("shipped_at", "datetime", is_optional=True)),
        ("due:date=2026-01-31", Field("due", "date", default="date(2026, 1, 31)")),
        ("paid:bool=no", Field("paid", "bool", default="False")),
        ("tags:list[str]", Field("tags", "list[str]")),
        ("status:draft|paid=draft", Field("status", "choice", default='"draft"', choices=("draft", "paid"))),
        ('word:str=say "hi" = \\', Field("word", "str", default="'say \"hi\" = \\\\'")),
        ("word=a:b?", Field("word", "str", default='"a:b?"')),
        ("note?", Field("note", "str", is_optional=True)),
        ("ratio:float=1", Field("ratio", "float", default="1")),
        ("user:references", Field("user", "references")),
    ],
)
def test_a_field_is_read(text: str, field: Field) -> None:
    """docs/generators.md: typed fields."""
    assert parse([text], references=True) == [field]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("price:money", "'money' is no type; there are str, int, float"),
        ("user:references", "'references' is no type"),
        (":int", "cannot be the name of a field"),
        ("Title:str", "cannot be the name of a field"),
        ("class:str", "has a meaning in Python or pydantic"),
        ("self:str", "has a meaning in Python or pydantic"),
        ("model_config:str", "has a meaning in Python or pydantic"),
        ("date:date", "has a meaning in Python or pydantic"),
        ("limit:int=ten", "'ten' is no int"),
        ("limit:int=True", "'True' is no int"),
        ("limit:int=__import__('os')", "is no int"),
        ("price:Decimal=NaN", "'NaN' is no Decimal"),
        ("due:date=tomorrow", "'tomorrow' is no date"),
        ("at:datetime=2026-01-31", "is no datetime; leave the default out"),
        ("paid:bool=maybe", "'maybe' is no bool"),
        ("code:UUID=1", "'1' is no UUID"),
        ("status:draft|draft", "choices are different words"),
        ("status:draft|", "choices are different words"),
        ('status:a|"b', "choices are different words"),
        ("status:draft|paid=gone", "the default 'gone' is none of draft, paid"),
        ("a?b", "is no field; write for example title:str"),
    ],
)
def test_anything_else_is_refused_with_what_is_meant(text: str, reason: str) -> None:
    """docs/generators.md: a clear error for anything else."""
    with pytest.raises(ConfigurationError) as refused:
        parse([text])
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_two_fields_have_one_name() -> None:
    with pytest.raises(ConfigurationError, match="Two fields are called 'a'"):
        parse(["a:int", "a:str"])


def test_a_reference_has_no_default() -> None:
    with pytest.raises(ConfigurationError, match="a reference has no default; leave =3 out"):
        parse(["user:references=3"], references=True)


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_has_an_example_that_is_python(kind: str) -> None:
    field = Field("one", kind, is_optional=True)
    ast.parse(field.example, mode="eval")
    ast.parse(field.annotation, mode="eval")
    ast.literal_eval(field.wire)
    assert field.annotation == f"{field.bare} | None"


def test_what_must_be_given_comes_first() -> None:
    assert [each.name for each in in_order(parse(["a:int=1", "b", "c?", "d"]))] == ["b", "d", "a", "c"]


def test_a_text_is_quoted_so_that_python_reads_it_back() -> None:
    for text in ("plain", 'a"b', "a\\b", "a\nb", "é", "\x00"):
        assert ast.literal_eval(quoted(text)) == text
    assert parse(["status:a|b"])[0].words == "status"
