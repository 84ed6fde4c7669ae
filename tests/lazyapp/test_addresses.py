"""Where a page may lead."""

import pytest

from lazyapp.addresses import UnsafeLink, safe


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", " JavaScript:x", "java\tscript:x", "\x01javascript:x", "data:text/html,x", "vbscript:x"]
)
def test_an_address_that_runs_a_script_is_none(address: str) -> None:
    """URL Standard, section 4.4: browsers drop spaces before a scheme and tabs within."""
    with pytest.raises(UnsafeLink):
        safe(address)


@pytest.mark.parametrize("address", ["/a:b", "?a=b:c", "#a:b", "https://example.com/", "mailto:a@example.com", "", "/ä:b"])
def test_paths_and_known_schemes_are(address: str) -> None:
    assert safe(address) == address
