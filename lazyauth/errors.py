"""What can go wrong while finding out who is asking. Each message is a sentence that may be shown to the person or the model."""


class AuthError(Exception):
    """Base of all errors of lazyauth."""


class InvalidCredentials(AuthError):
    """The name is unknown, the secret is wrong, or the user may not sign in; the message never tells which."""

    def __init__(self, message: str = "the name or the password is wrong") -> None:
        super().__init__(message)


class SignInRequired(AuthError):
    """Nobody is signed in, and what was asked for needs somebody."""

    def __init__(self, message: str = "sign in required") -> None:
        super().__init__(message)


class WeakPassword(AuthError):
    """A new password breaks the rule that the message states."""


class MissingUser(AuthError):
    """A user without an id. Such a user could be mistaken for nobody, so none is ever made."""

    def __init__(self, message: str = "a user needs an id that is not blank") -> None:
        super().__init__(message)


class InvalidUser(AuthError):
    """A user that a store cannot keep; the message states the rule."""


class UserExists(AuthError):
    """Somebody of this id is there already; adding never replaces a user."""


class UsersFileError(AuthError):
    """A file of users cannot be read or written; the message names the path, and the line where there is one."""


class UsersUnavailable(AuthError):
    """The place where users are kept does not answer, so nothing is known about anybody and nobody's login ends."""


class TooManyTries(AuthError):
    """Too many wrong passwords; nothing was checked.

    Attributes:
        retry_after_s: when the next try is allowed, in whole seconds from now.
    """

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too many wrong passwords, try again later")
        self.retry_after_s = retry_after_s


class Overloaded(AuthError):
    """More passwords are waiting to be checked than the process can serve in a second or two; nothing was checked."""

    def __init__(self, message: str = "too many people are signing in at this moment, try again in a few seconds") -> None:
        super().__init__(message)


class SignInFailed(AuthError):
    """Signing in at another provider came to nothing; the message tells the person what to do."""
