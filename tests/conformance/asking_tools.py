"""Tools and a prompt that ask the client: the user by a form, the model by sampling, the host for its folders."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from lazymcp import Context, Declined, Titles, form, prompt, roots, sampling, tool

TITLES: Final = Titles(value1="First Option", value2="Second Option", value3="Third Option")
LEGACY_TITLES: Final = Field(json_schema_extra={"enumNames": ["Option One", "Option Two", "Option Three"]})


class Name(BaseModel):
    name: str


class Color(BaseModel):
    color: str


class Confirmation(BaseModel):
    ok: bool


class Topic(BaseModel):
    context: str


class Account(BaseModel):
    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Defaults(BaseModel):
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


class Choices(BaseModel):
    """The five shapes in which a form can offer a choice. SEP-1330."""

    untitledSingle: Literal["option1", "option2", "option3"]  # noqa: N815
    titledSingle: Annotated[Literal["value1", "value2", "value3"], TITLES]  # noqa: N815
    legacyEnum: Annotated[Literal["opt1", "opt2", "opt3"], LEGACY_TITLES]  # noqa: N815
    untitledMulti: list[Literal["option1", "option2", "option3"]]  # noqa: N815
    titledMulti: Annotated[list[Literal["value1", "value2", "value3"]], TITLES]  # noqa: N815


async def answer_of(ctx: Context, model: type[BaseModel], message: str) -> str:
    """What the user did with a form, in words."""
    try:
        filled = await ctx.elicit(model, message)
    except Declined as declined:
        return f"action={declined.action}, content={{}}"
    return f"action=accept, content={filled.model_dump_json()}"


class AskingTools:
    """What needs somebody's answer."""

    @tool
    async def test_sampling(self, prompt: str, ctx: Context) -> str:
        """Lets the client's model answer.

        Args:
            prompt: what to ask it.
        """
        return f"LLM response: {await ctx.sample(prompt, max_tokens=100)}"

    @tool
    async def test_elicitation(self, message: str, ctx: Context) -> str:
        """Asks the user for a name and an address.

        Args:
            message: what to say to them.
        """
        return f"User response: {await answer_of(ctx, Account, message)}"

    @tool
    async def test_elicitation_sep1034_defaults(self, ctx: Context) -> str:
        """Shows the user a form that is filled in already."""
        return f"Elicitation completed: {await answer_of(ctx, Defaults, 'Please review what is filled in')}"

    @tool
    async def test_elicitation_sep1330_enums(self, ctx: Context) -> str:
        """Lets the user choose."""
        return f"Elicitation completed: {await answer_of(ctx, Choices, 'Please choose')}"

    @tool
    async def test_streaming_elicitation(self, ctx: Context) -> str:
        """Tells how far it is, then asks the user."""
        await ctx.progress(1, 2)
        return f"Confirmed: {(await ctx.elicit(Confirmation, 'Go on?')).ok}"

    @tool
    async def test_missing_capability(self, ctx: Context) -> str:
        """Works with clients that have a model."""
        return await ctx.sample("Say yes.", max_tokens=10)

    @tool
    async def test_input_required_result_elicitation(self, ctx: Context) -> str:
        """Greets the user by name."""
        return f"Hello, {(await ctx.elicit(Name, 'What is your name?', key='user_name')).name}!"

    @tool
    async def test_input_required_result_sampling(self, ctx: Context) -> str:
        """Asks the client's model for a capital."""
        return await ctx.sample("What is the capital of France?", max_tokens=100, key="capital_question")

    @tool
    async def test_input_required_result_list_roots(self, ctx: Context) -> str:
        """Tells which folders the host works in."""
        return f"Roots: {await ctx.roots(key='client_roots')}"

    @tool
    async def test_input_required_result_request_state(self, ctx: Context) -> str:
        """Asks for a confirmation; that the answer arrives shows that the state came back whole."""
        await ctx.elicit(Confirmation, "Please confirm", key="confirm")
        return "state-ok"

    @tool
    async def test_input_required_result_tampered_state(self, ctx: Context) -> str:
        """Asks for a confirmation."""
        return f"Confirmed: {(await ctx.elicit(Confirmation, 'Please confirm', key='confirm')).ok}"

    @tool
    async def test_input_required_result_multiple_inputs(self, ctx: Context) -> str:
        """Asks the user, the model and the host at once."""
        answers = await ctx.ask(
            user_name=form(Name, "What is your name?"),
            greeting=sampling("Generate a greeting", max_tokens=50),
            client_roots=roots(),
        )
        return f"{answers['greeting']} {answers['user_name'].name}, of {answers['client_roots']}"

    @tool
    async def test_input_required_result_multi_round(self, ctx: Context) -> str:
        """Asks twice, the second time knowing the first answer."""
        name = (await ctx.elicit(Name, "Step 1: What is your name?", key="step1")).name
        color = (await ctx.elicit(Color, "Step 2: What is your favorite color?", key="step2")).color
        return f"{name} likes {color}"

    @tool
    async def test_input_required_result_capabilities(self, ctx: Context) -> str:
        """Asks whoever the client can ask."""
        questions: dict[str, Any] = {}
        if ctx.can_ask("form"):
            questions["user_name"] = form(Name, "What is your name?")
        if ctx.can_ask("sampling"):
            questions["greeting"] = sampling("Generate a greeting", max_tokens=50)
        if ctx.can_ask("roots"):
            questions["client_roots"] = roots()
        return f"Answered: {', '.join(await ctx.ask(**questions))}"

    @prompt
    async def test_input_required_result_prompt(self, ctx: Context) -> str:
        """A prompt about what the user says it should be about."""
        return f"Use this context: {(await ctx.elicit(Topic, 'What context should the prompt use?', key='user_context')).context}"
