"""lazymcp/spec_fields.py: a field of another type is told before it can do harm."""

import pytest

from lazymcp import UI, AppCSP, AppPermissions, AppSpec, Message, PromptSpec, RegistrationError, ToolSpec
from lazymcp.spec_fields import check_fields


@pytest.mark.parametrize(
    "spec",
    [
        ToolSpec(fn=print, ui="ui://x", visibility=("app",), scopes=["a"], read_only=True, output_schema={}),
        ToolSpec(ui=UI("ui://x")),
        PromptSpec(messages=[Message("user", "x")]),
        AppSpec(variables={}, csp=AppCSP(connect_domains=[]), permissions=AppPermissions()),
        AppSpec(variables=dict),
    ],
)
def test_what_the_types_allow_passes(spec):
    check_fields(spec)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (ToolSpec(desc=None), r"ToolSpec\.desc must be a text, not None"),
        (ToolSpec(scopes="a"), r"ToolSpec\.scopes must be a list, not 'a'"),
        (ToolSpec(scopes={"a": 1}), r"ToolSpec\.scopes must be a list"),
        (ToolSpec(ui=["x"]), r"ToolSpec\.ui must be UI or a text or None"),
        (ToolSpec(output_schema=int), r"output_schema must be a mapping or None"),
        (AppSpec(csp=AppCSP(frame_domains=b"x")), r"AppCSP\.frame_domains must be a list"),
    ],
)
def test_what_they_do_not_allow_is_named(spec, reason):
    with pytest.raises(RegistrationError, match=reason):
        check_fields(spec)
