"""PATCH, PUT and DELETE from a form, which can only POST: the method that is meant stands in the address, `?_method=patch`.

In the address and not in a field, because it decides which action is called: a field would have to be looked for in a body that
nobody has read, an upload among them, and a model that forbids what it does not know would find it there. Asked after the request
has passed `security.py`, so that another site's page can no more delete than it can post. Rules only.
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from lazyapp.accept import header

_PARAMETER, _MARK = "_method", b"_method="
_CARRIED = frozenset({"PATCH", "PUT", "DELETE"})
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


def override(action: str, method: str) -> tuple[str, str]:
    """The address and the method with which a form is sent, so that the route of a method is reached.

    Raises:
        ValueError: it is no method that a form can mean.
    """
    wanted = method.upper()
    if wanted in ("GET", "POST"):
        return action, wanted.lower()
    if wanted not in _CARRIED:
        raise ValueError(f"a form cannot mean {method!r}; get, post, patch, put and delete are what it can")
    address, mark, fragment = action.partition("#")
    return f"{address}{'&' if '?' in address else '?'}{_PARAMETER}={wanted.lower()}{mark}{fragment}", "post"


def meant(scope: MutableMapping[str, Any], methods_at: Callable[[str], Sequence[str]]) -> MutableMapping[str, Any]:
    """The request that a POST stands for; itself, unless a form names the method of a page at its path.

    Args:
        scope: of a POST.
        methods_at: the methods that pages answer at a path.
    """
    pairs = scope["query_string"].split(b"&")
    method = next((pair[len(_MARK) :].decode("latin-1").upper() for pair in pairs if pair.startswith(_MARK)), "")
    if method not in _CARRIED or not _is_form(scope) or method not in methods_at(scope["path"]):
        return scope
    rest = b"&".join(pair for pair in pairs if not pair.startswith(_MARK))
    return {**scope, "method": method, "query_string": rest}


def _is_form(scope: Mapping[str, Any]) -> bool:
    return header(scope, b"content-type").partition(";")[0].strip().lower() in _FORMS
