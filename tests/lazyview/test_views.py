import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

import lazyview
from lazyview import ViewError, ViewNotFound, Views


def test_the_layout_receives_the_view_as_content(app, write):
    """design 6: a layout receives the rendered view as `content`."""
    write("app/home/index.html.j2", "<p>{{ name }}</p>")
    write("app/layouts/app.html.j2", "<main>{{ content }}</main><i>{{ name }}</i>")
    page = Views([app]).render("home/index", {"name": "<Ada>"}, layout="app")
    assert page == "<main><p>&lt;Ada&gt;</p></main><i>&lt;Ada&gt;</i>"


def test_the_layout_sees_what_the_view_sets(app, write):
    write("app/home/index.html.j2", "{% set title = 'Home' %}{% set _mine = 1 %}view")
    write("app/layouts/app.html.j2", "{{ title }}: {{ content }}{{ _mine is defined }}")
    assert Views([app]).render("home/index", {"title": "given"}, layout="app") == "Home: viewFalse"


def test_inheritance_works_too(app, write):
    """design 6: plain Jinja inheritance works too."""
    write("app/layouts/base.html.j2", "<h1>{% block title %}none{% endblock %}</h1>{% block body %}{% endblock %}")
    write("app/home/index.html.j2", "{% extends 'layouts/base.html.j2' %}{% block title %}{{ super() }} {{ name }}{% endblock %}")
    assert Views([app]).render("home/index", {"name": "<Ada>"}) == "<h1>none &lt;Ada&gt;</h1>"


def test_a_layout_of_another_format_is_its_own_file(app, write):
    write("app/mail/hello.txt.j2", "Hello {{ name }}")
    write("app/layouts/mail.txt.j2", "{{ content }} -- us")
    assert Views([app]).render("mail/hello", {"name": "A & B"}, layout="mail", format="txt") == "Hello A & B -- us"


def test_variants_hold_for_the_layout(app, write):
    write("app/home/index.html.j2", "view")
    write("app/layouts/app.html.j2", "wide")
    write("app/layouts/app.html+phone.j2", "narrow {{ content }}")
    assert Views([app]).render("home/index", layout="app", variants=["phone"]) == "narrow view"


def test_a_block_can_be_rendered_alone(app, write):
    """design 6: blocks can be rendered alone (fragments for Turbo or htmx)."""
    write(
        "app/accounts/index.html.j2",
        "<h1>{{ title }}</h1>{% block list %}{% for a in accounts %}<li>{{ a }}</li>{% endfor %}{% endblock %}",
    )
    views = Views([app])
    assert views.render_block("accounts/index", "list", {"accounts": ["<a>"]}) == "<li>&lt;a&gt;</li>"
    with pytest.raises(ViewError, match=r"accounts/index.html.j2 has no block 'lists'; its blocks are: list"):
        views.render_block("accounts/index", "lists")
    with pytest.raises(ViewNotFound):
        views.render_block("accounts/show", "list")


def test_in_development_an_edit_shows_at_once(app, write):
    """design 6: in development they reload."""
    write("app/home/index.html.j2", "{% include 'home/_part.html.j2' %} one")
    write("app/home/_part.html.j2", "part")
    views = Views([app], reload=True)
    assert views.render("home/index") == "part one"
    write("app/home/index.html.j2", "{% include 'home/_part.html.j2' %} twice")
    assert views.render("home/index") == "part twice"
    write("app/home/_part.html.j2", "piece")
    assert views.render("home/index") == "piece twice"


def test_in_development_a_new_file_hides_the_one_of_a_later_root(app, write):
    write("theirs/home/index.html.j2", "{% include 'home/_part.html.j2' %}")
    write("theirs/home/_part.html.j2", "theirs")
    views = Views([app, app.parent / "theirs"], reload=True)
    assert views.render("home/index") == "theirs"
    mine = write("app/home/_part.html.j2", "mine")
    assert views.render("home/index") == "mine"
    mine.unlink()
    assert views.render("home/index") == "theirs"


def test_in_production_a_template_is_read_once(app, write):
    write("app/home/index.html.j2", "one")
    views = Views([app])
    assert views.render("home/index") == "one"
    write("app/home/index.html.j2", "twice")
    assert views.render("home/index") == "one"


def test_every_template_is_compiled_hidden_ones_too(app, write):
    """design 6: templates compile once at start."""
    ours = Views([app]).compile()
    write(
        "app/home/index.html.j2",
        "{% extends 'layouts/base.html.j2' %}{% include 'no/such.html.j2' ignore missing %}{% include which %}",
    )
    write("app/layouts/base.html.j2", "base")
    write("theirs/home/index.html.j2", "hidden")
    both = Views([app, app.parent / "theirs"])
    assert both.compile() == ours + 3
    assert both.compile([app.parent / "theirs"]) == 1


@pytest.mark.parametrize(
    "tag", ["{% extends 'no/such.html.j2' %}", "{% include 'no/such.html.j2' %}", "{% from 'no/such.html.j2' import it %}"]
)
def test_compiling_finds_the_templates_that_are_named_and_missing(app, write, tag):
    write("app/home/index.html.j2", f"\n{tag}")
    with pytest.raises(ViewNotFound, match=r"'no/such.html.j2', asked for by home/index.html.j2, line 2"):
        Views([app]).compile()


def test_many_threads_share_the_views(app, write):
    write("app/home/index.html.j2", "{% for n in range(200) %}{{ partial('line', n=n, who=who) }}{% endfor %}")
    write("app/home/_line.html.j2", "{{ who }}{{ n }} ")
    write("app/layouts/app.html.j2", "{{ who }}: {{ content }}")
    for reload in (False, True):
        views = Views([app], reload=reload)
        together = threading.Barrier(4)

        def page(who, views=views, together=together):
            together.wait()
            return views.render("home/index", {"who": who}, layout="app")

        with ThreadPoolExecutor(4) as pool:
            pages = list(pool.map(page, "abcd"))
        assert pages == [f"{who}: " + "".join(f"{who}{n} " for n in range(200)) for who in "abcd"]


def test_a_page_changes_nothing_that_it_was_given(app, write):
    write("app/home/index.html.j2", "{% set title = 'Home' %}{{ title }}")
    write("app/layouts/app.html.j2", "{{ content }}")
    variables = {"title": "given"}
    Views([app]).render("home/index", variables, layout="app")
    assert variables == {"title": "given"}


def test_a_rendering_can_be_watched_and_so_can_those_with_more_helpers(app, write):
    """docs/logs.md, "Traces": a span for each view; whoever wants one gives the context."""
    write("app/home/index.html.j2", "{{ nothing_of_that_name }}")
    seen = []

    @contextmanager
    def around(name):
        seen.append(name)
        try:
            yield
        except ViewError:
            seen.append("failed")
            raise

    views = Views([app])
    views.around = around
    for each in (views, views.with_helpers({"more": lambda: ""})):
        with pytest.raises(ViewError):
            each.render("home/index")
    assert seen == ["home/index", "failed"] * 2


def test_the_public_names_are_sorted_and_all_there():
    """style, "Public names"."""
    assert lazyview.__all__ == sorted(lazyview.__all__)
    assert [name for name in lazyview.__all__ if not hasattr(lazyview, name)] == []
