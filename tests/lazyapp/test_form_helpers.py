"""Forms in views."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from fastapi import Form as FormData
from fastapi import Response, UploadFile
from pydantic import BaseModel, EmailStr, Field, SecretStr

from lazyapp import Controller, InvalidForm, LazyappError, Routes
from lazyapp.addresses import UnsafeLink
from lazyapp.form_fields import UnknownField
from lazyapp.form_helpers import errors_for, field, form_for
from lazyview import RenderContext, Views
from tests.lazyapp.site import Site


class AccountForm(BaseModel):
    email: EmailStr = Field(title="E-mail", description="Never shown")
    age: int = Field(ge=18, default=18)
    is_active: bool = True
    colours: list[Literal["red", "blue"]] = ["red"]
    password: SecretStr | None = None
    keyphrase: SecretStr | None = None


class AccountsController(Controller):
    """A page with two forms."""

    async def index(self) -> dict[str, Any]:
        return {"form": AccountForm}

    async def create(self, form: Annotated[AccountForm, FormData()]) -> Response:
        if form.age > 100:
            raise InvalidForm(form="That is too old.", referrer="Nobody sent you.")
        return self.redirect_to("accounts")


PAGE = """
{% call(f) form_for(form, action=path_for("accounts")) %}
{{ f.field("email") }}{{ f.field("age") }}{{ f.field("is_active") }}{{ f.field("colours") }}
{{ f.field("password") }}{{ f.field("keyphrase") }}{{ f.submit("Add") }}
{% endcall %}
{% call(f) form_for(none, action="/search", method="get", id="search", class="small") %}{{ f.field("email") }}{% endcall %}
"""
GOOD = {"email": "ada@example.com", "age": "20", "is_active": "false"}


def client(folder: Path, page: str = PAGE) -> Any:
    draw = lambda routes: Routes.resources(routes, "accounts", AccountsController)  # noqa: E731
    return Site(folder, draw, {"views/accounts/index.html.j2": page}).client()


def rendered(folder: Path, template: str, **variables: Any) -> str:
    """A view outside a request, as the sign-in pages are."""
    (folder / "page.html.j2").write_text(template)
    return Views([folder], helpers={"errors_for": errors_for, "field": field, "form_for": form_for}).render("page", variables)


def test_a_form_is_sent_to_no_script(tmp_path: Path) -> None:
    """URL Standard, section 4.4; the policy of the page would stop it too, where it has one."""
    with pytest.raises(UnsafeLink):
        rendered(tmp_path, "{% call(f) form_for(none, action=where) %}x{% endcall %}", where="javascript:alert(1)")


def test_a_form_is_drawn_from_its_model(tmp_path: Path) -> None:
    """Issue: labels, types, constraints, values."""
    text = client(tmp_path).get("/accounts").text
    assert '<form method="post" action="/accounts"><div' in text.replace("\n", "")
    assert '<label for="email">E-mail</label>' in text
    assert '<input id="age" name="age" type="number" value="18" min="18">' in text
    assert '<input id="is_active" name="is_active" type="checkbox" value="true" checked>' in text
    assert 'value="red" checked' in text
    assert "<button>Add</button>" in text
    assert "aria-invalid" not in text


def test_a_failed_form_keeps_what_was_typed_and_says_what_is_wrong(tmp_path: Path) -> None:
    """Design, section 3: 422, values kept and errors by field."""
    sent = {"email": '<"x', "age": "3", "is_active": ["false", "true"], "password": "geheim", "keyphrase": "geheim"}
    answer = client(tmp_path).post("/accounts", data=sent)
    text = answer.text
    assert answer.status_code == 422
    assert 'value="&lt;&#34;x" required aria-invalid="true" aria-describedby="email-hint email-error">' in text
    assert "Give an e-mail address, such as ada@example.com." in text
    assert 'value="3" min="18" aria-invalid="true" aria-describedby="age-error">' in text
    assert 'value="true" checked>' in text
    assert 'value="red" checked' not in text  # nothing was ticked
    assert "geheim" not in text


def test_another_form_of_the_page_did_not_fail(tmp_path: Path) -> None:
    """Both have a field called email."""
    text = client(tmp_path).post("/accounts", data={"email": "nobody"}).text
    assert '<form method="get" action="/search" id="search" class="small">' in text
    assert '<input id="search-email" name="email" type="text">' in text


def test_errors_of_the_whole_and_of_fields_that_are_not_shown_come_first(tmp_path: Path) -> None:
    """WCAG 2.2, 3.3.1: no error goes untold."""
    text = client(tmp_path).post("/accounts", data={**GOOD, "age": "101"}).text
    alert = text[text.index('<div class="form-error" role="alert">') :].partition("</div>")[0]
    assert "That is too old." in alert
    assert "“referrer” is missing or wrong. Nobody sent you." in alert


def test_an_error_about_one_value_of_a_list_is_told_at_the_list(tmp_path: Path) -> None:
    text = client(tmp_path).post("/accounts", data={**GOOD, "colours": ["red", "green"]}).text
    assert 'id="colours-error">Choose one of &#39;red&#39; or &#39;blue&#39;.</p>' in text
    assert 'role="alert"' not in text


def test_an_instance_and_values_come_before_defaults(tmp_path: Path) -> None:
    """`values` may be any object: a row, a dataclass, a mapping."""
    template = '{% call(f) form_for(what, action="/a", method="patch", values=values) %}{{ f.field("age") }}{% endcall %}'
    instance = AccountForm(email="ada@example.com", age=40)
    text = rendered(tmp_path, template, what=instance, values=None)
    assert 'action="/a?_method=patch"' in text
    assert 'value="40"' in text
    assert 'value="41"' in rendered(tmp_path, template, what=AccountForm, values={"age": 41})


def test_a_form_with_a_file_is_sent_in_parts(tmp_path: Path) -> None:
    """HTML, section 4.10.21.8: else only the file's name is sent."""

    class Upload(BaseModel):
        photo: UploadFile
        text: str = ""

    template = '{% call(f) form_for(form, action="/a") %}{{ f.field(name) }}{% endcall %}'
    assert 'enctype="multipart/form-data"' in rendered(tmp_path, template, form=Upload, name="photo")
    assert "enctype" not in rendered(tmp_path, template, form=Upload, name="text")


def test_what_the_template_says_wins(tmp_path: Path) -> None:
    """Issue: helpers for forms."""
    template = (
        '{% call(f) form_for(form, action="/a") %}'
        '{{ f.field("email", label="Mail", hint="", autocomplete="off", data_x="1") }}'
        '{{ f.field("age", choices=[(18, "Eighteen"), (19, "Nineteen")], type="radio") }}{% endcall %}'
    )
    text = rendered(tmp_path, template, form=AccountForm)
    assert '<label for="email">Mail</label>' in text
    assert 'type="email" required autocomplete="off" data-x="1">' in text
    assert '<input id="age" type="radio" name="age" value="18" checked> Eighteen' in text


def test_fields_and_errors_serve_a_form_written_by_hand(tmp_path: Path) -> None:
    """Design, section 6: field, errors_for."""
    template = '{{ errors_for() }}{{ errors_for("a.b") }}{{ errors_for("c") }}{{ field("x", type="email", value="1") }}'
    wrong = {"form_errors": {"form": "All <wrong>.", "a.b": "Bad."}, "form_values": {}}
    assert rendered(tmp_path, template, **wrong).startswith(
        '<div class="form-error" role="alert"><p>All &lt;wrong&gt;.</p></div><p class="field-error" id="a-b-error">Bad.</p><div'
    )
    assert rendered(tmp_path, template).startswith('<div class="field">\n<label for="x">X</label>')
    by_model = rendered(tmp_path, '{{ field("age", model=form, id="my-age") }}', form=AccountForm)
    assert '<label for="my-age">' in by_model
    assert 'id="my-age" name="age" type="number"' in by_model


def test_what_cannot_be_drawn_is_said_to_whoever_wrote_it(tmp_path: Path) -> None:
    """Design, section 6: errors show template and line."""
    with pytest.raises(LazyappError, match="call") as caught:
        rendered(tmp_path, '{{ form_for(form, action="/a") }}', form=AccountForm)
    assert caught.value.__notes__ == ["in page.html.j2, line 1"]
    with pytest.raises(LazyappError, match="not str"):
        rendered(tmp_path, '{% call(f) form_for(form, action="/a") %}{% endcall %}', form=str)
    with pytest.raises(UnknownField, match="from nothing"):
        rendered(tmp_path, '{{ field("x", type="select") }}')


def upper(context: RenderContext, name: str) -> str:
    """A helper of the application, bound to the render."""
    return str(context.get(name, "nobody")).upper()


def test_the_applications_own_helpers_win_and_may_ask_for_the_render(tmp_path: Path) -> None:
    """Issue: the app's own Config.helpers."""
    view = {"views/accounts/index.html.j2": "{{ upper('form_values')|length > 0 }} {{ upper('who') }} {{ pluralize(2) }}"}
    helpers = {"upper": upper, "pluralize": lambda count: f"{count} Konten"}
    draw = lambda routes: Routes.resources(routes, "accounts", AccountsController)  # noqa: E731
    text = Site(tmp_path, draw, view, options={"helpers": helpers}).client().get("/accounts").text
    assert "True NOBODY 2 Konten" in text
