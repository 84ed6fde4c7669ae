import pytest

from lazyauth import InvalidUser, MissingUser
from lazyauth.record_rules import MAX_ID_BYTES, check, is_storable


@pytest.mark.parametrize(
    ("user_id", "data", "error"),
    [
        (" ", {}, MissingUser),
        ("", {}, MissingUser),
        (" ada", {}, InvalidUser),
        ("a\nb", {}, InvalidUser),
        ("a\0b", {}, InvalidUser),
        ("é" * 128, {}, InvalidUser),
        ("\ud800", {}, InvalidUser),
        ("ada", {"when": object()}, InvalidUser),
        ("ada", {"nan": float("nan")}, InvalidUser),
    ],
    ids=range(9),
)
def test_what_cannot_be_kept_is_refused(user_id, data, error):
    with pytest.raises(error):
        check(user_id, data)


def test_data_are_given_as_they_will_be_read_again():
    assert check("ada", {"mcps": ("a", "b"), 1: True}) == {"mcps": ["a", "b"], "1": True}


@pytest.mark.parametrize("user_id", ["", " ", "a\0b", "\ud800", "é" * 128, "a" * (MAX_ID_BYTES + 1)], ids=range(6))
def test_nobody_is_looked_up_under_a_name_that_cannot_be_kept(user_id):
    assert not is_storable(user_id)


@pytest.mark.parametrize("user_id", ["ada", "ada@example.com", "żółw 🐢", "a" * MAX_ID_BYTES])
def test_other_names_may_be_somebody(user_id):
    assert is_storable(user_id)
    assert check(user_id, {}) == {}
