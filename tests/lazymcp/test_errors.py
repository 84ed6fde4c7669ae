"""lazymcp/errors.py: the wire form of everything that can go wrong."""

import pytest

from lazymcp import errors


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (errors.ParseError(), -32700),
        (errors.InvalidRequest(), -32600),
        (errors.MethodNotFound(), -32601),
        (errors.InvalidParams(), -32602),
        (errors.InternalError(), -32603),
        (errors.HeaderMismatch(), -32020),
        (errors.MissingCapability({}), -32021),
        (errors.UnsupportedVersion("1", []), -32022),
        (errors.MCPError("the printer is on fire", code=7), 7),
    ],
)
def test_each_error_has_its_code_and_a_message(problem, code):
    """JSON-RPC 2.0, section 5.1; MCP 2026-07-28, basic/index."""
    wire = problem.to_dict()
    assert wire["code"] == code
    assert isinstance(wire["message"], str)
    assert wire["message"]


def test_data_is_left_out_unless_there_is_some():
    """JSON-RPC 2.0, section 5.1."""
    assert errors.InvalidParams("no cursor").to_dict() == {"code": -32602, "message": "no cursor"}
    assert errors.InvalidParams("no cursor", {"cursor": 1}).to_dict()["data"] == {"cursor": 1}


def test_an_unknown_resource_tells_its_uri():
    """MCP 2026-07-28, server/resources: -32602 with data.uri."""
    wire = errors.ResourceNotFound("app://x/1").to_dict()
    assert wire == {"code": -32602, "message": "no resource is known as 'app://x/1'", "data": {"uri": "app://x/1"}}


def test_a_missing_capability_is_shaped_like_client_capabilities():
    """MCP 2026-07-28, basic/index."""
    wire = errors.MissingCapability({"elicitation": {"url": {}}}).to_dict()
    assert wire["data"] == {"requiredCapabilities": {"elicitation": {"url": {}}}}
    assert "elicitation" in wire["message"]


def test_an_unsupported_version_tells_what_is_supported():
    """MCP 2026-07-28, basic/versioning."""
    assert errors.UnsupportedVersion("1999-01-01", ["2026-07-28"]).to_dict()["data"] == {
        "supported": ["2026-07-28"],
        "requested": "1999-01-01",
    }


def test_forbidden_names_the_scopes():
    """RFC 6750, section 3.1."""
    problem = errors.Forbidden("mcp:admin", "mcp:write")
    assert problem.scopes == ("mcp:admin", "mcp:write")
    assert "mcp:admin mcp:write" in str(problem)
    assert str(errors.Forbidden()) == "this is not allowed"


def test_a_registration_error_names_the_place():
    """Design, section 2: refused at registration, naming file and line."""
    problem = errors.RegistrationError("it has no description", "app/x_mcp.py:3")
    assert str(problem) == "app/x_mcp.py:3: it has no description"
    assert (problem.reason, problem.place) == ("it has no description", "app/x_mcp.py:3")
    assert str(errors.RegistrationError("no")) == "no"
