"""lazymcp/directories.py: folders of skills (SEP-2640, "Reading Directories")."""

import pytest

from lazymcp.directories import Directories
from lazymcp.skills import load_skills

MANIFEST = "---\nname: oncall\ndescription: What to do at night.\n---\n"


@pytest.fixture
def directories(tmp_path):
    found = Directories()
    for module, path in [("a", "one"), ("b", "two"), ("", "bare/sub/deep")]:
        folder = tmp_path / path
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {folder.name}\ndescription: x\n---\n")
        (folder / "x y").mkdir()
        (folder / "x y" / "ü.md").touch()
        found.add(module, *load_skills(folder, f"skill://shared/{path}"))
    return found


@pytest.fixture
def oncall(tmp_path):
    """The folders of one skill."""
    folder = tmp_path / "oncall"
    (folder / "references" / "deep").mkdir(parents=True)
    (folder / "scripts").mkdir()
    (folder / "SKILL.md").write_text(MANIFEST)
    (folder / "references" / "who is who.md").touch()
    (folder / "references" / "deep" / "map.png").touch()
    (folder / "scripts" / "page.py").touch()
    found = Directories()
    found.add("admin", *load_skills(folder, "skill://admin/oncall"))
    return found


def uris(found):
    return found and [child["uri"] for child in found]


def test_the_root_of_a_skill_lists_its_direct_children(oncall):
    """SEP-2640, resources/directory/read: direct children; inode/directory; no trailing slash."""
    root = oncall.children("skill://admin/oncall", {"admin"})
    assert root == [
        {
            "uri": "skill://admin/oncall/SKILL.md",
            "name": "oncall",
            "description": "What to do at night.",
            "mimeType": "text/markdown",
            "size": len(MANIFEST),
        },
        {"uri": "skill://admin/oncall/references", "name": "references", "mimeType": "inode/directory"},
        {"uri": "skill://admin/oncall/scripts", "name": "scripts", "mimeType": "inode/directory"},
    ]
    assert oncall.children("skill://admin/oncall/", {"admin"}) == root


def test_directories_nest(oncall):
    """SEP-2640, resources/directory/read."""
    assert uris(oncall.children("skill://admin/oncall/references", {"admin"})) == [
        "skill://admin/oncall/references/deep",
        "skill://admin/oncall/references/who%20is%20who.md",
    ]
    [png] = oncall.children("skill://admin/oncall/references/deep", {"admin"})
    assert (png["name"], png["mimeType"]) == ("map.png", "image/png")


def test_a_folder_that_modules_share_shows_what_the_caller_may_see(directories):
    assert uris(directories.children("skill://shared", {"a", "b", ""})) == [
        "skill://shared/bare",
        "skill://shared/one",
        "skill://shared/two",
    ]
    assert uris(directories.children("skill://shared", {"b"})) == ["skill://shared/two"]
    assert directories.children("skill://shared", set()) is None


def test_every_level_is_a_folder(directories):
    """SEP-2640, "Directory Resources": every level of the namespace."""
    assert uris(directories.children("skill://shared/bare", {""})) == ["skill://shared/bare/sub"]
    assert uris(directories.children("skill://shared/bare/sub/deep", {""})) == [
        "skill://shared/bare/sub/deep/SKILL.md",
        "skill://shared/bare/sub/deep/x%20y",
    ]


@pytest.mark.parametrize("uri", ["skill://shared/one/x%20y", "skill://shared/one/x y", "skill://shared/one/%78%20y"])
def test_a_folder_is_found_however_it_is_escaped(directories, uri):
    """RFC 3986, section 6.2.2."""
    assert uris(directories.children(uri, {"a"})) == ["skill://shared/one/x%20y/%C3%BC.md"]
    assert directories.canonical(uri + "/ü.md") == "skill://shared/one/x%20y/%C3%BC.md"


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "skill://",
        "skill://share",
        "skill://shared/one/SKILL.md",
        "skill://shared/one/SKILL.md/",
        "%",
        "%FF",
        "\x00",
        "skill://shared" + "/%41" * 9000,
    ],
)
def test_what_is_no_folder_is_none(directories, uri):
    assert directories.children(uri, {"a", "b", ""}) is None
    assert directories.canonical("x" + uri) is None


def test_what_is_no_file_has_no_uri(directories):
    assert directories.canonical("skill://shared/one") is None
