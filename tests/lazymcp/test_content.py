"""lazymcp/content.py: what a tool or a prompt gives besides text (MCP, server/tools, "Tool result")."""

import base64
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel

from lazymcp import (
    Annotations,
    Audio,
    Base,
    Icon,
    Image,
    Message,
    RegistrationError,
    ResourceContent,
    ResourceLink,
    Scope,
    Text,
    ToolResult,
    ToolSpec,
    WidgetOnly,
    prompt,
    resource,
    tool,
)
from tests.lazymcp.asgi_peer import ERAS, served

PNG = b"\x89PNG\r\n\x1a\n"
IMAGE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
SOUND = {"type": "audio", "data": base64.b64encode(b"RIFF").decode(), "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "app://log", "name": "log"}
EMBEDDED = {"type": "resource", "resource": {"uri": "app://note", "mimeType": "text/plain", "text": "milk"}}


class Count(BaseModel):
    count: int
    rows: Annotated[list[int], WidgetOnly] = []


class Row(BaseModel):
    n: int = 1


class Shop(Base):
    name = ""

    @tool
    async def image(self) -> Image:
        """One picture."""
        return Image(PNG, "image/png")

    @tool
    def audio(self) -> Audio | None:
        """One sound."""
        return Audio(bytearray(b"RIFF"), "audio/wav")

    @tool
    async def link(self) -> ResourceLink:
        """One link."""
        return ResourceLink("app://log", "log")

    @tool
    async def embedded(self) -> ResourceContent:
        """One resource."""
        return ResourceContent(uri="app://note", text="milk")

    @tool
    async def mixed(self) -> list[str | Image | ResourceContent]:
        """All kinds."""
        return ["Look:", Image(PNG, "image/png"), ResourceContent(uri="app://b", blob=b"x", mime_type="x/y")]

    @tool
    async def untold(self, what: Literal["list", "image", "tuple", "rows", "none"]):
        """Whatever it turns out to be."""
        image = Image(PNG, "image/png")
        return {"list": ["a", image], "image": image, "tuple": (image, Row(), 5), "rows": [Row()], "none": []}[what]

    @tool
    async def annotated(self) -> Text:
        """A text with hints."""
        hints = Annotations(audience=["user"], priority=1, last_modified=datetime(2026, 11, 30, 12, tzinfo=UTC))
        return Text("hello", annotations=hints, meta={"example.com/when": datetime(2026, 1, 2, tzinfo=UTC)})

    @tool
    async def counted(self) -> ToolResult[Count]:
        """Words for the model, a number for programs."""
        picture = Image(PNG, "image/png")
        return ToolResult(content=["There are two.", picture], structured={"count": "2", "rows": [7]}, meta={"example.com/a": 1})

    @tool
    async def shown(self, how: Literal["words", "parts", "list", "text"]) -> ToolResult:
        """No schema."""
        return {
            "words": ToolResult(content="Just words."),
            "parts": ToolResult(structured=Row(n=3), meta={"example.com/a": PNG}),
            "list": ToolResult(content=[], structured=[1]),
            "text": ToolResult(content=Text("t"), structured="s"),
        }[how]

    @prompt
    def pictured(self) -> list[Message | Image]:
        """With pictures."""
        return [
            Message("user", content=Image(PNG, "image/png")),
            Message("assistant", content=ResourceContent(uri="app://note", text="milk")),
            Image(PNG, "image/png"),
            Message("user", content=EMBEDDED),
        ]

    @prompt
    def one(self) -> Image:
        """One picture."""
        return Image(PNG, "image/png")

    @resource("app://log", title="Log", size=4, annotations=Annotations(audience=["assistant"], priority=0.5))
    async def log(self) -> str:
        """The log."""
        return "1234"

    @resource("app://logs/{day}", title="Logs", annotations=Annotations(last_modified="2026-11-30T00:00:00Z"))
    async def logs(self, day: str) -> str:
        """The log of a day."""
        return day


@pytest.fixture(params=ERAS, scope="module")
def peer(request):
    return served(Shop(), era=request.param)


async def call(peer, name, **arguments):
    result = (await peer.ask("tools/call", {"name": name, "arguments": arguments})).result
    assert "isError" not in result, result
    return result


@pytest.mark.parametrize(("name", "blocks"), [("image", [IMAGE]), ("audio", [SOUND]), ("link", [LINK]), ("embedded", [EMBEDDED])])
async def test_a_content_is_one_block(peer, name, blocks):
    result = await call(peer, name)
    assert result["content"] == blocks
    assert "structuredContent" not in result


async def test_a_list_mixes_contents_and_text(peer):
    blob = {"uri": "app://b", "mimeType": "x/y", "blob": "eA=="}
    expected = [{"type": "text", "text": "Look:"}, IMAGE, {"type": "resource", "resource": blob}]
    assert (await call(peer, "mixed"))["content"] == expected


@pytest.mark.parametrize(
    ("what", "blocks"),
    [
        ("list", [{"type": "text", "text": "a"}, IMAGE]),
        ("image", [IMAGE]),
        ("tuple", [IMAGE, {"type": "text", "text": '{"n":1}'}, {"type": "text", "text": "5"}]),
        ("rows", [{"type": "text", "text": '[{"n":1}]'}]),
        ("none", [{"type": "text", "text": "[]"}]),
    ],
)
async def test_content_that_was_not_declared_is_content_too(what, blocks):
    assert (await call(served(Shop()), "untold", what=what))["content"] == blocks


async def test_tools_that_return_content_have_no_output_schema(peer):
    """Only structured content is described by one (MCP, server/tools, "Output schema")."""
    listed = {entry["name"]: entry for entry in (await peer.ask("tools/list")).result["tools"]}
    assert {name for name, entry in listed.items() if "outputSchema" in entry} == {"counted"}
    assert listed["counted"]["outputSchema"] == {
        "type": "object",
        "properties": {"count": {"type": "integer"}},
        "required": ["count"],
    }


async def test_a_result_may_be_told_in_its_parts(peer):
    """Words for the model, structure for programs, metadata for the page."""
    result = await call(peer, "counted")
    assert result["content"] == [{"type": "text", "text": "There are two."}, IMAGE]
    assert result["structuredContent"] == {"count": 2}
    assert {key: result["_meta"][key] for key in ("rows", "example.com/a")} == {"rows": [7], "example.com/a": 1}


async def test_parts_that_are_left_out_have_their_usual_form(peer):
    words = await call(peer, "shown", how="words")
    assert (words["content"], "structuredContent" in words) == ([{"type": "text", "text": "Just words."}], False)
    parts = await call(peer, "shown", how="parts")
    assert (json.loads(parts["content"][0]["text"]), parts["structuredContent"]) == ({"n": 3}, {"n": 3})
    assert parts["_meta"]["example.com/a"] == base64.urlsafe_b64encode(PNG).decode()
    wrapped = await call(peer, "shown", how="list")
    assert (wrapped["content"], wrapped["structuredContent"]) == ([], {"result": [1]})
    text = await call(peer, "shown", how="text")
    assert (text["content"], text["structuredContent"]) == ([{"type": "text", "text": "t"}], {"result": "s"})


async def test_hints_and_metadata_stand_on_the_block(peer):
    (block,) = (await call(peer, "annotated"))["content"]
    assert block == {
        "type": "text",
        "text": "hello",
        "annotations": {"audience": ["user"], "priority": 1, "lastModified": "2026-11-30T12:00:00Z"},
        "_meta": {"example.com/when": "2026-01-02T00:00:00Z"},
    }


async def test_messages_of_a_prompt_hold_contents(peer):
    messages = (await peer.ask("prompts/get", {"name": "pictured"})).result["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "user"]
    assert [message["content"] for message in messages] == [IMAGE, EMBEDDED, IMAGE, EMBEDDED]
    assert [message["content"] for message in (await peer.ask("prompts/get", {"name": "one"})).result["messages"]] == [IMAGE]


async def test_resources_have_a_size_and_hints(peer):
    """MCP, server/resources, "Annotations"."""
    listed = {entry["name"]: entry for entry in (await peer.ask("resources/list")).result["resources"]}
    assert listed["log"]["size"] == 4
    assert listed["log"]["title"] == "Log"
    assert listed["log"]["annotations"] == {"audience": ["assistant"], "priority": 0.5}
    (template,) = (await peer.ask("resources/templates/list")).result["resourceTemplates"]
    assert template["annotations"] == {"lastModified": "2026-11-30T00:00:00Z"}


def test_a_link_tells_what_it_knows():
    link = ResourceLink(
        "app://log",
        "log",
        title="Log",
        desc="The log.",
        mime_type="text/plain",
        size=0,
        icons=[Icon("data:,x")],
        annotations=Annotations(),
        meta={"example.com/a": 1},
    )
    assert link.to_block() == {
        **LINK,
        "title": "Log",
        "description": "The log.",
        "mimeType": "text/plain",
        "size": 0,
        "icons": [{"src": "data:,x"}],
        "_meta": {"example.com/a": 1},
    }


@pytest.mark.parametrize("kind", [Image, Audio])
@pytest.mark.parametrize(("data", "mime_type"), [("text", "{}/x"), (b"", "text/plain"), (b"", "{}/"), (b"", None), (b"", "png")])
def test_media_are_bytes_of_their_family(kind, data, mime_type):
    mime_type = mime_type and mime_type.format(kind.__name__.lower())
    with pytest.raises((TypeError, ValueError), match=kind.__name__):
        kind(data, mime_type)


def test_media_show_no_bytes():
    assert "PNG" not in repr(Image(PNG, "image/png"))


def test_an_embedded_resource_has_a_uri():
    with pytest.raises(ValueError, match="an embedded resource has a URI"):
        ResourceContent(text="milk").to_block()


@pytest.mark.parametrize(
    ("hints", "reason"),
    [
        (Annotations(audience="user"), "audience is a list"),
        (Annotations(audience=["model"]), "audience is a list"),
        (Annotations(priority=2), "priority is a number from 0 to 1"),
        (Annotations(priority=float("nan")), "priority is a number from 0 to 1"),
        (Annotations(last_modified="yesterday"), "a time in ISO 8601"),
        (Annotations(last_modified=datetime(2026, 1, 2)), "needs a time zone"),  # noqa: DTZ001 - what is refused
    ],
)
def test_hints_that_no_client_understands_are_refused(hints, reason):
    with pytest.raises(RegistrationError, match=reason):
        hints.to_dict()


def test_a_time_keeps_its_zone():
    moment = datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=1)))
    assert Annotations(last_modified=moment).to_dict() == {"lastModified": "2026-01-02T03:00:00+01:00"}


async def test_an_icon_that_no_client_loads_fails_the_call_and_not_the_server(caplog):
    class Module(Base):
        def linked_tool(self):
            return ToolSpec(desc="Linked.", fn=lambda: ResourceLink("a:b", "b", icons=[Icon("file:///x")]))

    scope = served(Module())
    result = (await scope.ask("tools/call", {"name": "module.linked"})).result
    assert result["isError"] is True
    assert len(caplog.records) == 1


def test_a_template_has_no_size():
    class Module(Base):
        @resource("app://{x}", size=3)
        async def x(self, x: str) -> str:
            """X."""
            return x

    with pytest.raises(RegistrationError, match="a template has no size"):
        Scope().register(Module())
