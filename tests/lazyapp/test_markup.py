"""HTML elements out of names, attributes and content."""

import pytest
from markupsafe import Markup

from lazyapp.markup import attribute_text, tag, words


def test_values_and_content_are_escaped_and_markup_between_tags_is_not() -> None:
    """Design, section 6: autoescape is always on for HTML."""
    assert tag("a", {"href": '/"><script>'}, "<b>") == '<a href="/&#34;&gt;&lt;script&gt;">&lt;b&gt;</a>'
    assert tag("p", {}, Markup("<b>x</b>")) == "<p><b>x</b></p>"
    assert tag("input", {"value": "x"}) == '<input value="x">'


def test_markup_in_an_attribute_cannot_end_it() -> None:
    """What is safe between tags may hold a quotation mark; what is escaped already is not escaped twice."""
    assert attribute_text({"title": Markup('" onclick="x')}) == ' title="&#34; onclick=&#34;x"'
    assert attribute_text({"href": Markup("/?a=1&amp;b=2")}) == ' href="/?a=1&amp;b=2"'


def test_names_are_written_as_python_has_them_and_truth_stands_bare() -> None:
    """HTML, section 13.1.2.3."""
    given = {"class_": "a", "data_id": 3, "required": True, "hidden": False, "title": None, "aria_label": ""}
    assert attribute_text(given) == ' class="a" data-id="3" required aria-label=""'


@pytest.mark.parametrize("name", ["a b", "x>", 'x"', "", "a=b", "\n"])
def test_a_name_that_could_end_the_tag_is_refused(name: str) -> None:
    """HTML, section 13.1.2.3."""
    with pytest.raises(ValueError, match="attribute"):
        attribute_text({name: "x"})


def test_a_name_is_read_in_words() -> None:
    """Issue: labels."""
    assert [words(name) for name in ("email", "first_name", "e-mail", "_id", "")] == ["Email", "First name", "E mail", "Id", ""]
