"""A form as a person meets it: filled by label, sent with a button, encoded as a browser encodes it. HTML, section 4.10.21."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlencode, urljoin, urlsplit

from lazyapp.testing.document import Element
from lazyapp.testing.errors import NotOnPage, listed
from lazyapp.testing.fields import Entry, Fields, File, is_button, is_disabled, said

URLENCODED, MULTIPART, PLAIN = "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"
_CONTROLS = ("input", "select", "textarea", "button")


@dataclass(frozen=True, slots=True)
class Sending:
    """What a pressed button sends."""

    method: str
    url: str
    content: bytes = field(default=b"", repr=False)
    content_type: str = ""


class Form:
    """One form of a page. What is filled in stays until the page is left.

    Args:
        root: the page.
        element: the form; None for the fields and buttons that belong to none.
        url: the page's address.
    """

    def __init__(self, root: Element, element: Element | None, url: str) -> None:
        self._element = element
        self._url = url
        self._controls = [each for each in root.all(*_CONTROLS) if _owner(root, each) is element]
        self.fields = Fields(root, self._controls)

    def __repr__(self) -> str:
        return f"Form({self.title!r}, fields={self.fields.names}, buttons={self.buttons})"

    @property
    def title(self) -> str:
        """What it is called: its `aria-label`, its first heading or legend, else the text of its first button."""
        if self._element is None:
            return ""
        named = [self._element.get("aria-label"), *(each.text for each in self._element.all("h1", "h2", "h3", "h4", "legend"))]
        return next((text for text in (*named, *self.buttons) if text), "")

    @property
    def buttons(self) -> list[str]:
        """The texts of the buttons that send it, in order."""
        return [text_of(each) for each in self._submitters()]

    def is_called(self, name: str) -> bool:
        """Whether a test may mean this form: by its title, a button, its id or its name."""
        if self._element is None:
            return False
        return said(name) in map(said, (self.title, *self.buttons, self._element.get("id"), self._element.get("name")))

    def fill(self, values: Mapping[str, object]) -> Self:
        """Fill fields, each called by its label, `aria-label`, placeholder or name, in any case.

        A checkbox takes True or False; a select and radio buttons the text of a choice or its value; several choices a list; a
        file field a `File` or a path. Numbers and dates are written as a browser writes them.

        Raises:
            NotOnPage: there is no such field or choice.
        """
        for name, value in values.items():
            self.fields.fill(name, value)
        return self

    def value(self, name: str) -> object:
        """What a field holds now.

        Raises:
            NotOnPage: there is no such field.
        """
        return self.fields.value(name)

    def has_button(self, text: str) -> bool:
        """Whether a button is called so."""
        return bool(find_buttons(self._submitters(), text))

    def sending(self, button: str = "") -> Sending:
        """What pressing a button sends; without a name, the only one, or none where the form has none.

        Raises:
            NotOnPage: there is no such button, or it cannot be pressed.
        """
        pressed = self._button(button)
        form = self._element
        if form is None:
            raise NotOnPage(f"the button {button!r} belongs to no form, so without JavaScript it does nothing")
        method = _said_by(pressed, "formmethod") or form.get("method") or "get"
        action = urljoin(self._url, _said_by(pressed, "formaction") or form.get("action") or self._url)
        kind = _said_by(pressed, "formenctype") or form.get("enctype") or URLENCODED
        entries = [entry for control in self._controls for entry in self._sent_by(control, pressed)]
        if method.lower() == "post":
            return Sending("POST", action, *_encoded(entries, kind.lower()))
        if method.lower() == "dialog":
            raise NotOnPage("the form only closes a dialog; nothing is sent")
        return Sending("GET", urlsplit(action)._replace(query=_urlencoded(entries), fragment="").geturl())

    def _button(self, text: str) -> Element | None:
        buttons = self._submitters()
        if not text:
            enabled = [each for each in buttons if not is_disabled(each)]
            if len(enabled) > 1:
                raise NotOnPage(f"the form has several buttons; press one of {listed(self.buttons)}")
            return enabled[0] if enabled else None
        found = find_buttons(buttons, text)
        if len(found) != 1:
            raise NotOnPage(f"{len(found) or 'no'} buttons here are called {text!r}; there are {listed(self.buttons)}")
        if is_disabled(found[0]):
            raise NotOnPage(f"the button {text!r} is disabled; nobody can press it")
        return found[0]

    def _submitters(self) -> list[Element]:
        return [each for each in self._controls if is_button(each) and _button_type(each) in ("submit", "image")]

    def _sent_by(self, control: Element, pressed: Element | None) -> list[Entry]:
        if control is not pressed:
            return list(self.fields.entries(control))
        name = control.get("name")
        if _button_type(control) == "image":
            return [Entry(f"{name}.{axis}" if name else axis, "0") for axis in "xy"]
        return [Entry(name, control.get("value"))] if name else []


def text_of(button: Element) -> str:
    """What a button says."""
    if button.tag == "input":
        return button.get("value") or button.get("alt") or button.get("aria-label") or "Submit"
    return button.get("aria-label") or button.text or button.get("title")


def find_buttons(buttons: Sequence[Element], text: str) -> list[Element]:
    """The buttons that are called so: exactly, else those whose text holds it."""
    wanted = said(text)
    exact = [each for each in buttons if said(text_of(each)) == wanted]
    return exact or [each for each in buttons if wanted in said(text_of(each))]


def _button_type(button: Element) -> str:
    kind = button.get("type").lower()
    return kind if kind in ("reset", "button", "image") else "submit"


def _owner(root: Element, control: Element) -> Element | None:
    """The form that a control belongs to. HTML, section 4.10.18.3."""
    if control.has("form"):
        return next((each for each in root.all("form") if each.get("id") == control.get("form")), None)
    return next((each for each in control.ancestors() if each.tag == "form"), None)


def _said_by(button: Element | None, name: str) -> str:
    return button.get(name) if button is not None else ""


def _encoded(entries: Sequence[Entry], kind: str) -> tuple[bytes, str]:
    if kind == MULTIPART:
        return _multipart(entries)
    if kind == PLAIN:
        lines = "".join(f"{entry.name}={_text(entry)}\r\n" for entry in entries)
        return lines.encode(), PLAIN
    return _urlencoded(entries).encode(), URLENCODED


def _urlencoded(entries: Sequence[Entry]) -> str:
    return urlencode([(entry.name, _text(entry)) for entry in entries])


def _text(entry: Entry) -> str:
    # HTML, section 4.10.21.5: newlines travel as CR LF; of a file only the name does.
    value = entry.value.name if isinstance(entry.value, File) else entry.value
    return "\r\n".join(value.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _multipart(entries: Sequence[Entry]) -> tuple[bytes, str]:
    """HTML, section 4.10.21.8; RFC 7578."""
    boundary = f"----lazyapp{secrets.token_hex(12)}"
    parts: list[bytes] = []
    for entry in entries:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_escaped(entry.name)}"'
        if isinstance(entry.value, File):
            head += f'; filename="{_escaped(entry.value.name)}"\r\nContent-Type: {entry.value.type}'
            parts.append(head.encode() + b"\r\n\r\n" + entry.value.content + b"\r\n")
        else:
            parts.append(f"{head}\r\n\r\n{_text(entry)}\r\n".encode())
    return b"".join([*parts, f"--{boundary}--\r\n".encode()]), f"{MULTIPART}; boundary={boundary}"


def _escaped(name: str) -> str:
    return name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")
