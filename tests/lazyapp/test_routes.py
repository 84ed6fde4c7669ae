"""The table of routes."""

from typing import Any

import pytest
from fastapi import APIRouter

from lazyapp.controller import Controller
from lazyapp.errors import ConfigurationError
from lazyapp.path_template import UnknownPath
from lazyapp.routes import RouteRow, Routes


class Everything(Controller):
    async def index(self) -> None: ...
    async def new(self) -> None: ...
    async def create(self) -> None: ...
    async def show(self) -> None: ...
    async def edit(self) -> None: ...
    async def update(self) -> None: ...
    async def delete(self) -> None: ...
    async def close(self) -> None: ...


class AccountsController(Everything): ...


class PostsController(Controller):
    async def index(self) -> None: ...
    async def show(self) -> None: ...
    async def search(self) -> None: ...


class HomeController(Controller):
    async def index(self) -> None: ...
    async def about(self) -> None: ...


class Nothing(Controller):
    def _hidden(self) -> None: ...


def lines(routes: Routes) -> list[tuple[str, str, str, str]]:
    return [("|".join(row.methods), row.path, row.name, row.action) for row in routes.rows()]


def test_a_resource_has_rails_seven_routes() -> None:
    """Design, section 3."""
    routes = Routes()
    routes.resources("accounts", AccountsController)
    assert lines(routes) == [
        ("GET", "/accounts", "accounts", "accounts#index"),
        ("GET", "/accounts/new", "new_account", "accounts#new"),
        ("POST", "/accounts", "accounts", "accounts#create"),
        ("GET", "/accounts/{id}", "account", "accounts#show"),
        ("GET", "/accounts/{id}/edit", "edit_account", "accounts#edit"),
        ("PATCH|PUT", "/accounts/{id}", "account", "accounts#update"),
        ("DELETE", "/accounts/{id}", "account", "accounts#delete"),
    ]


def test_only_what_the_controller_defines_or_only_names_is_drawn() -> None:
    """Design, section 3."""
    routes = Routes()
    routes.resources("posts", PostsController)
    routes.resources("accounts", AccountsController, only=["index", "create"], path="people")
    assert [line[:3] for line in lines(routes)] == [
        ("GET", "/posts", "posts"),
        ("GET", "/posts/{id}", "post"),
        ("GET", "/people", "accounts"),
        ("POST", "/people", "accounts"),
    ]


def test_resources_nest_and_namespaces_prefix_paths_names_and_view_folders() -> None:
    """Design, section 3."""
    routes = Routes()
    with routes.namespace("admin") as admin:
        admin.root(HomeController.index)
        with admin.resources("accounts", AccountsController, only=["edit"]) as account:
            account.resources("posts", PostsController)
            account.post("/close", AccountsController.close)
    assert lines(routes) == [
        ("GET", "/admin", "admin_root", "admin/home#index"),
        ("GET", "/admin/accounts/{id}/edit", "edit_admin_account", "admin/accounts#edit"),
        ("GET", "/admin/accounts/{account_id}/posts", "admin_account_posts", "admin/posts#index"),
        ("GET", "/admin/accounts/{account_id}/posts/{id}", "admin_account_post", "admin/posts#show"),
        ("POST", "/admin/accounts/{account_id}/close", "admin_account_close", "admin/accounts#close"),
    ]


def test_a_resource_has_further_actions_of_one_and_of_all() -> None:
    """docs/routes.md: member and collection routes. Those of all come before what would take their word for an id."""
    routes = Routes()
    with routes.namespace("admin") as admin, admin.resources("accounts", AccountsController, only=["index", "show"]) as accounts:
        accounts.member.post("/close", AccountsController.close)
        accounts.collection.get("/search", AccountsController.index)
        accounts.collection.get("/by-day/{day}", AccountsController.index, name="daily")
        with accounts.resources("posts", PostsController, only=["show"]) as posts:
            posts.collection.get("/search", PostsController.search)
    assert [line[:3] for line in lines(routes)] == [
        ("GET", "/admin/accounts", "admin_accounts"),
        ("GET", "/admin/accounts/search", "search_admin_accounts"),
        ("GET", "/admin/accounts/{id}", "admin_account"),
        ("POST", "/admin/accounts/{id}/close", "close_admin_account"),
        ("GET", "/admin/accounts/by-day/{day}", "daily"),
        ("GET", "/admin/accounts/{account_id}/posts/search", "search_admin_account_posts"),
        ("GET", "/admin/accounts/{account_id}/posts/{id}", "admin_account_post"),
    ]
    assert routes.path_for("close_admin_account", id=7) == "/admin/accounts/7/close"


def test_resources_nest_as_deep_as_they_are_drawn() -> None:
    """docs/routes.md: what is drawn within a resource lies below one of it."""
    routes = Routes()
    account = routes.resources("accounts", AccountsController, only=["index"])
    post = account.resources("posts", PostsController, only=["index"])
    cover = post.resource("cover", Everything, only=["show"])
    cover.resources("news", PostsController, only=["index"])
    assert [line[1:3] for line in lines(routes)][2:] == [
        ("/accounts/{account_id}/posts/{post_id}/cover", "account_post_cover"),
        ("/accounts/{account_id}/posts/{post_id}/cover/news", "account_post_cover_news_index"),
    ]
    assert routes.path_for("account_post_cover", account_id=1, post_id="a b") == "/accounts/1/posts/a%20b/cover"


def test_something_of_which_there_is_one_has_no_id() -> None:
    """Rails' singular resource."""
    routes = Routes()
    with routes.resource("profile", Everything, path="me") as profile:
        profile.member.post("/close", Everything.close)
    assert lines(routes) == [
        ("GET", "/me/new", "new_profile", "everything#new"),
        ("POST", "/me", "profile", "everything#create"),
        ("GET", "/me", "profile", "everything#show"),
        ("GET", "/me/edit", "edit_profile", "everything#edit"),
        ("PATCH|PUT", "/me", "profile", "everything#update"),
        ("DELETE", "/me", "profile", "everything#delete"),
        ("POST", "/me/close", "close_profile", "everything#close"),
    ]
    with pytest.raises(ConfigurationError, match="names 'index'; a resource has new, create"):
        routes.resource("other", Everything, only=["index"])


def test_a_parameter_has_a_name_and_a_kind() -> None:
    """docs/routes.md, "Which route answers": what is no such value is 404 in the end."""
    routes = Routes()
    with routes.resources("accounts", AccountsController, only=["show", "edit"], param="slug") as account:
        account.resources("posts", PostsController, only=["show"], param="id:uuid")
    assert [line[1] for line in lines(routes)] == [
        "/accounts/{slug}",
        "/accounts/{slug}/edit",
        "/accounts/{account_slug}/posts/{id:uuid}",
    ]


def test_what_is_narrower_is_tried_first_whatever_was_drawn_first() -> None:
    """Else `/posts/search` would be a post called search, and a constraint would go on to nothing."""
    routes = Routes()
    routes.get("/{rest:path}", HomeController.about, name="any")
    routes.get("/posts/{name}", PostsController.show, name="named")
    routes.get("/posts/{id:int}", PostsController.show, name="numbered")
    routes.get("/posts/search", PostsController.search)
    routes.get("/posts/{number:float}", PostsController.show, name="priced")
    assert [line[2] for line in lines(routes)] == ["numbered", "posts_search", "priced", "named", "any"]


def test_verbs_are_named_by_the_words_of_their_path() -> None:
    """Issue 2."""
    routes = Routes()
    routes.root(HomeController.index)
    routes.get("/about/us", HomeController.about)
    routes.put("/settings/{key}", HomeController.about, name="setting")
    routes.patch("/settings/{key}", HomeController.about, name="setting")
    routes.delete("/settings/{key}", HomeController.about, name="setting")
    assert [line[:3] for line in lines(routes)] == [
        ("GET", "/", "root"),
        ("GET", "/about/us", "about_us"),
        ("PUT", "/settings/{key}", "setting"),
        ("PATCH", "/settings/{key}", "setting"),
        ("DELETE", "/settings/{key}", "setting"),
    ]


def test_a_word_without_a_singular_calls_its_collection_index() -> None:
    """Rails' rule for uncountable names."""
    routes = Routes()
    routes.resources("news", PostsController)
    assert [line[2] for line in lines(routes)] == ["news_index", "news"]


def test_an_inherited_action_belongs_to_the_class_it_was_taken_from() -> None:
    """A function of a base class does not say through which subclass it was reached."""
    routes = Routes()
    routes.get("/accounts", AccountsController.index)
    assert next(iter(routes)).controller is AccountsController


def test_included_routers_are_listed_with_their_prefix() -> None:
    """Issue 2: include an APIRouter."""
    inner = APIRouter(prefix="/things")

    @inner.get("/{number}", name="thing")
    async def thing(number: int) -> int:
        return number

    outer = APIRouter()
    outer.include_router(inner)
    routes = Routes()
    routes.include(outer, prefix="/api")
    (row,) = routes.rows()
    place = f"tests/lazyapp/test_routes.py:{thing.__code__.co_firstlineno}"
    assert row == RouteRow(("GET",), "/api/things/{number}", "thing", f"{__name__}.{thing.__qualname__}", place)


def test_path_for_fills_a_named_path() -> None:
    """Issue 2."""
    routes = Routes()
    routes.root(HomeController.index)
    routes.resources("accounts", AccountsController)
    assert routes.path_for("root") == "/"
    assert routes.path_for("edit_account", id="a/b") == "/accounts/a%2Fb/edit"
    assert routes.path_for("accounts", page=2) == "/accounts?page=2"


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("acounts", {}, r"no route is called 'acounts'; did you mean accounts"),
        ("zzz", {}, r"no route is called 'zzz'; known are account, accounts, edit_account, new_account"),
        ("account", {}, r"path_for\('account'\) needs id for /accounts/\{id\}"),
        ("account", {"id": ".."}, r"path_for\('account'\): id='..' cannot stand in a path"),
    ],
)
def test_path_for_says_what_is_wrong(name: str, params: dict[str, Any], message: str) -> None:
    """Issue 2: clear errors."""
    routes = Routes()
    routes.resources("accounts", AccountsController)
    with pytest.raises(UnknownPath, match=message):
        routes.path_for(name, **params)


def drawn_wrong(number: int) -> None:
    routes = Routes()
    routes.resources("accounts", AccountsController)
    [
        lambda: routes.get("about", HomeController.about),
        lambda: routes.get("/about/", HomeController.about),
        lambda: routes.get("/about", lambda: None),
        lambda: routes.get("/about", Controller.render),
        lambda: routes.get("/about", HomeController.about, name="accounts"),
        lambda: routes.get("/accounts/{name}", HomeController.about),
        lambda: routes.get("/about/{id", HomeController.about),
        lambda: routes.resources("posts", PostsController, only=["list"]),
        lambda: routes.resources("posts", PostsController, only=["edit"]),
        lambda: routes.resources("nothings", Nothing),
        lambda: routes.namespace("a/b"),
        lambda: routes.include(APIRouter(), prefix="api"),
    ][number]()


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0, "the path 'about' must start with a slash"),
        (1, "write the path '/about/' without its last slash"),
        (2, "is no action, a public method of a controller; write one such as HomeController.index"),
        (3, "is no action, a public method of a controller; Controller has a method render itself"),
        (4, "the name 'accounts' of /about is taken by /accounts"),
        (5, "GET /accounts/{name} is drawn already, at tests/lazyapp/test_routes.py:"),
        (6, "has a brace that belongs to no parameter"),
        (7, "names 'list'; a resource has index, new, create, show, edit, update, delete"),
        (8, "names 'edit', which PostsController (tests/lazyapp/test_routes.py:"),
        (9, "Nothing (tests/lazyapp/test_routes.py:"),
        (10, "must be one word"),
        (11, "must start with a slash"),
    ],
)
def test_a_mistake_is_told_with_the_place_of_the_call(number: int, message: str) -> None:
    """Design, section 3; issue 2, bad input: named place, what was expected."""
    with pytest.raises(ConfigurationError) as caught:
        drawn_wrong(number)
    first = drawn_wrong.__code__.co_firstlineno + 4
    assert str(caught.value).startswith(f"tests/lazyapp/test_routes.py:{first + number}: ")
    assert message in str(caught.value)


def test_the_methods_of_a_path_are_those_of_all_its_routes() -> None:
    """RFC 9110, 10.2.1."""
    routes = Routes()
    routes.resources("accounts", AccountsController)
    assert routes.methods_at("/accounts") == ("GET", "HEAD", "POST")
    assert routes.methods_at("/accounts/7") == ("DELETE", "GET", "HEAD", "PATCH", "PUT")
    assert routes.methods_at("/nowhere") == ()
