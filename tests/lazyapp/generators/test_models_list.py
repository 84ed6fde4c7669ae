"""`lazyapp.generators.models_list`."""

import pytest

from lazyapp.generators.models_list import with_model


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('__all__ = ["Base"]\n', '__all__ = ["Base", "Order"]\n'),
        ('x = 1\n__all__ = [\n    "Zebra",\n    "Base",\n]\ny = 2\n', 'x = 1\n__all__ = ["Base", "Order", "Zebra"]\ny = 2\n'),
        ('__all__ = ["Order"]\n', '__all__ = ["Order"]\n'),
    ],
)
def test_a_name_stands_among_the_others(before: str, after: str) -> None:
    assert with_model(before, "Order") == after


@pytest.mark.parametrize(
    "text", ["", "__all__ = names\n", "__all__ = ('A',)\n", "__all__ = [\n    'A',  # kept\n]\n", "__all__ = [1]\n", "("]
)
def test_any_other_list_is_left_alone(text: str) -> None:
    assert with_model(text, "Order") is None


def test_lines_are_counted_as_python_counts_them() -> None:
    """The language reference, 2.1.2: a form feed ends no line."""
    assert with_model('# a\x0cb\n__all__ = ["Base"]\nX = 1\n', "Order") == '# a\x0cb\n__all__ = ["Base", "Order"]\nX = 1\n'


def test_what_follows_on_the_line_is_not_lost() -> None:
    assert with_model('__all__ = ["Base"]; x = 1\n', "Order") is None
