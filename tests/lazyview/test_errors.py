import pytest

from lazyview import TemplateError, ViewError, ViewNotFound
from lazyview.errors import excerpt

SOURCE = "\n".join(f"line {n}" for n in range(1, 13))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (1, ["> 1 | line 1", "  2 | line 2", "  3 | line 3"]),
        (9, ["   7 | line 7", "   8 | line 8", ">  9 | line 9", "  10 | line 10", "  11 | line 11"]),
        (12, ["  10 | line 10", "  11 | line 11", "> 12 | line 12"]),
    ],
)
def test_an_excerpt_shows_the_line_between_its_neighbours(line, shown):
    assert excerpt(SOURCE, line).splitlines() == shown


@pytest.mark.parametrize(("source", "line"), [("", 1), ("one", 7), ("one\n", 2), ("one", 0)])
def test_an_excerpt_of_a_line_that_is_not_there_is_what_there_is(source, line):
    assert ">" not in excerpt(source, line)


def test_a_template_error_reads_as_place_sentence_and_excerpt():
    error = TemplateError("home/index.html.j2", 3, "'x' is undefined", "> 3 | {{ x }}")
    assert str(error) == "home/index.html.j2, line 3: 'x' is undefined\n\n> 3 | {{ x }}"
    assert str(TemplateError("home/index.html.j2", 3, "'x' is undefined")) == "home/index.html.j2, line 3: 'x' is undefined"


def test_all_errors_have_one_base():
    assert issubclass(ViewNotFound, ViewError)
    assert issubclass(TemplateError, ViewError)
