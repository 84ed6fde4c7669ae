"""What can go wrong when an application is put together and started; each message is one sentence that says what to do."""


class LazyappError(Exception):
    """The base of every error that lazyapp raises."""


class ConfigurationError(LazyappError):
    """A setting or a `Config` field is missing or wrong. The message names it and says what to set; `lazyapp` exits with code 2."""


class StartupError(LazyappError):
    """A step of the start failed; what it had opened before has been closed.

    Args:
        step: what was being done, for example `service Accounts`.
        reason: why it failed, in one sentence.
    """

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")
        self.step = step
        self.reason = reason


class ClosingError(LazyappError):
    """Services could not be closed; all others were. The message names them."""
