"""`lazyapp.testing.fields`: what a field is called, and what it sends."""

from datetime import date
from pathlib import Path

import pytest

from lazyapp.testing.document import parse
from lazyapp.testing.errors import NotOnPage
from lazyapp.testing.fields import Entry, Fields, File

HTML = """
<label for=e>E-mail: *</label><input id=e name=email value=old>
<label>Age <input name=age type=number></label>
<input name=city aria-label=City><input name=street placeholder=Street><b id=zip>Zip</b><input name=zip aria-labelledby=zip>
<label>Note <textarea name=note>
two
lines</textarea></label>
<label>Colour <select name=colour><option value=r>Red<option value=g selected>Green<option disabled>Blue</select></label>
<label>Sizes <select name=sizes multiple><option>S<option selected>M<option selected>L</select></label>
<label><input type=checkbox name=news value=yes checked> News</label><label><input type=checkbox name=terms> Terms</label>
<fieldset><legend>Day</legend><label><input type=checkbox name=day value=1>Monday</label>
<label><input type=checkbox name=day value=2>Tuesday</label></fieldset>
<fieldset><legend>Pay</legend><label><input type=radio name=pay value=card checked>By card</label>
<label><input type=radio name=pay value=cash>In cash</label></fieldset>
<label>Photo <input type=file name=photo></label><label>Papers <input type=file name=papers multiple></label>
<input type=hidden name=token value=t><label>Off <input name=off disabled value=x></label>
<label>Fixed <input name=fixed readonly value=f></label>
<input value=nameless><fieldset disabled><input name=within value=x></fieldset>
"""


def fields(html: str = HTML) -> Fields:
    root = parse(html)
    return Fields(root, list(root.all("input", "select", "textarea")))


def sent(these: Fields) -> list[Entry]:
    return [entry for control in these._controls for entry in these.entries(control)]


def values(these: Fields, name: str) -> list[object]:
    return [entry.value for entry in sent(these) if entry.name == name]


def test_untouched_fields_send_what_the_page_says() -> None:
    """HTML, section 4.10.21.4: nothing that is disabled, nameless or not checked; an empty file field sends an empty file."""
    assert sent(fields()) == [
        ("email", "old"), ("age", ""), ("city", ""), ("street", ""), ("zip", ""), ("note", "two\nlines"),
        ("colour", "g"), ("sizes", "M"), ("sizes", "L"), ("news", "yes"), ("pay", "card"),
        ("photo", File("", b"")), ("papers", File("", b"")), ("token", "t"), ("fixed", "f"),
    ]  # fmt: skip


@pytest.mark.parametrize("label", ["E-mail", "email", "E-MAIL:", "e-mail *"])
def test_a_label_is_said_as_people_say_it(label: str) -> None:
    these = fields()
    these.fill(label, "a@b.c")
    assert values(these, "email") == ["a@b.c"]
    assert these.value(label) == "a@b.c"


@pytest.mark.parametrize(
    ("label", "name"), [("City", "city"), ("Street", "street"), ("Zip", "zip"), ("zip", "zip"), ("Age", "age")]
)
def test_whatever_names_a_field_to_a_person_names_it_here(label: str, name: str) -> None:
    """A label for it or around it, aria-label, aria-labelledby, a placeholder; and its name."""
    these = fields()
    these.fill(label, 7)
    assert values(these, name) == ["7"]


def test_a_part_of_a_label_is_enough_when_no_other_field_has_it() -> None:
    these = fields("<label>First name <input name=a></label><label>Last name <input name=b></label>")
    these.fill("first", "Ada")
    assert values(these, "a") == ["Ada"]
    with pytest.raises(NotOnPage, match="2 fields are called 'name'; name one by its name attribute: 'a', 'b'"):
        these.fill("name", "Ada")


def test_checkboxes_selects_and_radios_take_what_they_offer() -> None:
    these = fields()
    for label, value in {
        "News": False, "Terms": True, "Colour": "Red", "Sizes": ["S", "L"], "Day": ["Tuesday"], "Pay": "In cash",
        "Age": date(2026, 1, 2),
    }.items():  # fmt: skip
        these.fill(label, value)
    assert [entry for entry in sent(these) if entry.name in ("news", "terms", "colour", "sizes", "day", "pay", "age")] == [
        ("age", "2026-01-02"), ("colour", "r"), ("sizes", "S"), ("sizes", "L"), ("terms", "on"), ("day", "2"), ("pay", "cash"),
    ]  # fmt: skip
    assert (these.value("Sizes"), these.value("Colour"), these.value("Terms"), these.value("Pay")) == (
        ["S", "L"],
        "Red",
        True,
        ["In cash"],
    )
    these.fill("By card", True)
    these.fill("Colour", "g")
    assert (values(these, "pay"), values(these, "colour")) == (["card"], ["g"])


def test_files_are_paths_or_contents(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"A")
    these = fields()
    these.fill("Photo", tmp_path / "a.txt")
    these.fill("Papers", [File("b.pdf", b"B", "application/pdf"), File("c", b"C")])
    assert values(these, "photo") == [File("a.txt", b"A")]
    assert values(these, "papers") == [File("b.pdf", b"B", "application/pdf"), File("c", b"C")]


@pytest.mark.parametrize(
    ("label", "value", "message"),
    [
        (
            "Emial",
            "x",
            r"no field is called 'Emial'; the fields here are 'E-mail: \*', 'Age', 'City', 'Street'",
        ),
        ("token", "x", "no field is called 'token'"),
        ("Off", "x", "'Off' is disabled; nobody can fill it"),
        ("Fixed", "x", "'Fixed' is read-only"),
        ("Terms", "yes", "'Terms' is a checkbox; fill it with True or False, not 'yes'"),
        ("Colour", "Pink", "'Colour' offers no 'Pink'; it offers 'Red', 'Green', 'Blue'"),
        ("Colour", "Blue", "'Colour' offers no 'Blue'"),
        ("Colour", ["Red"], "'Colour' takes one of its options"),
        ("Pay", "By cheque", "'Pay' offers no 'By cheque'; it offers 'By card', 'In cash'"),
        ("Day", ["Sunday"], "'Day' offers no 'Sunday'; it offers 'Monday', 'Tuesday'"),
        ("Photo", "a.txt", r"'Photo' takes a file; fill it with a path or lazyapp.testing.File\(name, content\), not 'a.txt'"),
        ("Photo", [File("a", b""), File("b", b"")], "'Photo' takes one file, not 2"),
    ],
)
def test_what_nobody_could_do_is_refused_with_what_they_could(label: str, value: object, message: str) -> None:
    with pytest.raises(NotOnPage, match=message):
        fields().fill(label, value)
