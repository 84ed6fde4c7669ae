"""The controller's own verbs."""

from pathlib import Path
from typing import Any

import pytest
from fastapi import Response

from lazyapp.controller import Controller, UnsafeRedirect, actions_of, controller_name
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class NotesController(Controller):
    async def index(self) -> dict[str, Any]:
        self.session["seen"] = self.session.get("seen", 0) + 1
        return {"status": "mine", "view": "mine too", "seen": self.session["seen"], "env": self.settings.env}

    async def other(self) -> Response:
        return self.render("index", status=201, layout=None, seen=0, env=self.path_for("note", id=3))

    async def shared(self) -> Response:
        return self.render("shared/notice", word="hello")

    async def show(self, id: int) -> None: ...

    async def leave(self, target: str, foreign: bool = False) -> Response:
        return self.redirect_to(target, foreign=foreign)

    async def back(self) -> Response:
        return self.redirect_back("note", id=7)

    async def mail(self) -> Response:
        return Response(self.url_for("note", id=7, tab="a b"))

    async def onward(self) -> Response:
        return self.redirect_to("note", id=7, tab="a b")


def draw(routes: Routes) -> None:
    routes.resources("notes", NotesController)
    routes.post("/back", NotesController.back)
    for action in ("other", "shared", "leave", "onward", "mail"):
        routes.get(f"/{action}", getattr(NotesController, action))


FILES = {
    "views/notes/index.html.j2": "{{ status|default('-') }} {{ view|default('-') }} {{ seen }} {{ env }}",
    "views/notes/show.html.j2": "a note",
    "views/shared/notice.html.j2": "notice {{ word }}",
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, draw, FILES)


def test_none_renders_the_actions_view_in_the_layout(site: Site) -> None:
    """Design, section 3."""
    assert site.client().get("/notes/1").text == "<!doctype html><title>site</title>a note"


def test_a_dict_gives_the_view_its_variables_whatever_their_names(site: Site) -> None:
    """Design, section 3: a dict renders with these variables."""
    client = site.client()
    assert client.get("/notes").text.endswith("mine mine too 1 test")
    assert client.get("/notes").text.endswith("mine mine too 2 test")


def test_render_takes_another_view_a_status_and_no_layout(site: Site) -> None:
    """Issue 2."""
    answer = site.client().get("/other")
    assert (answer.status_code, answer.text) == (201, "- - 0 /notes/3")
    assert site.client().get("/shared").text.endswith("notice hello")


def test_a_redirect_to_a_name_fills_its_path(site: Site) -> None:
    """RFC 9110, 15.4.4."""
    answer = site.client().get("/onward")
    assert (answer.status_code, answer.headers["location"]) == (303, "/notes/7?tab=a+b")


@pytest.mark.parametrize(
    "target", ["/", "/notes?a=b#c", "/notes/a//b", "/?next=https://evil.test", "http://testserver", "http://testserver/x"]
)
def test_a_redirect_stays_here(site: Site, target: str) -> None:
    """Issue 2: never to a foreign host."""
    answer = site.client().get("/leave", params={"target": target})
    assert (answer.status_code, answer.headers["location"]) == (303, target)


@pytest.mark.parametrize(
    "target",
    [
        "//evil.test",
        "/\\evil.test",
        "/\t/evil.test",
        "/\n/evil.test",
        "///evil.test",
        "https://evil.test",
        "http://testserver.evil.test",
        "http://testserver@evil.test/",
        "/ /evil.test",
        "javascript://x",
    ],
)
def test_a_redirect_to_another_host_is_refused_unless_told(site: Site, target: str, caplog: pytest.LogCaptureFixture) -> None:
    """RFC 9700, 4.11: no open redirect."""
    assert site.client().get("/leave", params={"target": target}).status_code == 500
    assert UnsafeRedirect.__name__ in caplog.text
    assert site.client().get("/leave", params={"target": target, "foreign": True}).status_code == 303


@pytest.mark.parametrize("page", ["http://testserver", "http://testserver/notes?page=2", "http://testserver//x"])
def test_a_redirect_back_leads_to_the_page_of_ours_that_it_came_from(site: Site, page: str) -> None:
    """RFC 9110, 10.1.3."""
    answer = site.client().post("/back", headers={"referer": page})
    assert (answer.status_code, answer.headers["location"]) == (303, page)


@pytest.mark.parametrize(
    "page",
    [
        None,
        "",
        "https://evil.test/",
        "http://testserver.evil.test/",
        "http://testserver@evil.test/",
        "/notes",
        "javascript:x",
        "//x",
    ],
)
def test_a_redirect_back_to_elsewhere_leads_where_the_action_says(site: Site, page: str | None) -> None:
    """RFC 9700, 4.11: the header is the visitor's own word."""
    answer = site.client().post("/back", headers={} if page is None else {"referer": page})
    assert (answer.status_code, answer.headers["location"]) == (303, "/notes/7")


def test_an_address_for_elsewhere_begins_with_the_public_url(site: Site) -> None:
    """`PUBLIC_URL`, whatever host was asked for."""
    assert site.client().get("/mail").text == "http://testserver/notes/7?tab=a+b"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("AccountsController", "accounts"),
        ("OrderItemsController", "order_items"),
        ("HTTPLogController", "http_log"),
        ("Controller", "controller"),
    ],
)
def test_a_controllers_views_lie_in_the_folder_of_its_name(name: str, folder: str) -> None:
    """Design, section 6."""
    assert controller_name(type(name, (Controller,), {})) == folder


def test_public_methods_of_a_subclass_are_actions_and_the_controllers_own_are_not() -> None:
    """An action of a base class is an action of every class below it."""

    class Base(Controller):
        def index(self, word: str = "base", *, other: int = 1) -> str:
            """Doc."""
            return word

        def render(
            self, view: str | None = None, /, *, status: int = 200, layout: str | None = "app", **variables: Any
        ) -> Response:
            return Response("own")

    class Sub(Base):
        kind = "sub"

        @property
        def word(self) -> str:
            return "x"

        @staticmethod
        def static() -> None: ...

        def _hidden(self) -> None: ...

        def show(self) -> str:
            return super().index("sub")

    assert actions_of(Base) == ["index"]
    assert actions_of(Sub) == ["index", "show"]
    assert (Sub().index(), Sub().show(), Sub.index.__doc__, Sub.index.__kwdefaults__) == ("base", "sub", "Doc.", {"other": 1})


class LooksController(Controller):
    """Its views in other clothes."""

    layout = "admin"

    async def index(self) -> dict[str, str]:
        return {"who": "<Ada>"}

    async def phone(self) -> dict[str, str]:
        self.variants = ("phone",)
        return {"who": "Ada"}

    async def piece(self) -> Response:
        self.variants = ("phone",)
        return self.render("index", block="list", who="<Ada>")

    async def bare(self) -> Response:
        return self.render("index", layout=None, who="Ada")

    async def other(self) -> Response:
        return self.render("index", layout="app", who="Ada")


LOOKS = {
    "views/layouts/admin.html.j2": "admin:{{ content }}",
    "views/looks/index.html.j2": "whole {% block list %}<b>{{ who }}</b>{% endblock %}",
    "views/looks/index.html+phone.j2": "{% block list %}small {{ who }}{% endblock %}",
    "views/looks/phone.html+phone.j2": "phone {{ who }} {{ partial('row') }}",
    "views/looks/_row.html+phone.j2": "small row",
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/looks", "admin:whole <b>&lt;Ada&gt;</b>"),
        ("/phone", "admin:phone Ada small row"),
        ("/piece", "small &lt;Ada&gt;"),
        ("/bare", "whole <b>Ada</b>"),
        ("/other", "<!doctype html><title>site</title>whole <b>Ada</b>"),
    ],
)
def test_layout_variants_and_blocks_are_the_controllers_choice(tmp_path: Path, path: str, text: str) -> None:
    """Issue: variants; block fragments. Design, section 6."""

    def draw(routes: Routes) -> None:
        routes.get("/looks", LooksController.index)
        for name in ("phone", "piece", "bare", "other"):
            routes.get(f"/{name}", getattr(LooksController, name))

    assert Site(tmp_path, draw, LOOKS).client().get(path).text == text
