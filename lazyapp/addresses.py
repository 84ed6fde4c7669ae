"""Addresses that a page may lead to: no link and no form of ours runs a script. Rules only."""

from lazyapp.errors import LazyappError

_SCHEME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+.-")
_SCHEMES = frozenset({"http", "https", "mailto", "tel", "sms"})


class UnsafeLink(LazyappError):
    """A helper was given an address that would run a script; a visitor's text was taken for an address, as a rule."""


def safe(address: str) -> str:
    """The address, if it is one to lead to.

    URL Standard, section 4.4: spaces and control characters before a scheme are dropped, and tabs and line ends within it.

    Raises:
        UnsafeLink: it is `javascript:` or of another scheme that is no link's.
    """
    bare = "".join(letter for letter in address if letter > " ").lower()
    scheme, colon, _ = bare.partition(":")
    if colon and scheme not in _SCHEMES and _SCHEME_CHARACTERS.issuperset(scheme):
        raise UnsafeLink(f"{scheme}: is no address to link to; http, https, mailto, tel and paths are")
    return address
