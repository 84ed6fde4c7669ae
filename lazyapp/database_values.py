"""Values that no database can hold: the request's fault, and no failure of ours.

A number of twenty digits in a path and a NUL in a form's text are read without complaint, for the types say nothing against them;
the database is the first to refuse. Which of its errors are of that kind is known here.
"""

from sqlalchemy.exc import DBAPIError

# PostgreSQL, appendix A: numeric value out of range, datetime field overflow, character not in repertoire, untranslatable one.
_CODES = frozenset({"22003", "22008", "22021", "22P05"})
# What asyncpg and sqlite3 say before they send a number.
_TOO_LARGE = ("value out of int", "too large to convert to SQLite INTEGER")

#: Errors among which those are found.
RAISED = (DBAPIError, OverflowError)


def cannot_be_held(error: BaseException) -> bool:
    """Whether an error says that a value fits no column of its kind, whoever asks."""
    if not isinstance(error, RAISED):
        return False
    code = str(getattr(getattr(error, "orig", None), "sqlstate", "") or "")
    return code in _CODES or any(words in str(error) for words in _TOO_LARGE)
