"""lazymcp/resources.py: what a client reads by its URI (MCP, server/resources)."""

import base64
import json
from datetime import date

import pytest
from pydantic import BaseModel

from lazyauth import Claims, User, signed_in
from lazymcp import Base, Context, RegistrationError, ResourceContent, ResourceSpec, Scope, ToolError, resource
from lazymcp.resources import contents
from tests.lazymcp.asgi_peer import ERAS, MODERN, served


class Row(BaseModel):
    day: date


class Files(Base):
    @resource("app://text")
    async def text(self) -> str:
        """Text."""
        return "héllo"

    @resource("app://bytes", mime_type="image/png")
    def bytes_(self) -> bytes:
        """Bytes."""
        return b"\x89PNG"

    @resource("app://row")
    async def row(self) -> Row:
        """A dict where a model is promised becomes that model."""
        return {"day": "2026-11-30"}

    @resource("app://anything")
    async def anything(self):
        """Whatever it turns out to be."""
        return {date(2026, 11, 30): {1}}

    @resource("app://several")
    async def several(self) -> list[ResourceContent]:
        """Several."""
        return [
            ResourceContent(text="a", uri="app://several/a"),
            ResourceContent(blob=b"b", mime_type="x/y", meta={"k": date(2026, 1, 2)}),
        ]

    @resource("app://either/{which}")
    async def either(self, which: str) -> Row | str | None:
        """Either."""
        return {"row": Row(day=date(2026, 1, 2)), "text": "a text"}.get(which)

    @resource("app://nothing")
    async def nothing(self) -> str | None:
        """Nothing."""
        return None

    @resource("app://users/{user_id}")
    async def user(self, user_id: int, ctx: Context) -> str:
        """A user."""
        return f"{user_id} over {ctx.transport}"

    @resource("app://files/{+path}{?rev}")
    async def file(self, path: str, rev: int = 0) -> str:
        """A file."""
        return f"{path}@{rev}"

    @resource("app://fails/{how}")
    async def fails(self, how: str) -> str | dict[str, float]:
        """Fails."""
        if how == "refuses":
            raise ToolError("closed on Sundays")
        if how == "numerically":
            return {"mean": float("nan")}
        raise ValueError("secret: hunter2")

    def default_resource(self) -> ResourceSpec:
        return ResourceSpec(desc="By its name.", read=self.text, title="Default", meta={"k": 1})


@pytest.fixture
def peer():
    return served(Files())


async def read(peer, uri):
    return (await peer.ask("resources/read", {"uri": uri})).result["contents"]


@pytest.mark.parametrize(
    ("uri", "mime_type", "expected"),
    [
        ("app://text", "text/plain", "héllo"),
        ("app://bytes", "image/png", b"\x89PNG"),
        ("app://row", "application/json", {"day": "2026-11-30"}),
        ("app://anything", "application/json", {"2026-11-30": [1]}),
        ("app://either/row", "application/json", {"day": "2026-01-02"}),
        ("app://either/text", "text/plain", "a text"),
        ("app://users/7", "text/plain", "7 over http"),
        ("app://files/a/b%20c.txt", "text/plain", "a/b c.txt@0"),
        ("app://files/a?rev=3", "text/plain", "a@3"),
        ("app://files/default", "text/plain", "héllo"),
    ],
)
async def test_what_is_returned_is_what_is_read(peer, uri, mime_type, expected):
    (item,) = await read(peer, uri)
    assert (item["uri"], item["mimeType"]) == (uri, mime_type)
    if isinstance(expected, bytes):
        assert base64.b64decode(item["blob"]) == expected
    else:
        assert (json.loads(item["text"]) if mime_type == "application/json" else item["text"]) == expected


async def test_several_contents_may_be_returned(peer):
    assert await read(peer, "app://several") == [
        {"uri": "app://several/a", "mimeType": "text/plain", "text": "a"},
        {"uri": "app://several", "mimeType": "x/y", "blob": "Yg==", "_meta": {"k": "2026-01-02"}},
    ]


async def test_entries_tell_the_type_where_it_is_known(peer):
    listed = {entry["uri"]: entry for entry in (await peer.ask("resources/list")).result["resources"]}
    types = {uri: entry.get("mimeType") for uri, entry in listed.items()}
    assert types["app://text"] == "text/plain"
    assert types["app://bytes"] == "image/png"
    assert types["app://row"] == "application/json"
    assert types["app://nothing"] == "text/plain"
    assert types["app://anything"] is types["app://several"] is None
    assert listed["app://files/default"] == {
        "uri": "app://files/default",
        "name": "default",
        "title": "Default",
        "description": "By its name.",
        "mimeType": "text/plain",
        "_meta": {"k": 1},
    }


@pytest.mark.parametrize(
    "uri", ["app://nothing", "app://either/none", "app://users/seven", "app://users/7/8", "app://users/", "app://files/x?other=1"]
)
async def test_a_uri_that_names_nothing_is_not_found(peer, uri):
    """2026-07-28: -32602 with the URI, never empty contents."""
    answer = await peer.ask("resources/read", {"uri": uri})
    assert answer.error == {"code": -32602, "message": f"no resource is known as {uri!r}", "data": {"uri": uri}}


async def test_a_failure_is_told_by_its_id(peer, caplog):
    assert (await peer.ask("resources/read", {"uri": "app://fails/refuses"})).error == {
        "code": -32602,
        "message": "closed on Sundays",
    }
    error = (await peer.ask("resources/read", {"uri": "app://fails/badly"})).error
    (record,) = caplog.records
    assert error["code"] == (await peer.ask("resources/read", {"uri": "app://fails/numerically"})).error["code"] == -32603
    assert record.args[1] in error["message"]
    assert "hunter2" not in error["message"]


@pytest.mark.parametrize("uri", [None, 5, ["app://text"], {}])
async def test_a_uri_is_a_text(peer, uri):
    assert (await peer.ask("resources/read", {"uri": uri})).error["code"] == -32602


class Kept(Base):
    @resource("app://kept", ttl_ms=5000, cache="public")
    async def kept(self) -> str:
        """Kept."""
        return "kept"

    @resource("app://kept/{x}", ttl_ms=70)
    async def one(self, x: str) -> str:
        """One."""
        return x

    @resource("app://fresh")
    async def fresh(self) -> str:
        """Fresh."""
        return "fresh"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "kept"), [("app://kept", (5000, "public")), ("app://kept/a", (70, "private")), ("app://fresh", (0, "private"))]
)
async def test_a_resource_says_how_long_it_may_be_kept(era, uri, kept):
    """MCP 2026-07-28, server/utilities/caching; older clients know nothing of it."""
    result = (await served(Kept(), era=era).ask("resources/read", {"uri": uri})).result
    assert (result.get("ttlMs"), result.get("cacheScope")) == (kept if era == MODERN else (None, None))


async def test_what_depends_on_who_may_see_it_is_never_public():
    """Caching: a shared cache would hand it to those who may not."""
    for peer in (served(Kept(), authorizer=lambda *_: True), served(Kept())):
        with signed_in(User("ada"), Claims({"sub": "ada", "mcps": ["*"]})):
            result = (await peer.ask("resources/read", {"uri": "app://kept"})).result
            assert (result["ttlMs"], result["cacheScope"]) == (5000, "private")
            assert (await peer.ask("server/discover")).result["cacheScope"] == "private"
    assert (await served(Kept()).ask("server/discover")).result["cacheScope"] == "public"


@pytest.mark.parametrize("options", [{"ttl_ms": -1}, {"cache": "shared"}, {"size": "big"}, {"annotations": {"priority": 1}}])
def test_a_hint_that_means_nothing_is_refused(options):
    class Module(Base):
        def x_resource(self) -> ResourceSpec:
            return ResourceSpec(desc="X.", read=lambda: "", **options)

    with pytest.raises(RegistrationError, match=r"test_resources\.py:\d+: "):
        Scope().register(Module())


def test_a_return_type_without_a_json_form_is_refused():
    class Module(Base):
        @resource("app://x")
        async def x(self) -> type(lambda: 0):
            """X."""

    with pytest.raises(RegistrationError, match=r"test_resources\.py:\d+: the return type has no JSON form"):
        Scope().register(Module())


def test_a_content_has_a_type_even_if_nobody_named_one():
    assert contents("a:b", "x")["mimeType"] == "text/plain"
    assert contents("a:b", b"x")["mimeType"] == "application/octet-stream"
    assert contents("a:b", ResourceContent()) == {"uri": "a:b", "mimeType": "text/plain", "text": ""}
