"""The Accept-Encoding header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyapp.accept_encoding import choose_coding

BOTH = ("br", "gzip")


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("GZIP", "gzip"),
        ("x-gzip", "gzip"),
        ("br;q=0.5, gzip", "gzip"),
        ("br;q=0.5, gzip;q=0.4", "br"),
        ("gzip;q=0.001", "gzip"),
        ("*", "br"),
        ("br;q=0, *", "gzip"),
        ("gzip;q=0, br;q=0", "identity"),
        ("gzip;q=0", "identity"),
        ("gzip ; q=0", "identity"),
        ("gzip;Q=0.000", "identity"),
        ("*;q=0", "identity"),
        ("identity", "identity"),
        ("identity, gzip;q=0.5", "identity"),
        ("identity;q=0.5, gzip", "gzip"),
        ("identity, gzip", "gzip"),
        ("identity;q=0, gzip", "gzip"),
        ("identity;q=0", "identity"),
        ("identity;q=0, *;q=0", "identity"),
        ("", "identity"),
        (" , ,", "identity"),
        ("deflate, zstd", "identity"),
        ("gzipped, xgzip", "identity"),
        ("gzip;q=nan", "identity"),
        ("gzip;q=inf", "identity"),
        ("gzip;q=-1", "identity"),
        ("gzip;q=2", "identity"),
        ("gzip;q=", "identity"),
        ("gzip;level=9", "gzip"),
    ],
)
def test_the_coding_is_the_one_that_is_wanted_most(accepted: str, coding: str) -> None:
    """RFC 9110, 12.5.3 and 12.4.2."""
    assert choose_coding(accepted, BOTH) == coding


def test_what_is_not_there_is_not_chosen() -> None:
    """RFC 9110, 12.5.3."""
    assert choose_coding("br", ("gzip",)) == "identity"
    assert choose_coding("br, gzip;q=0.1", ("gzip",)) == "gzip"
    assert choose_coding("*", ()) == "identity"


@given(st.text(st.sampled_from("gzipbrdentyx*;q=0.1, -"), max_size=40) | st.text(max_size=20))
def test_any_header_is_answered_with_what_there_is(accepted: str) -> None:
    """RFC 9110, 12.5.3: nothing that is asked for is an error of ours."""
    assert choose_coding(accepted, BOTH) in (*BOTH, "identity")
