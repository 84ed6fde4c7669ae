"""Links, and what stands for them: buttons that change something, style sheets and scripts."""

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from lazyapp.addresses import safe
from lazyapp.current import current
from lazyapp.markup import tag
from lazyapp.method_override import override


def link_to(text: object, path: str, **attributes: Any) -> Markup:
    """A link. The one to the page being shown is marked with `aria-current`.

    Args:
        text: what it says.
        path: where it leads: `path_for("accounts")`, or an address elsewhere.
        attributes: of the element; `class_` is `class`.

    Raises:
        UnsafeLink: the address is `javascript:` or of another scheme that is no link's.
    """
    here = current.get()
    mark = {"aria-current": "page"} if here is not None and path == here.path else {}
    return tag("a", {"href": safe(path), **mark, **attributes}, text)


def button_to(text: object, path: str, method: str = "post", **attributes: Any) -> Markup:
    """A button that does something, where a link would only show something: a form with nothing but it.

    Args:
        text: what it says.
        path: where it is sent.
        method: as the route has it; PATCH, PUT and DELETE too.
        attributes: of the button.
    """
    where, sent_as = override(safe(path), method)
    return tag("form", {"method": sent_as, "action": where, "class": "button-form"}, tag("button", attributes, text))


def asset_helpers(asset_path: Callable[[str], str], integrity: Callable[[str], str]) -> Mapping[str, Callable[..., Any]]:
    """The helpers that link to public files.

    Args:
        asset_path: the path of a file by its name.
        integrity: what a browser compares that file with. W3C Subresource Integrity, 3.1.
    """

    def stylesheet_link(name: str, **attributes: Any) -> Markup:
        """A style sheet of the public folder. A browser that is given other bytes does not use them."""
        return tag("link", {"rel": "stylesheet", "href": asset_path(name), "integrity": integrity(name), **attributes})

    def script_tag(name: str, **attributes: Any) -> Markup:
        """A script of the public folder, run when the page has been read: a module unless `type` says otherwise."""
        own = {"src": asset_path(name), "type": "module", "defer": "type" in attributes, "integrity": integrity(name)}
        return tag("script", {**own, **attributes})

    return {"asset_path": asset_path, "script_tag": script_tag, "stylesheet_link": stylesheet_link}
