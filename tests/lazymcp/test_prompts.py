"""lazymcp/prompts.py: messages that a user may send (MCP, server/prompts)."""

from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from pydantic import Field

from lazymcp import Base, Message, PromptSpec, RegistrationError, ToolError, prompt, user_messages
from lazymcp.names import where
from lazymcp.prompts import Prompt
from tests.lazymcp.asgi_peer import served

IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}


class Module(Base):
    @prompt
    async def text(self, times: Annotated[int, Field(title="Times", description="How often.")], name: str = "Ada") -> str:
        """Text.

        Args:
            name: Whom to greet.
        """
        return " ".join([f"Hello {name}."] * times)

    @prompt
    def talk(self):
        """Talk."""
        return ["Hello.", Message("assistant", "Hi."), Message("user", content=IMAGE)]

    @prompt
    def one(self) -> Message:
        """One."""
        return Message("assistant", "Hm.")

    @prompt
    def wrong(self) -> int:
        """Wrong."""
        return 5

    @prompt
    def keyed(self):
        """Keyed."""
        return {"role": "user", "content": "Hello."}

    @prompt
    def refuses(self) -> str:
        """Refuses."""
        raise ToolError("not today")

    def fixed_prompt(self):
        return PromptSpec(desc="Fixed.", title="Fixed title", messages=user_messages("a", "b"))


@pytest.fixture
def peer():
    return served(Module())


async def messages(peer, prompt_name, **arguments):
    result = (await peer.ask("prompts/get", {"name": f"module.{prompt_name}", "arguments": arguments})).result
    return [(message["role"], message["content"].get("text", message["content"])) for message in result["messages"]]


async def test_a_text_is_one_message_of_the_user(peer):
    """Arguments are strings on the wire, whatever the function takes."""
    assert await messages(peer, "text", times="2", name="Bob") == [("user", "Hello Bob. Hello Bob.")]


async def test_messages_may_be_of_both_and_of_any_content(peer):
    assert await messages(peer, "talk") == [("user", "Hello."), ("assistant", "Hi."), ("user", IMAGE)]
    assert await messages(peer, "one") == [("assistant", "Hm.")]
    assert await messages(peer, "fixed") == [("user", "a"), ("user", "b")]


async def test_arguments_are_listed(peer):
    listed = {entry["name"]: entry for entry in (await peer.ask("prompts/list")).result["prompts"]}
    assert listed["module.text"]["arguments"] == [
        {"name": "times", "title": "Times", "description": "How often.", "required": True},
        {"name": "name", "description": "Whom to greet.", "required": False},
    ]
    assert listed["module.fixed"] == {"name": "module.fixed", "title": "Fixed title", "description": "Fixed."}


@pytest.mark.parametrize("arguments", [{}, {"times": "often"}, {"times": "1", "x": "y"}])
async def test_bad_arguments_are_the_clients_mistake(peer, arguments):
    """2026-07-28, server/prompts, "Error handling": -32602."""
    assert (await peer.ask("prompts/get", {"name": "module.text", "arguments": arguments})).error["code"] == -32602


async def test_a_prompt_that_refuses_or_fails_says_so(peer, caplog):
    assert (await peer.ask("prompts/get", {"name": "module.refuses"})).error["message"] == "not today"
    for name in ("wrong", "keyed"):
        error = (await peer.ask("prompts/get", {"name": f"module.{name}"})).error
        assert error["code"] == -32603
        assert caplog.records[-1].args[1] in error["message"]


@pytest.mark.parametrize("annotation", [dict, dict[str, str], Mapping[str, Any]])
def test_a_prompt_that_promises_a_mapping_is_refused(annotation):
    """Its keys would be the messages."""

    def fn():
        """Keyed."""

    fn.__annotations__["return"] = annotation
    with pytest.raises(RegistrationError, match="prompt p returns a mapping: return str") as caught:
        Prompt("", "p", PromptSpec(fn=fn), where(fn))
    assert caught.value.place.startswith("tests/lazymcp/test_prompts.py:")
