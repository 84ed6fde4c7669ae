"""lazymcp/docstrings.py: design, section 2: the docstring is the description, its `Args:` describe the arguments."""

import pytest

from lazymcp.docstrings import Doc, parse

GOOGLE = """Count users.

    Only those you may see.

    Args:
        active: Only active,
            or only inactive, users.
        limit (int, optional): How many: at most 50.
        where (dict[str, tuple(int)]): Filter.
        **extra: The rest.

    Returns:
        The number.
    """

NUMPY = """Count users.

    Only those you may see.

    Parameters
    ----------
    active : bool, optional
        Only active,
        or only inactive, users.
    limit
        How many: at most 50.
    where : dict
        Filter.
    *args, **extra
        The rest.

    Returns
    -------
    int
        The number.
    """

SPHINX = """Count users.

    Only those you may see.

    :param bool active: Only active,
        or only inactive, users.
    :param limit: How many: at most 50.
    :type limit: int
    :param dict where: Filter.
    :param \\\\**extra: The rest.
    :rtype: int
    :returns: The number.
    """

ARGS = {
    "active": "Only active, or only inactive, users.",
    "limit": "How many: at most 50.",
    "where": "Filter.",
    "extra": "The rest.",
}


@pytest.mark.parametrize("doc", [GOOGLE, NUMPY, SPHINX.replace("\\\\", "\\")], ids=["google", "numpy", "sphinx"])
def test_arguments_are_described_in_every_common_style(doc):
    """Design, section 2."""
    args = dict(parse(doc).args)
    args.pop("args", None)
    assert args == ARGS


@pytest.mark.parametrize("doc", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_the_text_keeps_all_but_the_arguments(doc):
    """Design, section 2."""
    text = parse(doc).text
    assert text.startswith("Count users.\n\nOnly those you may see.\n\n")
    assert text.endswith("The number.")
    assert "inactive" not in text
    assert "\n\n\n" not in text
    assert "int\n" not in text.split("Returns")[0]


@pytest.mark.parametrize("doc", [None, "", "  \n  "])
def test_no_docstring_is_an_empty_doc(doc):
    """Design, section 2."""
    assert parse(doc) == Doc("", {})


def test_a_plain_docstring_is_all_text():
    """Design, section 2."""
    assert parse("Say: hello.\n\n    Note: Args are not here.") == Doc("Say: hello.\n\nNote: Args are not here.", {})


def test_a_section_without_items_is_dropped_and_harms_nothing():
    """Design, section 2."""
    assert parse("Greet.\n\nArgs:\n\nMore.") == Doc("Greet.\n\nMore.", {})


def test_a_blank_line_between_items_does_not_end_the_section():
    """Design, section 2."""
    assert parse("Greet.\n\nArgs:\n    a: One.\n\n    b: Two.\n").args == {"a": "One.", "b": "Two."}


def test_numpy_parameters_at_the_end_of_the_docstring_are_read():
    """Design, section 2."""
    assert parse("Greet.\n\nParameters\n----------\nx, y : int\n    Both.") == Doc("Greet.", {"x": "Both.", "y": "Both."})
