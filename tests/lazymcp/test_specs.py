"""lazymcp/specs.py: plain frozen values (every option that is promised, each in its place)."""

import dataclasses

import pytest

from lazymcp import (
    AppSpec,
    Message,
    PromptSpec,
    ResourceContent,
    ResourceSpec,
    ResultMetadata,
    SkillSpec,
    ToolSpec,
    WidgetOnly,
    user_messages,
)


@pytest.mark.parametrize("cls", [ToolSpec, ResourceSpec, PromptSpec, SkillSpec, AppSpec, ResourceContent])
def test_a_spec_can_be_made_of_nothing_and_never_changes(cls):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(cls(), dataclasses.fields(cls)[0].name, "x")


def test_texts_become_messages_of_the_user():
    assert user_messages("a", "b") == (Message("user", "a"), Message("user", "b"))


def test_a_result_with_metadata_is_known_by_its_method():
    class Result:
        def mcp_result_meta(self):
            return {}

    assert isinstance(Result(), ResultMetadata)
    assert not isinstance(object(), ResultMetadata)


def test_widget_only_reads_well():
    assert repr(WidgetOnly) == "WidgetOnly"
