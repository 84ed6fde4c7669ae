"""A field of a form as HTML."""

import datetime as dt
import enum
from typing import Any

import pytest
from pydantic import SecretStr

from lazyapp.form_controls import Shown, as_text, draw, error_line
from lazyapp.form_fields import FormField

CHOICES = (("red", "Red"), ("<b>", "<i>"))


class Level(enum.Enum):
    LOW = 1


def drawn(value: Any = None, error: str = "", attributes: dict[str, Any] | None = None, **field: Any) -> str:
    return str(draw(Shown(FormField("name", "Label", **field), "id", value, error, attributes or {})))


def test_label_hint_and_error_are_tied_to_the_control() -> None:
    """WCAG 2.2, 1.3.1, 3.3.1 and 3.3.2."""
    text = drawn("x", "Wrong <here>.", hint="A <hint>", is_required=True)
    assert '<label for="id">Label</label>' in text
    assert 'id="id" name="name" type="text" value="x" required aria-invalid="true" aria-describedby="id-hint id-error"' in text
    assert '<p class="field-hint" id="id-hint">A &lt;hint&gt;</p>' in text
    assert '<p class="field-error" id="id-error">Wrong &lt;here&gt;.</p>' in text
    assert "aria-" not in drawn("x")


def test_values_are_escaped_everywhere() -> None:
    """OWASP, cross-site scripting: no value ends its attribute or element."""
    evil = '"><script>alert(1)</script></textarea>'
    for kind in ("text", "textarea", "hidden", "email"):
        text = drawn(evil, type=kind, attributes={"title": evil})
        assert "<script" not in text
        assert text.count("</textarea>") == (kind == "textarea")


@pytest.mark.parametrize("type_", ["password", "file"])
def test_a_secret_and_a_file_are_never_written_into_the_page(type_: str) -> None:
    """What stands in a page is cached and saved."""
    assert "geheim" not in drawn("geheim", type=type_)
    assert "geheim" not in drawn(SecretStr("geheim"))


def test_a_box_that_is_not_ticked_is_sent_as_false() -> None:
    """HTML, section 4.10.21.4: it sends nothing; the last of two values counts."""
    off = '<input type="hidden" name="name" value="false">'
    assert off in drawn(type="checkbox")
    assert [" checked" in drawn(value, type="checkbox") for value in (True, False, None, ["false", "true"], "false", "on")] == [
        *(True, False, False, True, False, True),
    ]


def test_a_select_has_a_choice_for_nothing_only_where_nothing_can_be_said() -> None:
    """HTML, section 4.10.7."""
    assert '<option value="">—</option>' in drawn(type="select", choices=CHOICES)
    assert '<option value="">Choose…</option>' in drawn(type="select", choices=CHOICES, is_required=True)
    assert '<option value="">' not in drawn("red", type="select", choices=CHOICES, is_required=True)
    assert '<option value="">' not in drawn("red", type="select", choices=CHOICES, default="red")
    assert '<option value="">' not in drawn(["red"], type="select", choices=CHOICES, is_multiple=True)
    assert '<option value="red" selected>Red</option>\n<option value="&lt;b&gt;">&lt;i&gt;</option>' in drawn(
        "red", type="select", choices=CHOICES
    )


def test_several_boxes_are_one_group_with_a_legend() -> None:
    """WCAG 2.2, 1.3.1; WAI-ARIA 1.2: a radio group may be invalid, a group may not."""
    radio = drawn("red", "Wrong.", type="radio", choices=CHOICES, is_required=True)
    assert "<legend>Label</legend>" in radio
    assert 'role="radiogroup" aria-invalid="true" aria-describedby="id-error"' in radio
    assert '<label><input id="id" type="radio" name="name" value="red" checked required> Red</label>' in radio
    boxes = drawn({"red"}, "Wrong.", type="checkboxes", choices=CHOICES, is_multiple=True)
    assert '<input id="id" type="checkbox" name="name" value="red" checked aria-invalid="true"> Red' in boxes
    assert '<input id="id-1" type="checkbox" name="name" value="&lt;b&gt;" aria-invalid="true"> &lt;i&gt;' in boxes


def test_a_text_area_keeps_its_first_line_feed() -> None:
    """HTML, section 13.1.2.5: the one after the tag is dropped."""
    assert '<textarea id="id" name="name" rows="5" maxlength="9">\n\na</textarea>' in drawn(
        "\na", type="textarea", attributes={"maxlength": 9}
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (Level.LOW, "1"),
        (dt.date(2026, 11, 30), "2026-11-30"),
        (dt.datetime(2026, 11, 30, 12, 5, tzinfo=dt.UTC), "2026-11-30T12:05"),
        (dt.datetime(2026, 11, 30, 12, 5, 7, 9), "2026-11-30T12:05:07"),  # noqa: DTZ001
        (dt.time(12, 5), "12:05"),
        (0, "0"),
    ],
)
def test_values_are_written_as_inputs_hold_them(value: Any, text: str) -> None:
    """HTML, section 2.3.5."""
    assert as_text(value) == text


def test_an_error_has_the_id_that_its_control_names() -> None:
    """WCAG 2.2, 3.3.1."""
    assert error_line("<", "town-name") == '<p class="field-error" id="town-name-error">&lt;</p>'
