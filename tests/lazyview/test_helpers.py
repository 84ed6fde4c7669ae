import functools

import pytest

from lazyview import RenderContext, ViewError, ViewNotFound, Views


def test_a_helper_is_a_plain_function(app, write):
    """design 6: helpers are plain functions."""
    write("app/home/index.html.j2", "{{ shout('a', times=2) }}{{ total([1, 2]) }}")
    helpers = {"shout": lambda text, times: text.upper() * times, "total": sum}
    assert Views([app], helpers=helpers).render("home/index") == "AA3"


def test_what_a_helper_returns_is_escaped(app, write):
    write("app/home/index.html.j2", "{{ tag() }}")
    assert Views([app], helpers={"tag": lambda: "<b>"}).render("home/index") == "&lt;b&gt;"


def where(context: RenderContext, mark: str) -> str:
    return f"{mark}{context.name}.{context.format} {context.variables['path']}"


class Where:
    def __call__(self, context: RenderContext, mark: str) -> str:
        return where(context, mark)

    def method(self, context: RenderContext, mark: str) -> str:
        return where(context, mark)


def as_text(context: "RenderContext", mark: str) -> str:
    return where(context, mark)


@pytest.mark.parametrize("helper", [where, Where(), Where().method, as_text], ids=["function", "callable", "method", "quoted"])
def test_a_helper_that_asks_for_the_context_is_bound_to_it(app, write, helper):
    """design 6: those whose first parameter is the render context are bound to it."""
    write("app/home/index.html.j2", "{{ where('@') }}")
    write("app/home/_part.txt.j2", "")
    assert Views([app], helpers={"where": helper}).render("home/index", {"path": "/a"}) == "@home/index.html /a"


@pytest.mark.parametrize(
    "helper", [sum, str, functools.partial(lambda a: a, 1), lambda: "x"], ids=["builtin", "class", "partial", "lambda"]
)
def test_a_helper_without_annotations_is_called_as_it_is(app, write, helper):
    write("app/home/index.html.j2", "{% if helper %}{% endif %}ok")
    assert Views([app], helpers={"helper": helper}).render("home/index") == "ok"


def test_a_layout_and_a_partial_are_contexts_of_their_own(app, write):
    write("app/home/index.html.j2", "{{ where('1') }} {{ partial('part') }}")
    write("app/home/_part.html.j2", "{{ where('2') }}")
    write("app/layouts/app.html.j2", "{{ content }} {{ where('3') }}")
    page = Views([app], helpers={"where": where}).render("home/index", {"path": "/"}, layout="app")
    assert page == "1home/index.html / 2home/_part.html / 3layouts/app.html /"


def test_the_variables_of_a_context_are_a_copy_without_helpers(app, write):
    def names(context: RenderContext) -> str:
        found = context.variables
        context.variables["title"] = "changed"
        return " ".join(sorted(found))

    write("app/home/index.html.j2", "{% set later = 1 %}{{ names() }} {{ title }}")
    text = Views([app], helpers={"names": names}).render("home/index", {"title": "given", "other": 2})
    assert text.split() == ["later", "other", "title", "given"]


def test_a_partial_sees_the_variables_and_those_given(app, write):
    write(
        "app/accounts/index.html.j2",
        "{% for account in accounts %}{{ partial('row', account=account) }}{% endfor %}{{ partial('shared/note', note='!') }}",
    )
    write("app/accounts/_row.html.j2", "<li>{{ account }} {{ title }}</li>")
    write("app/shared/_note.html.j2", "{{ note }}")
    page = Views([app]).render("accounts/index", {"accounts": ["<a>", "b"], "title": "T"})
    assert page == "<li>&lt;a&gt; T</li><li>b T</li>!"


def test_a_partial_beside_a_template_at_the_top(app, write):
    write("app/error.html.j2", "{{ partial('part') }}")
    write("app/_part.html.j2", "part")
    assert Views([app]).render("error") == "part"


def test_a_partial_wants_the_format_and_the_variants_of_its_page(app, write):
    write("app/home/index.html.j2", "{{ partial('part') }}")
    write("app/home/index.txt.j2", "{{ partial('part') }}")
    write("app/home/_part.html.j2", "html")
    write("app/home/_part.html+phone.j2", "phone")
    write("app/home/_part.txt.j2", "text")
    views = Views([app])
    assert views.render("home/index") == "html"
    assert views.render("home/index", variants=["phone"]) == "phone"
    assert views.render("home/index", format="txt") == "text"


def test_a_missing_partial_lists_every_path_that_was_tried(app, write):
    write("app/home/index.html.j2", "{{ partial('part') }}")
    with pytest.raises(ViewNotFound) as caught:
        Views([app]).render("home/index")
    assert caught.value.tried[0].endswith("app/home/_part.html.j2")


@pytest.mark.parametrize("name", ["../secret", "home/../secret", "", "/"])
def test_no_partial_leads_out_of_a_root(app, write, name):
    write("_secret.html.j2", "secret")
    write("app/home/index.html.j2", "{{ partial(name) }}")
    with pytest.raises(ViewError):
        Views([app]).render("home/index", {"name": name})


def test_further_helpers_make_further_views(app, write):
    write("app/home/index.html.j2", "{{ a() }}{{ b() }}{{ partial('part') }}")
    write("app/home/_part.html.j2", "{{ b() }}")
    views = Views([app], helpers={"a": lambda: "a", "b": lambda: "old"})
    more = views.with_helpers({"b": lambda: "new"})
    assert more.render("home/index") == "anewnew"
    assert views.render("home/index") == "aoldold"


@pytest.mark.parametrize(("name", "helper"), [("", str), ("a-b", str), ("a", None), ("a", "text")])
def test_what_no_template_can_call_is_refused(app, name, helper):
    with pytest.raises(ViewError, match="must be a function with a name"):
        Views([app], helpers={name: helper})
