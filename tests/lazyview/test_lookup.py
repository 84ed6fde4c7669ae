import pytest

from lazyview import ViewError, ViewNotFound, Views
from lazyview.lookup import Lookup, split


@pytest.fixture(params=[False, True], ids=["production", "development"])
def reload(request):
    return request.param


def test_a_view_is_a_file_with_its_name_and_format(app, write, reload):
    """design 6: `<controller>/<action>.<format>[+variant].j2`."""
    write("app/home/index.html.j2", "html")
    write("app/home/index.txt.j2", "text")
    views = Views([app], reload=reload)
    assert views.render("home/index") == "html"
    assert views.render("home/index", format="txt") == "text"
    assert views.exists("home/index")
    assert not views.exists("home/index", format="svg")
    assert not views.exists("home/other")


def test_the_first_variant_that_exists_is_preferred(app, write, reload):
    write("app/home/index.html.j2", "plain")
    write("app/home/index.html+phone.j2", "phone")
    views = Views([app], reload=reload)
    assert views.render("home/index", variants=["watch", "phone"]) == "phone"
    assert views.render("home/index", variants=["watch"]) == "plain"
    assert views.render("home/index") == "plain"


def test_the_first_root_that_has_the_file_wins(app, write, reload):
    """design 6: roots are layered, application over framework defaults."""
    write("app/home/index.html.j2", "mine")
    write("theirs/home/index.html.j2", "theirs")
    write("theirs/home/index.html+phone.j2", "their phone")
    write("theirs/home/more.html.j2", "more")
    views = Views([app, app.parent / "theirs"], reload=reload)
    assert views.render("home/index") == "mine"
    assert views.render("home/index", variants=["phone"]) == "mine"
    assert views.render("home/more") == "more"


def test_a_missing_view_lists_every_path_that_was_tried(app, monkeypatch, reload):
    """design 6: an error that lists every path tried; there is no silent fallback."""
    monkeypatch.chdir(app.parent)
    views = Views([app], reload=reload)
    with pytest.raises(ViewNotFound) as caught:
        views.render("home/index", variants=["phone"])
    assert caught.value.tried[:2] == ("app/home/index.html+phone.j2", "app/home/index.html.j2")
    assert caught.value.tried[2].endswith("lazyview/templates/home/index.html+phone.j2")
    assert len(caught.value.tried) == 4
    assert str(caught.value).startswith("no template for 'home/index.html'; tried\n  app/home/index.html+phone.j2\n")


def test_a_missing_layout_is_an_error_even_if_another_layout_exists(app, write, reload):
    write("app/home/index.html.j2", "view")
    write("app/layouts/app.html.j2", "{{ content }}")
    with pytest.raises(ViewNotFound, match=r"layouts/other.html"):
        Views([app], reload=reload).render("home/index", layout="other")


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "home/../../secret",
        "/etc/passwd",
        "home//index",
        "home/",
        "",
        ".",
        "home\\index",
        "home/index\0",
        "home/index\n",
        "home/index.html",
    ],
)
def test_no_name_leads_out_of_a_root(app, write, name, reload):
    write("secret.html.j2", "secret")
    write("app/home/index.html.j2", "view")
    views = Views([app], reload=reload)
    with pytest.raises(ViewError, match="cannot be a view's name"):
        views.render(name)
    with pytest.raises(ViewError, match="cannot be a view's name"):
        views.exists(name)


@pytest.mark.parametrize("word", ["", "..", "a/b", "html.j2", "a\0"])
def test_no_format_or_variant_leads_out_of_a_root(app, word, reload):
    views = Views([app], reload=reload)
    for asked in ({"format": word}, {"variants": [word]}):
        with pytest.raises(ViewError, match="format or variant"):
            views.render("home/index", **asked)


@pytest.mark.parametrize(
    "file", ["../secret.html.j2", "/../secret.html.j2", "home/../../secret.html.j2", "./secret.html.j2", "secret.html.j2\0"]
)
def test_no_template_includes_what_lies_outside(app, write, file, reload):
    write("secret.html.j2", "secret")
    write("app/home/index.html.j2", "{% include file %}")
    with pytest.raises(ViewNotFound, match=r"asked for by home/index.html.j2, line 1"):
        Views([app], reload=reload).render("home/index", {"file": file})


def test_absolute_names_lead_nowhere(app, write, reload):
    secret = write("secret.html.j2", "secret")
    write("app/home/index.html.j2", "{% include file %}")
    with pytest.raises(ViewNotFound):
        Views([app], reload=reload).render("home/index", {"file": str(secret)})


def test_a_root_that_does_not_exist_is_named(app):
    with pytest.raises(ViewError, match=r"folder of views .*nowhere does not exist"):
        Views([app.parent / "nowhere"])


def test_a_template_may_have_no_format(app, write, reload):
    write("app/macros.j2", "{% macro hello(name) %}Hello {{ name }}{% endmacro %}")
    write("app/home/index.html.j2", "{% from 'macros.j2' import hello %}{{ hello('<Ada>') }}")
    assert Views([app], reload=reload).render("home/index") == "Hello &lt;Ada&gt;"


def test_in_production_the_disk_is_read_once(app, write):
    lookup = Lookup([app], reload=False)
    assert not lookup.has("home/index", "html")
    write("app/home/index.html.j2", "late")
    assert not lookup.has("home/index", "html")


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("home/index.html.j2", ("home/index", "html")),
        ("index.html+phone.j2", ("index", "html")),
        ("home/feed.turbo_stream.j2", ("home/feed", "turbo_stream")),
        ("macros.j2", ("macros", "j2")),
    ],
)
def test_a_file_tells_the_name_and_the_format(file, parts):
    assert split(file) == parts
