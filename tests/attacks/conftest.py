"""The server that is attacked: the one of `tests/lazyoauth`, in this process, where guards can be taken out."""

from tests.lazyoauth.conftest import clock, start, users

__all__ = ["clock", "start", "users"]
