"""What the stand-in says: why there is no application, as a page, as Markdown, as JSON and as JSON-RPC. Everything is escaped."""

import json
from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup

from lazyapp.developing.files import FOLDER
from lazyapp.developing.refresh import tag
from lazyapp.serving.causes import Cause, Place

# JSON-RPC 2.0, section 5.1: internal error.
INTERNAL_ERROR: Final = -32603

_PAGE: Final = Markup(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<style nonce="{nonce}">{style}</style>\n'
    '</head>\n<body>\n<main>\n<h1 class="wrong">{heading}</h1>\n{told}<p class="notice" role="status">{waits}</p>\n</main>\n'
    "{script}</body>\n</html>\n"
)
_WAITS_AND_REFRESHES: Final = "Save the file that mends it: this page refreshes by itself."
_WAITS: Final = "Save the file that mends it, then load this page again."


class Trouble:
    """Why nothing is served, told to a developer.

    Args:
        text: as the terminal says it.
        causes: the chain of what was raised; empty when the process ended without a word.
        token: pages that were made of another state refresh; None: pages are left alone.
    """

    def __init__(self, text: str, causes: Sequence[Cause] = (), token: str | None = None) -> None:
        self.text = text
        self.token = token
        self._causes = causes or (Cause("", text),)

    @property
    def title(self) -> str:
        """One line: `RuntimeError: the drawer is broken (init/app.py:9)`."""
        last = self._causes[-1]
        words = (last.message.splitlines() or [""])[0]
        at = next((f" ({each.places[0].file}:{each.places[0].line})" for each in reversed(self._causes) if each.places), "")
        return f"{last.kind}: {words}{at}" if last.kind else f"{words}{at}"

    def as_html(self, nonce: str) -> str:
        """A whole page, whose styles need the nonce."""
        script = Markup("") if self.token is None else Markup(tag(self.token)) + "\n"  # noqa: S704  # ours
        style = Markup((FOLDER / "developing.css").read_text())  # noqa: S704  # ours
        return _PAGE.format(
            title=self.title,
            nonce=nonce,
            style=style,
            heading="The application could not start",
            told=Markup().join(_cause(each, is_first=each is self._causes[0]) for each in self._causes),
            waits=_WAITS if self.token is None else _WAITS_AND_REFRESHES,
            script=script,
        )

    def as_markdown(self) -> str:
        """For whoever helps."""
        parts = ["# The application could not start"]
        for cause in self._causes:
            parts.append(f"{f'**{cause.kind}**: ' if cause.kind else ''}{cause.message}")
            for place in cause.places:
                parts.append(f"`{place.file}:{place.line}`{f' in `{place.within}`' if place.within else ''}")
                parts.append("\n".join(f"    {_line(*line, place.line)}" for line in place.lines))
        return "\n\n".join(parts) + "\n"

    def as_problem(self) -> dict[str, Any]:
        """RFC 9457, for a program."""
        errors = [
            {
                "type": cause.kind,
                "message": cause.message,
                "frames": [{"file": at.file, "line": at.line, "function": at.within} for at in cause.places],
            }
            for cause in self._causes
        ]
        return {
            "type": "about:blank",
            "title": "The application could not start",
            "status": 503,
            "detail": self.title,
            "errors": errors,
        }

    def as_rpc_error(self, request: bytes) -> dict[str, Any] | None:
        """The answer to a JSON-RPC request, which a client shows; None: it is none that is answered. JSON-RPC 2.0, section 5."""
        try:
            asked = json.loads(request)
        except (ValueError, RecursionError):  # UnicodeDecodeError too; and lists within lists without end
            return None
        if not isinstance(asked, dict) or "method" not in asked:
            return None
        # MCP 2025-11-25, "Requests": a string or an integer, which a bool is to Python only.
        if isinstance(asked.get("id"), bool) or not isinstance(asked.get("id"), str | int):
            return None
        message = f"The application could not start: {self.title}"
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": INTERNAL_ERROR, "message": message}}


def _cause(cause: Cause, *, is_first: bool) -> Markup:
    heading = Markup() if not cause.kind else Markup("<h2>{}{}</h2>\n").format("" if is_first else "Caused by ", cause.kind)
    message = Markup('<p class="message">{}</p>\n').format(cause.message) if cause.message else Markup()
    return heading + message + Markup().join(map(_place, cause.places))


def _place(place: Place) -> Markup:
    within = Markup(" in <code>{}</code>").format(place.within) if place.within else Markup()
    said = Markup("<p><code>{}:{}</code>{}</p>\n").format(place.file, place.line, within)
    if not place.lines:
        return said
    # Long lines are reached by keyboard too: WCAG 2.2, 2.1.1.
    block = Markup('<pre tabindex="0" role="group" aria-label="{}, line {}">').format(place.file, place.line)
    for number, text in place.lines:
        element = Markup("<mark>{}</mark>") if number == place.line else Markup("<span>{}</span>")
        block += element.format(f"{number:>4}  {text}")
    return said + block + Markup("</pre>\n")


def _line(number: int, text: str, marked: int) -> str:
    return f"{'>' if number == marked else ' '} {number:>4} {text}"
