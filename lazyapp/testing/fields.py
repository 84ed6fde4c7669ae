"""The fields of a form: how a person names them, what they hold, and what of it a browser would send.

HTML, section 4.10.21.4, "Constructing the entry list". Constraints (`required`, `pattern`) are not held: a test wants to send what
is wrong, and a browser is not the only one who does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import NamedTuple

from lazyapp.testing.document import Element
from lazyapp.testing.errors import NotOnPage, listed

BUTTON_TYPES = frozenset({"submit", "image", "reset", "button"})
_OFTEN_WITHIN = ("select", "textarea", "button")


@dataclass(frozen=True, slots=True)
class File:
    """A file that a form uploads.

    Args:
        name: as the browser tells it.
        content: its bytes.
        type: its media type.
    """

    name: str
    content: bytes
    type: str = "application/octet-stream"


class Entry(NamedTuple):
    """One name and what is sent under it."""

    name: str
    value: "str | File"


class Fields:
    """The fields of one form, and what was filled in.

    Args:
        root: the page.
        controls: the form's inputs, selects and textareas, in the order of the page.
    """

    def __init__(self, root: Element, controls: Sequence[Element]) -> None:
        self._root = root
        self._controls = [each for each in controls if not is_button(each)]
        self._texts: dict[int, str] = {}
        self._checked: dict[int, bool] = {}
        self._chosen: dict[int, list[Element]] = {}
        self._files: dict[int, list[File]] = {}

    @property
    def names(self) -> list[str]:
        """What each field that a person can see is called, in order."""
        found: dict[str, None] = {}
        for control in self._visible():
            group = _legend(control) if control.get("type") == "radio" else ""
            found.setdefault(group or next(iter(self._labels(control)), control.get("name")))
        return [name for name in found if name]

    def has(self, name: str) -> bool:
        """Whether a field is called so."""
        return bool(self._find(name))

    def fill(self, name: str, value: object) -> None:
        """Put a value into the field that is called so.

        Raises:
            NotOnPage: there is no such field, or several, or it does not take this value.
        """
        found = self._find(name)
        if not found:
            raise NotOnPage(f"no field is called {name!r}; the fields here are {listed(self.names)}")
        kinds = {each.get("type") for each in found}
        if len(found) > 1 and kinds == {"radio"}:
            self._choose_radio(name, found, value)
        elif len(found) > 1 and kinds == {"checkbox"} and not isinstance(value, bool):
            self._check_several(name, found, value)
        elif len(found) > 1:
            raise NotOnPage(f"{len(found)} fields are called {name!r}; name one by its name attribute: {listed(map(_name, found))}")
        else:
            self._put(name, found[0], value)

    def value(self, name: str) -> object:
        """What the field holds now: a text, whether it is checked, or the texts of the chosen options.

        Raises:
            NotOnPage: there is no such field.
        """
        found = self._find(name)
        if not found:
            raise NotOnPage(f"no field is called {name!r}; the fields here are {listed(self.names)}")
        if len(found) > 1:
            return [self._name_of_choice(each) for each in found if self._is_checked(each)]
        [control] = found
        if control.get("type") in ("checkbox", "radio"):
            return self._is_checked(control)
        if control.tag == "select":
            chosen = [option.text for option in self._options_of(control)]
            return chosen if control.has("multiple") else "".join(chosen)
        return self._text(control)

    def entries(self, control: Element) -> Iterator[Entry]:
        """What a control sends; nothing where it has no name, is disabled, or is not checked."""
        name, kind = control.get("name"), control.get("type").lower()
        if not name or is_disabled(control) or is_button(control):
            return
        if kind in ("checkbox", "radio"):
            if self._is_checked(control):
                yield Entry(name, control.get("value", "on"))
        elif control.tag == "select":
            for option in self._options_of(control):
                yield Entry(name, _option_value(option))
        elif kind == "file":
            for file in self._files.get(id(control), [File("", b"")]):
                yield Entry(name, file)
        else:
            yield Entry(name, self._text(control))

    def _put(self, name: str, control: Element, value: object) -> None:
        if is_disabled(control) or control.has("readonly"):
            raise NotOnPage(f"the field {name!r} is {'disabled' if is_disabled(control) else 'read-only'}; nobody can fill it")
        kind = control.get("type").lower()
        if kind in ("checkbox", "radio"):
            if not isinstance(value, bool):
                raise NotOnPage(f"the field {name!r} is a {kind}; fill it with True or False, not {value!r}")
            if kind == "radio":
                self._choose_radio(name, self._radios_beside(control), _option_value(control) if value else None)
            else:
                self._checked[id(control)] = value
        elif control.tag == "select":
            self._chosen[id(control)] = _options_for(name, control, value)
        elif kind == "file":
            self._files[id(control)] = _files_of(name, control, value)
        else:
            self._texts[id(control)] = _written(value)

    def _choose_radio(self, name: str, radios: Sequence[Element], value: object) -> None:
        wanted = [each for each in radios if value is not None and self._is_choice(each, value)]
        if value is not None and not wanted:
            raise NotOnPage(f"{name!r} offers no {value!r}; it offers {listed(map(self._name_of_choice, radios))}")
        for each in radios:
            self._checked[id(each)] = each in wanted[:1]

    def _check_several(self, name: str, boxes: Sequence[Element], value: object) -> None:
        values = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
        for one in values:
            if not any(self._is_choice(each, one) for each in boxes):
                raise NotOnPage(f"{name!r} offers no {one!r}; it offers {listed(map(self._name_of_choice, boxes))}")
        for each in boxes:
            self._checked[id(each)] = any(self._is_choice(each, one) for one in values)

    def _is_choice(self, control: Element, value: object) -> bool:
        written = _written(value)
        return control.get("value", "on") == written or said(written) in map(said, self._labels(control))

    def _name_of_choice(self, control: Element) -> str:
        return next(iter(self._labels(control)), control.get("value", "on"))

    def _radios_beside(self, control: Element) -> list[Element]:
        return [each for each in self._controls if each.get("type") == "radio" and each.get("name") == control.get("name")]

    def _is_checked(self, control: Element) -> bool:
        return self._checked.get(id(control), control.has("checked"))

    def _text(self, control: Element) -> str:
        if id(control) in self._texts:
            return self._texts[id(control)]
        # HTML, section 13.1.2.5: a newline right after the start tag is not part of the text.
        return control.raw_text.removeprefix("\n") if control.tag == "textarea" else control.get("value")

    def _options_of(self, control: Element) -> list[Element]:
        if id(control) in self._chosen:
            return self._chosen[id(control)]
        options = list(control.all("option"))
        selected = [option for option in options if option.has("selected")]
        if control.has("multiple"):
            return [option for option in selected if not is_disabled(option)]
        # HTML, section 4.10.7: the last that is selected, else the first that can be.
        chosen = selected[-1:] or [option for option in options if not is_disabled(option)][:1]
        return [option for option in chosen if not is_disabled(option)]

    def _visible(self) -> Iterator[Element]:
        return (each for each in self._controls if each.get("type").lower() != "hidden")

    def _find(self, name: str) -> list[Element]:
        wanted = said(name)
        controls = list(self._visible())
        named: Mapping[int, list[str]] = {id(each): [said(label) for label in self._labels(each)] for each in controls}
        for found in (
            [each for each in controls if wanted in named[id(each)]],
            [each for each in controls if said(_legend(each)) == wanted and each.get("type") in ("radio", "checkbox")],
            [each for each in controls if each.get("name") == name],
            [each for each in controls if any(wanted in label for label in named[id(each)])],
        ):
            if found:
                return found
        return []

    def _labels(self, control: Element) -> list[str]:
        found = [label.text_without(*_OFTEN_WITHIN) for label in control.ancestors() if label.tag == "label"]
        if identity := control.get("id"):
            found += [label.text_without(*_OFTEN_WITHIN) for label in self._root.all("label") if label.get("for") == identity]
        by_id = control.get("aria-labelledby").split()
        found += [" ".join(each.text for each in self._root.all() if each.get("id") in by_id)] if by_id else []
        return [text for text in (*found, control.get("aria-label"), control.get("placeholder"), control.get("title")) if text]


def said(text: str) -> str:
    """A label as people say it: without case, hyphens, and the star or colon at its end."""
    return " ".join(text.casefold().replace("-", "").split()).rstrip(" :*")


def is_button(control: Element) -> bool:
    """Whether it is pressed rather than filled."""
    return control.tag == "button" or (control.tag == "input" and control.get("type").lower() in BUTTON_TYPES)


def is_disabled(control: Element) -> bool:
    """Whether it, or the fieldset or optgroup that it lies in, is disabled. HTML, section 4.10.18.5."""
    return control.has("disabled") or any(
        each.tag in ("fieldset", "optgroup") and each.has("disabled") for each in control.ancestors()
    )


def _legend(control: Element) -> str:
    for around in control.ancestors():
        if around.tag == "fieldset":
            return next((legend.text for legend in around.all("legend")), "")
        if around.get("role") in ("radiogroup", "group") and around.has("aria-label"):
            return around.get("aria-label")
    return ""


def _name(control: Element) -> str:
    return control.get("name")


def _option_value(option: Element) -> str:
    if option.tag != "option":
        return option.get("value", "on")
    return option.get("value") if option.has("value") else option.text


def _options_for(name: str, control: Element, value: object) -> list[Element]:
    several = isinstance(value, Sequence) and not isinstance(value, str)
    if several and not control.has("multiple"):
        raise NotOnPage(f"{name!r} takes one of its options, not {value!r}")
    options = list(control.all("option"))
    found = []
    for one in value if several and isinstance(value, Sequence) else [value]:
        written = _written(one)
        matching = [each for each in options if said(each.text) == said(written)] or [
            each for each in options if _option_value(each) == written
        ]
        if not matching or is_disabled(matching[0]):
            raise NotOnPage(f"{name!r} offers no {one!r}; it offers {listed(each.text for each in options)}")
        found.append(matching[0])
    return [each for each in options if each in found]


def _files_of(name: str, control: Element, value: object) -> list[File]:
    values = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if len(values) > 1 and not control.has("multiple"):
        raise NotOnPage(f"{name!r} takes one file, not {len(values)}")
    files = [File(each.name, each.read_bytes()) if isinstance(each, Path) else each for each in values]
    if not all(isinstance(each, File) for each in files):
        raise NotOnPage(f"{name!r} takes a file; fill it with a path or lazyapp.testing.File(name, content), not {value!r}")
    return [each for each in files if isinstance(each, File)]


def _written(value: object) -> str:
    """A value as a browser's field holds it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    return "" if value is None else str(value)
