import jinja2
import pytest

from lazyview import TemplateError, ViewNotFound, Views

EVIL = "<script>alert('x')</script>&\""


@pytest.mark.parametrize("extension", ["html.j2", "html+phone.j2", "svg.j2", "xml.j2", "turbo_stream.j2", "htm.j2", "anything.j2"])
def test_every_format_but_plain_text_is_escaped(app, write, extension):
    """design 6: autoescape is always on for HTML formats."""
    write(f"app/home/index.{extension}", "{{ evil }}")
    form, _, variant = extension.removesuffix(".j2").partition("+")
    text = Views([app]).render("home/index", {"evil": EVIL}, format=form, variants=[variant] if variant else [])
    assert text == "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&#34;"


@pytest.mark.parametrize("form", ["txt", "md", "csv", "json"])
def test_plain_text_is_left_alone(app, write, form):
    write(f"app/home/index.{form}.j2", "{{ evil }}")
    assert Views([app]).render("home/index", {"evil": EVIL}, format=form) == EVIL


@pytest.mark.parametrize(
    "part",
    [
        "{% include 'home/_part.html.j2' %}",
        "{{ partial('part') }}",
        "{% from 'home/_part.html.j2' import part with context %}{{ part() }}",
    ],
)
def test_pieces_are_escaped_like_the_whole(app, write, part):
    write("app/home/index.html.j2", part)
    write("app/home/_part.html.j2", "{% macro part() %}{{ evil }}{% endmacro %}{{ part() }}")
    assert Views([app]).render("home/index", {"evil": "<b>"}) == "&lt;b&gt;"


def test_a_string_becomes_markup_only_when_the_template_says_so(app, write):
    write("app/home/index.html.j2", "{{ evil|safe }}")
    assert Views([app]).render("home/index", {"evil": "<b>"}) == "<b>"


def failure(app, **render):
    with pytest.raises(TemplateError) as caught:
        Views([app]).render("home/index", **render)
    return caught.value


def test_an_undefined_name_is_an_error_with_its_place(app, write):
    """design 6: undefined names are errors that show template and line."""
    write(
        "app/home/index.html.j2",
        "<ul>\n{% for account in accounts %}\n  <li>{{ account.email }}</li>\n{% endfor %}\n  {{ acounts }}\n</ul>\n",
    )
    error = failure(app, variables={"accounts": []})
    assert (error.template, error.line) == ("home/index.html.j2", 5)
    assert error.message == "'acounts' is undefined; did you mean 'accounts'?"
    assert error.excerpt.splitlines() == [
        "  3 |   <li>{{ account.email }}</li>",
        "  4 | {% endfor %}",
        "> 5 |   {{ acounts }}",
        "  6 | </ul>",
    ]
    assert str(error) == f"home/index.html.j2, line 5: {error.message}\n\n{error.excerpt}"
    assert isinstance(error.__cause__, jinja2.UndefinedError)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("{% for account in accounts %}{{ acount }}{% endfor %}", "account"),
        ("{% for account in accounts %}{% endfor %}{{ acount }}", "accounts"),
        ("{% set headline = 'x' %}{{ headlin }}", "headline"),
        ("{% macro row(account) %}{{ acount }}{% endmacro %}{{ row(1) }}", "account"),
        ("{% for account in accounts %}{{ partial('row', accent=1) }}{% endfor %}", "accent"),
    ],
)
def test_the_name_that_was_meant_is_one_in_scope(app, write, text, meant):
    """design 6: a name that only a loop or a `set` knows is a likelier slip than a variable of the view."""
    write("app/home/index.html.j2", text)
    write("app/home/_row.html.j2", "{{ acent }}")
    assert failure(app, variables={"accounts": [1]}).message.endswith(f"is undefined; did you mean {meant!r}?")


@pytest.mark.parametrize(
    "use",
    [
        "{{ nobody.email }}",
        "{{ account.emial }}",
        "{% for x in account.emial %}{% endfor %}",
        "{{ nobody() }}",
        "{% if nobody %}{% endif %}",
    ],
)
def test_every_use_of_what_is_undefined_is_an_error(app, write, use):
    write("app/home/index.html.j2", f"\n{use}")
    error = failure(app, variables={"account": {"email": "a@example.com"}})
    assert error.line == 2
    assert "emial" in error.message or "nobody" in error.message


def test_asking_whether_a_name_is_defined_is_not_an_error(app, write):
    write("app/home/index.html.j2", "{{ title if title is defined else 'none' }} {{ title|default('none') }}")
    assert Views([app]).render("home/index") == "none none"


def test_the_place_is_that_of_the_innermost_template(app, write):
    write("app/home/index.html.j2", "\n\n{{ partial('row') }}")
    write("app/home/_row.html.j2", "\n{% include 'home/_cell.html.j2' %}")
    write("app/home/_cell.html.j2", "\n\n\n{{ nobody }}")
    error = failure(app)
    assert (error.template, error.line) == ("home/_cell.html.j2", 4)


def test_an_error_in_the_layout_names_the_layout(app, write):
    write("app/home/index.html.j2", "view")
    write("app/layouts/app.html.j2", "{{ content }}\n{{ nobody }}")
    error = failure(app, layout="app")
    assert (error.template, error.line) == ("layouts/app.html.j2", 2)


def test_an_error_in_a_block_rendered_alone_has_its_place(app, write):
    write("app/home/index.html.j2", "\n{% block list %}\n{{ nobody }}{% endblock %}")
    with pytest.raises(TemplateError, match=r"home/index.html.j2, line 3: 'nobody' is undefined"):
        Views([app]).render_block("home/index", "list")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\n{% if x %}\n", 2, "Unexpected end of template"),
        ("\n\n{{ x", 3, "unexpected end of template"),
        ("{% nonsense %}", 1, "Encountered unknown tag 'nonsense'"),
        ("\n{{ x|nonsense }}", 2, "No filter named 'nonsense'"),
        ("\n{{ x is nonsense }}", 2, "No test named 'nonsense'"),
    ],
)
def test_a_template_that_does_not_compile_is_named_with_its_line(app, write, text, line, message):
    write("app/home/index.html.j2", text)
    with pytest.raises(TemplateError) as compiled:
        Views([app]).compile()
    for error in (failure(app, variables={"x": 1}), compiled.value):
        assert (error.template, error.line) == ("home/index.html.j2", line)
        assert error.message.startswith(message)
        assert f"> {line} |" in error.excerpt
        assert isinstance(error.__cause__, jinja2.TemplateSyntaxError)


def test_an_error_names_the_file_that_can_be_opened(app, write):
    """One name may lie in several roots."""
    path = write("app/home/index.html.j2", "{{ nobody }}")
    assert failure(app).path == str(path)
    path.write_text("{% if %}")
    assert failure(app).path == str(path)


def test_a_template_that_is_not_utf_8_is_named_with_its_line(app, write):
    write("app/home/index.html.j2", "").write_bytes(b"one\ntwo \xff\nthree")
    error = failure(app)
    assert (error.template, error.line, error.message) == ("home/index.html.j2", 2, "the file is not UTF-8 text")
    with pytest.raises(TemplateError, match="line 2: the file is not UTF-8 text"):
        Views([app]).compile()


def test_a_broken_template_that_is_included_is_the_one_named(app, write):
    write("app/home/index.html.j2", "{% include 'home/_part.html.j2' %}")
    write("app/home/_part.html.j2", "\n{% if %}")
    assert failure(app).template == "home/_part.html.j2"


def test_a_missing_include_says_who_asked(app, write):
    write("app/home/index.html.j2", "\n{% include ['no/one.html.j2', 'no/two.html.j2'] %}")
    with pytest.raises(ViewNotFound, match=r"asked for by home/index.html.j2, line 2") as caught:
        Views([app]).render("home/index")
    assert [path.rpartition("/no/")[2] for path in caught.value.tried[:2]] == ["one.html.j2", "two.html.j2"]


def test_other_errors_pass_with_a_note_of_the_place(app, write):
    def broken():
        raise PermissionError("not yours")

    write("app/home/index.html.j2", "\n{{ broken() }}")
    with pytest.raises(PermissionError, match="not yours") as caught:
        Views([app], helpers={"broken": broken}).render("home/index")
    assert caught.value.__notes__ == ["in home/index.html.j2, line 2"]


def test_lines_of_blocks_leave_no_blank_lines(app, write):
    write("app/home/index.html.j2", "<ul>\n  {% for n in [1, 2] %}\n  <li>{{ n }}</li>\n  {% endfor %}\n</ul>\n")
    assert Views([app]).render("home/index") == "<ul>\n  <li>1</li>\n  <li>2</li>\n</ul>"
