"""lazyapp/connect/errors.py: why a file of settings is not changed."""

from lazyapp.connect.errors import Taken


def test_what_is_in_the_way_is_told() -> None:
    assert Taken('{"url": "u"}').there == '{"url": "u"}'
