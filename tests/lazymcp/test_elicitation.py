"""lazymcp/elicitation.py: forms and pages, in every revision that knows them. MCP 2026-07-28, client/elicitation."""

from datetime import date
from enum import Enum
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from lazymcp import Base, Context, Declined, Titles, form, tool, visit
from lazymcp.asking import Unreadable
from lazymcp.errors import InvalidParams
from tests.lazymcp.asgi_peer import MODERN, OLDER
from tests.lazymcp.asking_peer import ELICITS, FORM_ERAS, URL_ERAS, accept, converse, served


class Size(Enum):
    SMALL = "s"
    LARGE = "l"


class Order(BaseModel):
    """What is to be ordered."""

    article: str = Field(min_length=2, title="Article")
    count: int = Field(1, ge=1, le=10)
    price: float | None = None
    size: Size = Size.SMALL
    colour: Annotated[Literal["r", "g"], Titles(r="Red", g="Green")] = "r"
    extras: list[Literal["gift", "express"]] = []
    on: date | None = None
    sure: bool = False

    @field_validator("article")
    @classmethod
    def _not_a_bomb(cls, value: str) -> str:
        if value == "bomb":
            raise ValueError("we do not sell this")
        return value


VERBATIM = {
    "type": "object",
    "properties": {
        "pick": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a"},
        "many": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}]}},
    },
    "required": ["pick"],
}


class Shop(Base):
    name = ""

    @tool
    async def order(self, ctx: Context) -> Order:
        """Order something."""
        return await ctx.elicit(Order, "What shall it be?")

    @tool
    async def pick(self, ctx: Context) -> dict[str, object]:
        """Pick by a form given verbatim."""
        return await ctx.elicit(dict, "Pick.", requested_schema=VERBATIM)

    @tool
    async def politely(self, ctx: Context) -> str:
        """Take a no for an answer."""
        try:
            await ctx.elicit(Order, "Order?")
        except Declined as problem:
            return problem.action
        return "accepted"

    @tool
    async def pay(self, ctx: Context) -> str:
        """Let the user pay on a page."""
        await ctx.elicit_url("https://pay.example.com/orders/7", "Please pay your order.")
        return "opened"

    @tool
    async def both(self, ctx: Context) -> str:
        """Ask for a name and a page at once."""
        found = await ctx.ask(order=form(Order, "What?"), page=visit("https://example.com", "Read this."))
        return f"{found['order'].article} {found['page']}"

    @tool
    async def nested(self, ctx: Context) -> str:
        """Ask with a form that cannot be."""

        class Outer(BaseModel):
            inner: Order

        await ctx.elicit(Outer, "?")
        return "never"


def call(era, name, reply, capabilities=ELICITS):
    return converse(served(Shop(), era=era), "tools/call", {"name": name}, reply, capabilities)


FULL = {
    "article": "Lamp",
    "count": "2",
    "price": 9.5,
    "size": "l",
    "colour": "g",
    "extras": ["gift"],
    "on": "2026-12-24",
    "sure": True,
    "more": "x",
}


@pytest.mark.parametrize("era", ["2025-11-25", MODERN])
async def test_an_answer_is_the_model(era):
    answer, (question,) = await call(era, "order", lambda _: accept(**FULL))
    assert answer.result["structuredContent"] == {**{key: value for key, value in FULL.items() if key != "more"}, "count": 2}
    assert question["params"]["message"] == "What shall it be?"
    assert question["params"]["requestedSchema"]["required"] == ["article"]


@pytest.mark.parametrize("era", ["2025-11-25", MODERN])
async def test_what_is_left_out_has_its_default(era):
    """SEP-1034."""
    answer, _ = await call(era, "order", lambda _: accept(article="Lamp"))
    assert answer.result["structuredContent"]["count"] == 1
    assert answer.result["structuredContent"]["size"] == "s"


@pytest.mark.parametrize("era", ["2025-11-25", MODERN])
async def test_a_form_given_verbatim_is_sent_as_it_is(era):
    """SEP-1330: `enumNames` for clients that know nothing else."""
    answer, (question,) = await call(era, "pick", lambda _: accept(pick="b", many=["x"], other=1))
    assert question["params"]["requestedSchema"] == VERBATIM
    assert answer.result["structuredContent"] == {"pick": "b", "many": ["x"]}


@pytest.mark.parametrize("era", ["2025-11-25", MODERN])
async def test_who_fills_in_a_form_wrongly_is_told_why(era):
    """What only the model knows is told as well."""
    attempts = iter([accept(article="L"), accept(article="bomb"), accept(article="Lamp")])
    answer, questions = await call(era, "order", lambda _: next(attempts))
    assert answer.result["structuredContent"]["article"] == "Lamp"
    told = [question["params"]["message"].partition("\n\n")[2] for question in questions]
    assert told == ["", "article: must have at least 2 characters", "article: Value error, we do not sell this"]


@pytest.mark.parametrize("era", ["2025-11-25"])
async def test_who_never_gets_it_right_is_not_asked_for_ever(era):
    answer, questions = await call(era, "order", lambda _: accept())
    assert answer.result["isError"]
    assert "article: is missing" in answer.result["content"][0]["text"]
    assert len(questions) == 3


@pytest.mark.parametrize("era", FORM_ERAS)
@pytest.mark.parametrize("result", [{"action": "maybe"}, {}, {"action": "accept", "content": "x"}])
async def test_what_is_no_answer_is_refused(era, result):
    """MCP 2026-07-28, client/elicitation, "Response actions"."""
    answer, _ = await call(era, "politely", lambda _: result)
    assert answer.error["code"] == -32602


@pytest.mark.parametrize("era", ["2025-11-25", MODERN])
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_no_can_be_taken(era, action):
    """MCP 2026-07-28, client/elicitation, "Response actions"."""
    answer, questions = await call(era, "politely", lambda _: {"action": action})
    assert answer.result["content"][0]["text"] == action
    assert len(questions) == 1


@pytest.mark.parametrize("era", URL_ERAS)
async def test_a_page_is_opened_by_the_client(era):
    """MCP 2026-07-28, client/elicitation, "URL mode"."""
    answer, (question,) = await call(era, "pay", lambda _: {"action": "accept"})
    assert answer.result["content"][0]["text"] == "opened"
    assert question["params"]["url"] == "https://pay.example.com/orders/7"
    # 2025-11-25 demands an id, 2026-07-28 knows none.
    assert ("elicitationId" in question["params"]) == (era == "2025-11-25")
    answer, _ = await call(era, "pay", lambda _: {"action": "decline"})
    assert answer.result["content"][0]["text"] == "the user declined"


@pytest.mark.parametrize("era", URL_ERAS)
async def test_of_several_questions_the_declined_one_is_named(era):
    replies = {"url": {"action": "cancel"}, None: accept(article="Lamp")}
    answer, _ = await call(era, "both", lambda question: replies[question["params"].get("mode")])
    assert answer.result["content"][0]["text"] == "the user did not answer (page)"


@pytest.mark.parametrize("era", OLDER)
@pytest.mark.parametrize(
    ("name", "lacks"), [("order", "elicitation.form"), ("pay", "elicitation.url"), ("both", "elicitation.form, elicitation.url")]
)
async def test_an_older_client_that_cannot_be_asked_is_told_at_once(era, name, lacks):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1740."""
    answer, questions = await call(era, name, lambda _: {}, {})
    assert answer.result["isError"]
    assert answer.result["content"][0]["text"] == f"this client cannot be asked: it did not declare {lacks}"
    assert questions == []


async def test_an_older_client_without_a_session_is_told_at_once():
    """https://github.com/modelcontextprotocol/python-sdk/issues/1740: nothing could bring the answer."""
    answer = await served(Shop(), era="2025-11-25").ask("tools/call", {"name": "order"})
    assert answer.result["isError"]
    assert "cannot be asked" in answer.result["content"][0]["text"]


async def test_a_form_that_cannot_be_is_the_developers_to_read(caplog):
    answer, _ = await call(MODERN, "nested", lambda _: {})
    assert answer.result["isError"]
    assert "Outer cannot be a form: inner is nested" in caplog.text
    assert "Outer" not in answer.body.decode()


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com:8443/a?b=c#d",
        "HTTPS://EXAMPLE.com/",
        "http://localhost:3000/x",
        "http://127.0.0.1/x",
        "http://[::1]:80",
    ],
)
def test_a_page_is_secure_or_on_this_machine(url):
    """MCP 2026-07-28, client/elicitation, "URL mode", security."""
    assert visit(url, "m").question.params["url"] == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "http://example.com",
        "http://localhost.example.com",
        "http://localhost@example.com",
        "http://127.0.0.1.example.com/",
        "https://user:secret@example.com/",
        "https://",
        "https:///x",
        "https://exa mple.com",
        "https://example.com/a b",
        "https://example.com/\n",
        "https://example.com\\@evil.example",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        " https://example.com",
    ],
)
def test_any_other_page_is_refused(url):
    """MCP 2026-07-28, client/elicitation, "URL mode", security."""
    with pytest.raises(ValueError, match="must be https"):
        visit(url, "m")


def test_a_dict_needs_a_form():
    with pytest.raises(TypeError, match="give requested_schema"):
        form(dict, "m")
    with pytest.raises(TypeError, match="cannot be a form"):
        form(dict, "m", requested_schema={"type": "object", "properties": {"x": {"type": "object"}}})
    for kind in (object, int | str, Order | None):
        with pytest.raises(TypeError, match="cannot be a form"):
            form(kind, "m")


def test_a_model_reads_the_answer_to_a_form_given_verbatim():
    class Pick(BaseModel):
        pick: Literal["b"]

    asked = form(Pick, "m", requested_schema=VERBATIM)
    assert asked.read(accept(pick="b")) == Pick(pick="b")


ORDERS = st.builds(
    Order,
    article=st.text(st.characters(codec="utf-8"), min_size=2).filter(lambda text: text != "bomb"),
    price=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    on=st.none() | st.dates(),
)


@given(ORDERS)
def test_every_instance_of_the_model_can_be_filled_in(order):
    """What the client sends for it is read back as the same."""
    assert form(Order, "m").read({"action": "accept", "content": order.model_dump(mode="json")}) == order


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text() | st.integers()) | st.just({})


@given(st.dictionaries(st.sampled_from([*Order.model_fields, "more"]), VALUES) | VALUES)
def test_whatever_is_filled_in_is_the_model_or_asked_again(content):
    """MCP 2026-07-28, client/elicitation: the server validates what it receives."""
    try:
        found = form(Order, "m").read({"action": "accept", "content": content})
    except (Unreadable, InvalidParams):
        return
    assert Order.model_validate(found.model_dump()) == found
