import dataclasses
import json

import pytest
from pydantic import TypeAdapter

from lazyauth import MissingUser, User


@pytest.mark.parametrize("user_id", ["", " ", "\t\n"])
def test_a_user_without_an_id_is_never_made(user_id):
    """design 5: "who is asking" has an answer or none; a blank one could pass for either."""
    with pytest.raises(MissingUser, match="not blank"):
        User(user_id)


def test_a_user_keeps_its_own_copy_of_the_data():
    data = {"mcps": ["*"]}
    user = User("ada", data)
    data["mcps"] = []
    assert user.data == {"mcps": ["*"]}


def test_a_user_can_be_a_key_and_be_serialised():
    user = User("ada", {"tenant": 1})
    assert {user: 1}[User("ada", {"tenant": 1})] == 1
    assert (
        json.loads(TypeAdapter(User).dump_json(user))
        == dataclasses.asdict(user)
        == {
            "id": "ada",
            "data": {"tenant": 1},
            "signed_out_at": 0.0,
        }
    )


def test_a_user_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        User("ada").id = "eve"  # type: ignore[misc]
