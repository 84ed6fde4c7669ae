"""lazymcp/base.py: both spellings of a module (the promise "Define a module"; design, section 2)."""

import asyncio
import functools
import types

import pytest

from lazymcp import (
    AppSpec,
    Base,
    Context,
    PromptSpec,
    RegistrationError,
    ResourceSpec,
    SkillSpec,
    ToolSpec,
    prompt,
    resource,
    tool,
    user_messages,
)
from lazymcp.base import collect
from lazymcp.names import where
from lazymcp.no_link import NoLink

CTX = Context(NoLink("https://example.com/mcp"), {}, {}, {})


async def found_in(module):
    return {found.name or found.spec.name: found for found in await collect(module, CTX)}


class Both(Base):
    @tool
    async def first(self) -> str:
        """First."""
        return "first"

    def second_tool(self) -> ToolSpec:
        return ToolSpec(desc="Second.", fn=self.first)

    @resource("app://x/{a}")
    def third(self, a: str) -> str:
        """Third."""
        return a

    def fourth_resource(self) -> ResourceSpec:
        return ResourceSpec(desc="Fourth.", read=lambda: "4")

    @prompt(title="Fifth")
    def fifth(self) -> str:
        """Fifth."""
        return "5"

    def sixth_prompt(self) -> PromptSpec:
        return PromptSpec(desc="Sixth.", messages=user_messages("6"))

    def seventh_skill(self) -> SkillSpec:
        return SkillSpec(path="seventh")

    def eighth_app(self) -> AppSpec:
        return AppSpec(desc="Eighth.", html="8")

    def not_published(self, tool: str) -> None: ...
    def _private_tool(self) -> None: ...


async def test_both_spellings_are_found_in_the_order_they_are_written():
    names = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
    assert list(await found_in(Both())) == names


async def test_a_decorated_method_is_still_a_method():
    assert await Both().first() == "first"
    found = (await found_in(Both()))["third"]
    assert found.spec.read("a") == "a"
    assert found.place.startswith("tests/lazymcp/test_base.py:")


async def test_what_is_inherited_comes_first_and_is_overridden_once():
    class Child(Both):
        def ninth_tool(self) -> ToolSpec:
            return ToolSpec(desc="Ninth.", fn=self.first)

        @tool(desc="Better.")
        async def first(self) -> str:
            return "better"

    found = await found_in(Child())
    assert list(found)[:2] == ["first", "second"]
    assert found["first"].spec.desc == "Better."
    assert found["ninth"].spec.fn.__self__.__class__ is Child


async def test_spec_methods_may_be_async_and_take_the_context():
    """Design, section 2."""

    class Module(Base):
        async def count_tool(self, ctx: Context) -> ToolSpec:
            await asyncio.sleep(0)
            return ToolSpec(desc=f"At {ctx.endpoint}, over {ctx.transport!r}.", fn=lambda: 1)

        async def prompts(self):
            return [PromptSpec(name=name, desc="One.", messages=user_messages(name)) for name in ("a", "b")]

        def tools(self, ctx: Context):
            def named() -> int:
                """Named by its function."""
                return 1

            yield ToolSpec(fn=named)

        def apps(self):
            return ()

    found = await found_in(Module())
    assert list(found) == ["count", "a", "b", "named"]
    assert found["count"].spec.desc == "At https://example.com/mcp, over ''."


async def test_static_and_class_methods_can_be_published():
    class Module(Base):
        @tool
        @staticmethod
        def one() -> int:
            """One."""
            return 1

        @tool
        @classmethod
        def two(cls) -> int:
            """Two."""
            return 2

    found = await found_in(Module())
    assert [found[name].spec.fn() for name in ("one", "two")] == [1, 2]


def answer(self):
    """Answer."""
    return 42


@pytest.mark.parametrize(
    ("hide", "advice"),
    [
        (staticmethod, "write @tool above @staticmethod"),
        (classmethod, "write @tool above @classmethod"),
        (property, "@tool publishes methods: leave @property out"),
        (functools.cached_property, "leave @cached_property out"),
    ],
)
async def test_a_decorator_that_hides_what_is_published_is_refused(hide, advice):
    """Else the tool is missing, and nobody is told."""
    hidden = hide(tool(types.FunctionType(answer.__code__, {}, "answer")))
    with pytest.raises(RegistrationError, match=advice) as caught:
        await collect(module_with(answer=hidden), CTX)
    assert caught.value.place == where(answer)


async def test_attributes_that_only_look_like_specs_are_left_alone():
    class Module(Base):
        web_app = "a text"

        @property
        def mobile_app(self):
            raise AssertionError("a property is not asked")

        def apps_of(self, name):
            return name

    assert await found_in(Module()) == {}


def module_with(**attributes):
    return type("Module", (Base,), attributes)()


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"count_tool": lambda self: None}, "must return a ToolSpec, not NoneType"),
        ({"count_tool": lambda self: ResourceSpec()}, "must return a ToolSpec, not ResourceSpec"),
        ({"page_app": lambda self: "html"}, "must return an AppSpec, not str"),
        ({"restart_app": lambda self, when: None}, "takes nothing but the context; rename it, or publish it with a decorator"),
        ({"tools": lambda self: 5}, "must return a list of ToolSpec"),
        ({"tools": lambda self: [5]}, "must return a ToolSpec, not int"),
        ({"skills": lambda self, a: []}, "takes nothing but the context"),
    ],
)
async def test_a_method_that_does_not_return_specs_is_named(attributes, reason):
    with pytest.raises(RegistrationError, match=reason) as caught:
        await collect(module_with(**attributes), CTX)
    assert caught.value.place.startswith("tests/lazymcp/test_base.py:")


@pytest.mark.parametrize(
    ("decorate", "reason"),
    [
        (lambda: tool(5), "stands before a method"),
        (lambda: resource(lambda self: 1), r'@resource needs a URI: @resource\("app://…"\)'),
        (lambda: tool(tool(lambda self: 1)), "published once"),
        (lambda: prompt(colour="red")(lambda self: 1), "unexpected keyword argument 'colour'"),
    ],
)
def test_a_misused_decorator_says_how_it_is_used(decorate, reason):
    with pytest.raises(RegistrationError, match=reason):
        decorate()
