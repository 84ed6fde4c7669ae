import dataclasses

import pytest

from lazyauth import Config, MemoryUsers


def test_a_config_names_its_authenticator_and_does_not_change():
    users = MemoryUsers()
    config = Config(authenticator=users)
    assert config.authenticator is users
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.authenticator = MemoryUsers()  # type: ignore[misc]
    with pytest.raises(TypeError):
        Config()  # type: ignore[call-arg]
