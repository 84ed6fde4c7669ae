"""What stylesheets refer to."""

import pytest

from lazyapp.public_css import linked

ASSETS = {
    "/css/logo.svg": "/css/logo-1.svg",
    "/logo.svg": "/logo-2.svg",
    "/css/a b.png": "/css/a%20b-3.png",
    "/css/base.css": "/css/base-4.css",
    "/fonts/x.woff2": "/fonts/x-5.woff2",
}


def rewritten(css: str) -> str:
    return linked(css.encode(), "/css/app.css", ASSETS.get).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a{b:url(logo.svg)}", "a{b:url(/css/logo-1.svg)}"),
        ("a{b:url('logo.svg')}", "a{b:url('/css/logo-1.svg')}"),
        ('a{b:URL( "./logo.svg" )}', 'a{b:URL( "/css/logo-1.svg" )}'),
        ("a{b:url(../logo.svg)}", "a{b:url(/logo-2.svg)}"),
        ("a{b:url(/logo.svg)}", "a{b:url(/logo-2.svg)}"),
        ("a{b:url(a%20b.png)}", "a{b:url(/css/a%20b-3.png)}"),
        ("a{src:url(../fonts/x.woff2?v=1#iefix)}", "a{src:url(/fonts/x-5.woff2?v=1#iefix)}"),
        ("a{b:url(logo.svg),url(../logo.svg)}", "a{b:url(/css/logo-1.svg),url(/logo-2.svg)}"),
        ('@import "base.css";', '@import "/css/base-4.css";'),
        ("@import url(base.css) screen;", "@import url(/css/base-4.css) screen;"),
        ("a{b:url(../../../logo.svg)}", "a{b:url(/logo-2.svg)}"),
    ],
)
def test_a_reference_to_a_file_of_ours_names_the_hashed_one(before: str, after: str) -> None:
    """CSS Values 4, 4.5: relative addresses are relative to the stylesheet."""
    assert rewritten(before) == after


@pytest.mark.parametrize(
    "css",
    [
        "a{b:url(data:image/png;base64,AAAA//logo.svg)}",
        "a{b:url(https://cdn.example/logo.svg)}",
        "a{b:url(//cdn.example/logo.svg)}",
        "a{b:url(#gradient)}",
        "a{b:url()}",
        "a{b:url(missing.png)}",
        "a{b:url(?logo.svg)}",
        "a{b:url(../../etc/passwd)}",
        "a{b:url",
        "body{}",
    ],
)
def test_everything_else_stands_as_it_was(css: str) -> None:
    """Only what is known to be ours has another name."""
    assert rewritten(css) == css


def test_bytes_that_are_no_text_go_through() -> None:
    """A stylesheet of another charset is not broken, nor is its start."""
    assert linked(b"\xff\xfe a{b:url(logo.svg)}", "/css/app.css", ASSETS.get) == b"\xff\xfe a{b:url(/css/logo-1.svg)}"


@pytest.mark.parametrize("css", ["url(" * 100_000, "url(" + " " * 1_000_000, "@import " * 100_000])
def test_a_stylesheet_of_a_megabyte_is_one_pass(css: str) -> None:
    """CWE-1333: a search that went back for each `url(` would take hours."""
    assert rewritten(css) == css
