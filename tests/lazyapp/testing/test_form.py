"""`lazyapp.testing.form`: what a pressed button sends."""

import pytest

from lazyapp.testing.document import parse
from lazyapp.testing.errors import NotOnPage
from lazyapp.testing.fields import File
from lazyapp.testing.form import Form, Sending

HERE = "http://localhost/here?page=1"


def form(html: str) -> Form:
    root = parse(html)
    return Form(root, next(root.all("form")), HERE)


def test_a_form_is_sent_as_it_says() -> None:
    """HTML, section 4.10.21.3."""
    fields = '<input name=a value="1 &amp; ü"><textarea name=b>\nx\ny</textarea>'
    sending = form(f'<form method=post action="/buy?x=1">{fields}<button>Go</button></form>').sending("go")
    assert (sending.method, sending.url) == ("POST", "http://localhost/buy?x=1")
    assert (sending.content, sending.content_type) == (b"a=1+%26+%C3%BC&b=x%0D%0Ay", "application/x-www-form-urlencoded")


def test_a_get_form_replaces_the_query_of_its_address() -> None:
    """HTML, section 4.10.21.3, "Mutate action URL"."""
    assert form("<form><input name=q value=x></form>").sending() == Sending("GET", "http://localhost/here?q=x")
    assert form('<form action="/find?old=1#top"><input name=q value=x></form>').sending().url == "http://localhost/find?q=x"


def test_the_button_that_is_pressed_is_sent_and_may_decide_where_to() -> None:
    found = form(
        """<form method=post action=/a><input type=hidden name=_method value=patch><button name=do value=keep>Keep</button>
        <button name=do value=drop formaction=/b>Drop it</button><input type=submit name=s value=Save formmethod=get>
        <input type=image name=map alt=Map><button type=button>Nothing</button><button type=reset>Undo</button></form>"""
    )
    assert found.buttons == ["Keep", "Drop it", "Save", "Map"]
    assert found.sending("Keep").content == b"_method=patch&do=keep"
    assert (found.sending("Drop").url, found.sending("Drop").content) == ("http://localhost/b", b"_method=patch&do=drop")
    assert found.sending("Save").url == "http://localhost/a?_method=patch&s=Save"
    assert found.sending("Map").content == b"_method=patch&map.x=0&map.y=0"


def test_files_travel_as_multipart() -> None:
    """RFC 7578; HTML, section 4.10.21.8: quotes and newlines in names are escaped."""
    found = form("<form method=post enctype=multipart/form-data><input name=a value=1><input type=file name=f aria-label=F></form>")
    found.fill({"F": File('a"b.txt', b"\x00\xff", "text/plain")})
    sending = found.sending()
    boundary = sending.content_type.removeprefix("multipart/form-data; boundary=")
    assert (
        sending.content
        == (
            f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="f"; filename="a%22b.txt"\r\nContent-Type: text/plain\r\n\r\n'
        ).encode()
        + b"\x00\xff\r\n"
        + f"--{boundary}--\r\n".encode()
    )


def test_a_form_of_plain_text_sends_lines() -> None:
    """HTML, section 4.10.21.7; of a file only the name."""
    found = form("<form method=post enctype=text/plain><input name=a value=1><input type=file name=f aria-label=F></form>")
    found.fill({"F": File("x.txt", b"X")})
    assert found.sending() == Sending("POST", HERE, b"a=1\r\nf=x.txt\r\n", "text/plain")


def test_controls_elsewhere_belong_to_the_form_that_they_name() -> None:
    """HTML, section 4.10.18.3."""
    root = parse(
        "<form id=one></form><form id=two><input name=a form=one value=1><input name=b value=2></form><button form=one>Go</button>"
    )
    one, two = (Form(root, each, HERE) for each in root.all("form"))
    assert (one.sending("Go").url, two.sending().url) == ("http://localhost/here?a=1", "http://localhost/here?b=2")


@pytest.mark.parametrize(
    ("html", "button", "message"),
    [
        ("<button>A</button><button>B</button>", "", "several buttons; press one of 'A', 'B'"),
        ("<button>A</button>", "C", "no buttons here are called 'C'; there are 'A'"),
        ("<button>Add one</button><button>Add two</button>", "add", "2 buttons here are called 'add'"),
        ("<button disabled>A</button>", "A", "'A' is disabled"),
    ],
)
def test_a_button_that_nobody_can_press_is_named(html: str, button: str, message: str) -> None:
    with pytest.raises(NotOnPage, match=message):
        form(f"<form>{html}</form>").sending(button)


def test_a_dialog_sends_nothing() -> None:
    with pytest.raises(NotOnPage, match="only closes a dialog"):
        form("<form method=dialog></form>").sending()


def test_a_form_is_called_by_its_title_buttons_id_or_name() -> None:
    found = form('<form id=f1 name=n1><h2>Add an account</h2><input aria-label="E-mail" name=e value=x><button>Add</button></form>')
    assert all(found.is_called(name) for name in ("add an account", "Add", "f1", "n1"))
    assert not found.is_called("account")
    assert repr(found) == "Form('Add an account', fields=['E-mail'], buttons=['Add'])"
    assert found.value("email") == "x"
