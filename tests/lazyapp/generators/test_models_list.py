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
