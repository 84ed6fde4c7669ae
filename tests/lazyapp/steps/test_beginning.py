"""What steps share: how a hook is called, and how a failure is named."""

import pytest

import lazyoauth
from lazyapp.errors import ConfigurationError, StartupError
from lazyapp.steps.beginning import called, step


async def test_a_hook_may_be_a_coroutine_function_or_not() -> None:
    """style.md, "Async and state": an application awaits in a hook what it has to await; `lazyapp.Config` takes either."""

    def plain(name: str) -> str:
        return name

    async def awaited(name: str) -> str:
        return name

    assert [await called(plain, "shop"), await called(awaited, "shop")] == ["shop", "shop"]


@pytest.mark.parametrize(
    ("raised", "seen", "sentence"),
    [
        (ValueError("no such file"), StartupError, "mcp: no such file"),
        (ValueError(), StartupError, "mcp: ValueError"),
        (lazyoauth.ConfigError("issuer is empty"), ConfigurationError, "issuer is empty"),
        (ConfigurationError("say it once"), ConfigurationError, "say it once"),
    ],
)
def test_a_failure_carries_the_name_of_its_step_once(raised: Exception, seen: type[Exception], sentence: str) -> None:
    """Design 2: a step that fails names itself."""
    with pytest.raises(seen) as caught, step("mcp"):
        raise raised
    assert str(caught.value) == sentence
