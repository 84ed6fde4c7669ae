"""lazymcp/uri_template.py: RFC 6570, and that matching is expansion in reverse."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from lazymcp.errors import RegistrationError
from lazymcp.uri_template import URITemplate, _normalise

VALUES = {
    "var": "value",
    "hello": "Hello World!",
    "path": "/foo/bar",
    "x": "1024",
    "y": "768",
    "empty": "",
    "half": "50%",
    "who": "fred",
}


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        # RFC 6570, 3.2.2
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("?{x}", "?1024"),
        ("map?{x,y}", "map?1024,768"),
        # 3.2.3
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        # 3.2.4
        ("X{#var}", "X#value"),
        ("X{#hello}", "X#Hello%20World!"),
        ("X{#empty}", "X#"),
        ("X{#undef}", "X"),
        # 3.2.5
        ("X{.x,y}", "X.1024.768"),
        ("X{.var}", "X.value"),
        ("X{.undef}", "X"),
        # 3.2.6
        ("{/who}", "/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        # 3.2.7
        ("{;half}", ";half=50%25"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        # 3.2.8
        ("{?who}", "?who=fred"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?undef}", ""),
        # 3.2.9
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("?fixed=yes{&x,y,empty}", "?fixed=yes&x=1024&y=768&empty="),
        # 3.1: literals
        ("caf\u00e9/{var}", "caf%C3%A9/value"),
        ("plain", "plain"),
    ],
)
def test_examples_of_the_rfc_expand_and_match(template, uri):
    """RFC 6570, sections 3.1 to 3.2.9."""
    parsed = URITemplate(template)
    assert parsed.expand(VALUES) == uri
    assert parsed.match(uri) == {name: VALUES[name] for name in parsed.variables if name in VALUES}


TEMPLATES = [
    "app://{a}",
    "app://files/{a}/of/{b}",
    "app://{a,b}/x",
    "app://{a}@{b}:8080/",
    "app://files/{+a}",
    "app://files/{+a}{?b}",
    "app://files/{a}{/b}",
    "app://files/{a}{;b,c}/z",
    "app://files/{a}{?b,c}{#d}",
    "app://files/?k=v{&a,b}",
    "app://files{/a,b,c}",
    "app://files/{a}{#b}",
    "häuser://straße/{a}",
]
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
awkward = st.text(alphabet="%/?#&=;,.+ é☃\U0001f600A0-~:@[]", max_size=8)


@given(st.sampled_from(TEMPLATES), st.dictionaries(st.sampled_from("abcd"), st.one_of(anything, awkward)))
@example("app://{a}", {"a": "%41"})
@example("app://files/{+a}", {"a": "../%2e%2e/a b?c#d"})
def test_matching_is_expansion_in_reverse(template, values):
    """RFC 6570, section 1.4: the reverse is ours to define."""
    parsed = URITemplate(template)
    values = {name: value for name, value in values.items() if name in parsed.variables}
    # {+a}{?b} cannot tell a question mark in a from its own.
    assume(template != "app://files/{+a}{?b}" or not set("?#") & set(values.get("a", "")))
    try:
        uri = parsed.expand(values)
    except ValueError:
        assume(False)
    assert uri.isascii()
    assert parsed.match(uri) == values


@given(st.sampled_from(TEMPLATES), st.one_of(anything, awkward))
def test_every_uri_has_one_reading(template, tail):
    """RFC 3986, section 6.2.2: equivalent URIs are one."""
    parsed = URITemplate(template)
    values = parsed.match("app://files/" + tail)
    if values is not None:
        assert parsed.match(parsed.expand(values)) == values


def test_equivalent_spellings_match_alike():
    """RFC 3986, 6.2.2.1 and 6.2.2.2; RFC 3987, 3.1."""
    users = URITemplate("app://straße/{email}")
    for uri in ("app://straße/é@x.org", "app://stra%c3%9fe/%c3%a9@x.org", "app://str%61%C3%9Fe/%C3%A9%40x%2Eorg"):
        assert users.match(uri) == {"email": "é@x.org"}


def test_values_are_decoded_once():
    """Percent-encoding is taken off exactly once: %2525 is %25."""
    assert URITemplate("app://{a}").match("app://%252F") == {"a": "%2F"}
    assert URITemplate("app://f/{+a}").match("app://f/a%2520b/c") == {"a": "a%20b/c"}


def test_a_plain_variable_stops_at_a_slash_and_a_reserved_one_does_not():
    """RFC 6570, 3.2.2 and 3.2.3."""
    assert URITemplate("app://f/{path}").match("app://f/a/b") is None
    assert URITemplate("app://f/{path}").match("app://f/a%2Fb") == {"path": "a/b"}
    assert URITemplate("app://f/{+path}").match("app://f/a/b") == {"path": "a/b"}
    assert URITemplate("app://f/{+path}/raw").match("app://f/a/raw/raw") == {"path": "a/raw"}


def test_an_extension_is_what_follows_the_last_dot():
    """RFC 6570, 3.2.5, where it leaves a choice."""
    template = URITemplate("app://f/{name}{.ext}")
    assert template.match("app://f/a") == {"name": "a"}
    assert template.match("app://f/a.txt") == {"name": "a", "ext": "txt"}
    assert URITemplate("app://f/{name}.{ext}").match("app://f/a.tar.gz") == {"name": "a.tar", "ext": "gz"}


def test_query_parameters_come_in_any_order_and_no_other_ones_come():
    """A misread request is never half-served."""
    search = URITemplate("app://s{?q,limit}")
    assert search.match("app://s") == search.match("app://s?") == {}
    assert search.match("app://s?limit=5&q=a+b") == {"limit": "5", "q": "a+b"}
    assert search.match("app://s?q=a%26b%3D") == {"q": "a&b="}
    assert search.match("app://s?q=a&q=b") is None
    assert search.match("app://s?other=1") is None


@pytest.mark.parametrize(
    "uri",
    [
        "app://u/",
        "app://u",
        "app://u/a/",
        "app://u/a?x=1",
        "app://u/a#x",
        "app://u/%",
        "app://u/%4",
        "app://u/%zz",
        "app://u/%ff",
        "app://u/%C3",
        "app://u/\ud800",
        "APP://u/a\n/",
        "",
        "app://u/" + "a" * 9000,
    ],
)
def test_what_is_not_of_the_template_is_none(uri):
    """A URI that is malformed, not UTF-8 or empty where a value is due is not matched."""
    assert URITemplate("app://u/{a}").match(uri) is None


@pytest.mark.parametrize("values", [{}, {"a": None}, {"a": ""}])
def test_a_required_value_must_be_there(values):
    """An empty segment and a missing one would expand alike."""
    with pytest.raises(ValueError, match="needs a value"):
        URITemplate("app://{a}").expand(values)


def test_a_positional_value_is_not_skipped():
    """`{/a,b}` without a would read as a."""
    with pytest.raises(ValueError, match="told apart by place"):
        URITemplate("app:/{/a,b}").expand({"b": "1"})


def test_values_need_not_be_strings():
    """RFC 6570, 2.4: a number is written out."""
    assert URITemplate("app://{a}{?b}").expand({"a": 5, "b": True}) == "app://5?b=True"


@pytest.mark.parametrize(
    "template",
    [
        "{",
        "a}b",
        "{}",
        "{ a}",
        "{a:3}",
        "{=a}",
        "{a,}",
        "{a-b}",
        "{é}",
        "x%2",
        "{{a}}",
        "{a}{b}",
        "{?a}{+b}",
        "{a}/{a}",
        "{?a}{&b}",
        "{+a,b}",
        "x\ud800",
    ],
)
def test_templates_that_mean_nothing_or_two_things_are_refused(template):
    """RFC 6570, 2; matching must be unambiguous."""
    with pytest.raises(RegistrationError):
        URITemplate(template)


def test_who_writes_a_star_is_told_about_plus():
    """Other frameworks write {path*} for what RFC 6570 writes {+path}."""
    with pytest.raises(RegistrationError, match=r"write \{\+name\}"):
        URITemplate("app://{path*}")


def test_variables_stand_in_order():
    """RFC 6570, 2.3."""
    parsed = URITemplate("app://{b}/{+a}{?z.k,y}")
    assert parsed.variables == ("b", "a", "z.k", "y")
    assert repr(parsed) == "URITemplate('app://{b}/{+a}{?z.k,y}')"


def test_a_uri_that_is_long_once_escaped_matches_nothing_and_costs_nothing():
    """A character may be twelve then, and each template of a server would look at all of them."""
    template = URITemplate("app://{+x}")
    assert template.match("app://" + "\U0001f600" * 600) == {"x": "\U0001f600" * 600}
    assert template.match("app://" + "\U0001f600" * 700) is None


def test_one_uri_is_brought_into_its_normal_form_once_for_all_templates():
    uri = "app://" + "%41" * 2700
    first, second = URITemplate("app://{+x}"), URITemplate("app://{+y}")
    first.match(uri)
    before = _normalise.cache_info().misses
    assert second.match(uri) == {"y": "A" * 2700}
    assert _normalise.cache_info().misses == before
