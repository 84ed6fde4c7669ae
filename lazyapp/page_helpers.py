"""The functions that lazyapp gives to every view.

They work outside a request too: the login page wears the application's layout and has no session.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

import lazyauth
from lazyapp.current import current
from lazyapp.form_helpers import errors_for, field, form_for
from lazyapp.format_helpers import Times, format_number, pluralize
from lazyapp.link_helpers import asset_helpers, button_to, link_to
from lazyapp.sessions import Flash


def flash() -> list[Flash]:
    """The messages not shown yet, each with `message` and `kind`; they are gone after this."""
    here = current.get()
    return here.session.take_flash() if here else []


def current_path() -> str:
    """The path of the page being shown; empty outside a request."""
    here = current.get()
    return here.path if here else ""


def current_user() -> lazyauth.User | None:
    """The person who is signed in, or None: `{% if current_user() %}…{{ current_user().id }}`."""
    here = current.get()
    return here.user if here else None


def csp_nonce() -> str:
    """What an inline `<script>` or `<style>` of this page carries as its `nonce`; empty outside a request."""
    here = current.get()
    return here.nonce if here else ""


def page_helpers(
    path_for: Callable[..., str],
    asset_path: Callable[[str], str],
    integrity: Callable[[str], str],
    origin: Callable[[], str],
    zone: Callable[[], dt.tzinfo],
) -> Mapping[str, Callable[..., Any]]:
    """Every helper by the name it has in a view.

    Args:
        path_for: the path of a named route.
        asset_path: the path of a public file.
        integrity: what a browser compares a public file with.
        origin: our public origin, without a trailing slash.
        zone: in which times are shown.
    """

    def public_url(path: str = "/") -> str:
        """The address of one of our paths for someone who is elsewhere, in a mail for example."""
        return f"{origin()}{path}"

    return {
        **asset_helpers(asset_path, integrity),
        **Times(zone, lambda: dt.datetime.now(dt.UTC)).helpers,
        "button_to": button_to,
        "csp_nonce": csp_nonce,
        "current_path": current_path,
        "current_user": current_user,
        "errors_for": errors_for,
        "field": field,
        "flash": flash,
        "form_for": form_for,
        "format_number": format_number,
        "link_to": link_to,
        "path_for": path_for,
        "pluralize": pluralize,
        "public_url": public_url,
    }
