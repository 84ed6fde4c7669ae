"""lazymcp/frontmatter.py: the header of a SKILL.md (SEP-2640, "Skill format"; Agent Skills specification, "Frontmatter")."""

import pytest

from lazymcp.errors import RegistrationError
from lazymcp.frontmatter import read_frontmatter


def header(lines):
    return read_frontmatter(f"---\nname: a\ndescription: b\n{lines}\n---\n", "SKILL.md")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("FALSE", False),
        ("2026-07-28", "2026-07-28"),
        ("12:30", "12:30"),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("-7", -7),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("~", None),
        ("", None),
        ("'5'", "5"),
        ("1.0.0", "1.0.0"),
        ("[a, 1, null]", ["a", 1, None]),
        ("{<<: {b: 1}}", {"<<": {"b": 1}}),
    ],
)
def test_scalars_are_read_by_yaml_1_2(text, value):
    """YAML 1.2.2, section 10.3.2: hosts compare the frontmatter with the file, and read it by today's rules."""
    found = header(f"x: {text}")["x"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("x: 1\nx: 2", "'x' stands twice"),
        ("name: c", "'name' stands twice"),
        ("x: !!int five", "cannot be read"),
        ("? [a]\n: b", "cannot be read"),
        ("x: &a [*a]", "is deeper than 64"),
        # A few lines that stand for billions of values, and the same by merge keys, which YAML 1.2 does not know.
        ("\n".join(["x0: &x0 [1]", *(f"x{n + 1}: &x{n + 1} [{','.join([f'*x{n}'] * 9)}]" for n in range(12))]), "more than 10000"),
        (
            "\n".join(
                ["x0: &x0 {k: 1}", *(f"x{n + 1}: &x{n + 1} {{!!merge <<: [{','.join([f'*x{n}'] * 9)}]}}" for n in range(12))]
            ),
            "read",
        ),
        ("x: !!bool maybe", "cannot be read"),
        ('x: "\\ud800"', "JSON cannot say"),
        ("x: .inf", "JSON cannot say"),
        ("compatibility: ''", "compatibility must be"),
        (f"compatibility: {'x' * 501}", "compatibility must be"),
        ("compatibility: 5", "compatibility must be"),
        ("metadata: a", "metadata must be a mapping"),
        ("metadata:\n  io.modelcontextprotocol/x: 1", "reserved by MCP"),
    ],
)
def test_what_a_host_could_read_in_another_way_is_refused(lines, reason):
    with pytest.raises(RegistrationError, match=rf"^SKILL\.md: .*{reason}"):
        header(lines)


def test_metadata_of_others_is_kept():
    """SEP-2640, "Frontmatter": only MCP's own prefix is reserved."""
    assert header("metadata:\n  io.modelcontextprotocolx/y: 1\n  com.example/z: 2")["metadata"] == {
        "io.modelcontextprotocolx/y": 1,
        "com.example/z": 2,
    }


def test_deep_nesting_is_refused_and_not_a_crash():
    with pytest.raises(RegistrationError, match=r"cannot be read|is deeper than"):
        header("x: " + "[" * 500 + "]" * 500)
