"""Errors of the start: one base, and a failing step that says its name."""

from lazyapp.errors import ConfigurationError, LazyappError, StartupError


def test_every_error_can_be_caught_by_the_one_base() -> None:
    assert issubclass(ConfigurationError, LazyappError)
    assert issubclass(StartupError, LazyappError)


def test_a_failed_step_says_which_and_why() -> None:
    error = StartupError("service Accounts", "disk full")
    assert (str(error), error.step, error.reason) == ("service Accounts: disk full", "service Accounts", "disk full")
