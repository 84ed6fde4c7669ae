"""Media types by name."""

import pytest

from lazyapp.media_types import content_type, is_compressible


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("app.css", "text/css; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"),
        ("logo.SVG", "image/svg+xml"),
        ("page.html", "text/html; charset=utf-8"),
        ("font.woff2", "font/woff2"),
        ("site.webmanifest", "application/manifest+json"),
        ("unknown.zzz", "application/octet-stream"),
        ("app.css.gz", "application/gzip"),
        ("app.css.br", "application/octet-stream"),
        (".css", "application/octet-stream"),
    ],
)
def test_types_are_the_same_on_every_machine(name: str, kind: str) -> None:
    """RFC 9110, 8.3."""
    assert content_type(name) == kind


@pytest.mark.parametrize(
    ("name", "pays"),
    [
        ("app.css", True),
        ("logo.svg", True),
        ("site.webmanifest", True),
        ("x.wasm", True),
        ("photo.webp", False),
        ("x.woff2", False),
    ],
)
def test_text_is_worth_compressing_and_what_is_compressed_is_not(name: str, pays: bool) -> None:
    """Design, section 3: precompressed variants."""
    assert is_compressible(content_type(name)) is pays
