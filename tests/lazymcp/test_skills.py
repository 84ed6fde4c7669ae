"""lazymcp/skills.py: the promise "Export skills", and SEP-2640."""

import hashlib
import json
import os
from itertools import accumulate, repeat
from pathlib import Path

import pytest

from lazymcp import skills
from lazymcp.errors import RegistrationError
from lazymcp.skills import index_json, load_skills

INNER = "---\nname: inner\ndescription: Within.\n---\nSee refs/a.md.\n"
MANIFEST = "---\nname: oncall\ndescription: What to do at night.\n---\n# On call\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "oncall"
    (folder / "references" / "deep").mkdir(parents=True)
    (folder / "scripts").mkdir()
    (folder / "SKILL.md").write_text(MANIFEST)
    (folder / "references" / "who is who.md").write_text("Ann, Bob, Zoë\n", encoding="utf-8")
    (folder / "references" / "deep" / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    (folder / "scripts" / "page.py").write_text("print()\n")
    return folder


@pytest.fixture
def oncall(folder):
    return load_skill(folder, "skill://admin/oncall")


def load_skill(folder, uri):
    """The only skill of a folder."""
    (skill,) = load_skills(folder, uri)
    return skill


def file_of(skill, path):
    return next((file for file in skill.files if file.path == path), None)


def test_every_file_is_served_once_with_its_digest_and_size(oncall):
    """SEP-2640, Skill entries: complete, each file once, SKILL.md included."""
    assert [(file.path, file.mime_type) for file in oncall.files] == [
        ("SKILL.md", "text/markdown"),
        ("references/deep/map.png", "image/png"),
        ("references/who is who.md", "text/markdown"),
        ("scripts/page.py", "text/x-python"),
    ]
    for file in oncall.files:
        assert file.digest == "sha256:" + hashlib.sha256(file.data).hexdigest()
        assert file.size == len(file.data)
    assert oncall.entry() == {
        "uri": "skill://admin/oncall/SKILL.md",
        "frontmatter": {"name": "oncall", "description": "What to do at night."},
        "resources": [{"uri": file.uri, "digest": file.digest, "size": file.size} for file in oncall.files],
    }


def test_binary_files_are_told_from_text(oncall):
    """SEP-2640: hosts verify size and digest, so bytes must survive."""
    assert file_of(oncall, "references/deep/map.png").text is None
    assert oncall.manifest.text.encode() == oncall.manifest.data


def test_text_keeps_its_line_ends_and_its_byte_order_mark(folder):
    """SEP-2640: hosts verify the digest of the text they get."""
    data = b"\xef\xbb\xbf" + MANIFEST.replace("\n", "\r\n").encode()
    (folder / "SKILL.md").write_bytes(data)
    oncall = load_skill(folder, "skill://admin/oncall")
    assert oncall.manifest.text.encode() == data
    assert oncall.name == "oncall"


@pytest.mark.parametrize(
    ("name", "data", "mime_type"),
    [
        ("a.yaml", b"a: 1", "application/yaml"),
        ("LICENSE", b"MIT", "text/plain"),
        ("blob", b"\xff", "application/octet-stream"),
        ("nul", b"a\0b", "application/octet-stream"),
        ("a.tar.gz", b"\x1f\x8b", "application/octet-stream"),
        ("a.svg", b"<svg/>", "image/svg+xml"),
        ("A.JSON", b"{}", "application/json"),
    ],
)
def test_mime_types_depend_on_the_file_alone(folder, name, data, mime_type):
    """Two servers with the same files answer the same."""
    (folder / name).write_bytes(data)
    assert file_of(load_skill(folder, "skill://admin/oncall"), name).mime_type == mime_type


def test_frontmatter_is_json_with_all_keys_verbatim(folder):
    """SEP-2640: the YAML header as JSON, verbatim, all keys."""
    header = "name: oncall\ndescription: >\n  Long\n  text.\nsince: 2026-07-28\nmetadata:\n  io.example/x: [1, 2.5, true, null]\n"
    (folder / "SKILL.md").write_text(f"---\n{header}---\nbody\n---\nmore\n")
    assert load_skill(folder, "skill://admin/oncall").frontmatter == {
        "name": "oncall",
        "description": "Long text.\n",
        "since": "2026-07-28",
        "metadata": {"io.example/x": [1, 2.5, True, None]},
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must begin with YAML"),
        ("# no header\n", "must begin with YAML"),
        ("---\nname: oncall\n", "must begin with YAML"),
        ("---\n---\n", "must be a mapping"),
        ("---\n- a\n---\n", "must be a mapping"),
        ("---\na: [\n---\n", "cannot be read"),
        ("---\na: !!python/object/apply:os.getcwd []\n---\n", "cannot be read"),
        ("---\ndescription: x\n---\n", "name must be"),
        ("---\nname: 5\ndescription: x\n---\n", "name must be"),
        ("---\nname: oncall\n---\n", "description must be"),
        ("---\nname: oncall\ndescription: ' '\n---\n", "description must be"),
        (f"---\nname: oncall\ndescription: {'x' * 1025}\n---\n", "description must be"),
        ("---\nname: oncall\ndescription: x\n1: y\n---\n", "JSON cannot say"),
        ("---\nname: oncall\ndescription: x\na: .nan\n---\n", "JSON cannot say"),
        ("---\nname: oncall\ndescription: x\na: !!binary aGk=\n---\n", "JSON cannot say"),
        ("---\nname: other\ndescription: x\n---\n", "its URI cannot be skill://admin/oncall"),
    ],
)
def test_a_manifest_that_hosts_would_refuse_is_refused_here(folder, text, reason):
    """SEP-2640, Names; Agent Skills specification."""
    (folder / "SKILL.md").write_text(text)
    with pytest.raises(RegistrationError, match=reason) as caught:
        load_skill(folder, "skill://admin/oncall")
    assert str(folder / "SKILL.md") in str(caught.value)


@pytest.mark.parametrize("name", ["Oncall", "on_call", "-a", "a-", "a--b", "a" * 65, "é", "a.b", "a b"])
def test_names_are_lower_case_words_with_single_hyphens(folder, name):
    """SEP-2640, Names: 1 to 64 of [a-z0-9-]."""
    (folder / "SKILL.md").write_text(f"---\nname: '{name}'\ndescription: x\n---\n", encoding="utf-8")
    with pytest.raises(RegistrationError):
        load_skill(folder, "skill://admin/oncall")


@pytest.mark.parametrize(
    "uri", ["oncall", "skill:///oncall", "skill://admin/oncall/", "skill://ad min/oncall", "skill://a/../oncall/x/"]
)
def test_the_root_is_a_uri_without_a_trailing_slash(folder, uri):
    """SEP-2640, URIs: the first segment is a reg-name."""
    with pytest.raises(RegistrationError, match="not the URI of a skill"):
        load_skill(folder, uri)


def test_a_skill_may_stand_at_the_first_segment(folder):
    """SEP-2640, URIs: a module without a name publishes its items bare."""
    assert load_skill(folder, "skill://oncall").manifest.uri == "skill://oncall/SKILL.md"


def test_a_folder_without_a_manifest_is_no_skill(folder, tmp_path):
    """SEP-2640."""
    (folder / "SKILL.md").unlink()
    with pytest.raises(RegistrationError, match=r"needs a file SKILL\.md"):
        load_skill(folder, "skill://admin/oncall")
    with pytest.raises(RegistrationError, match="is a folder"):
        load_skill(tmp_path / "nowhere", "skill://admin/oncall")


def test_a_binary_manifest_is_refused(folder):
    """SEP-2640."""
    (folder / "SKILL.md").write_bytes(MANIFEST.encode() + b"\xff")
    with pytest.raises(RegistrationError, match="UTF-8"):
        load_skill(folder, "skill://admin/oncall")


def test_hidden_files_and_caches_are_not_published(folder):
    """What an editor, a version control or Python leaves behind is no part of a skill."""
    before = load_skill(folder, "skill://admin/oncall").entry()
    (folder / ".env").write_text("SECRET=1")
    (folder / "scripts" / ".git").mkdir()
    (folder / "scripts" / ".git" / "config").write_text("x")
    (folder / ".DS_Store").write_bytes(b"x")
    (folder / "references" / "Thumbs.db").write_bytes(b"x")
    (folder / "desktop.ini").write_text("x")
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "a.md").write_text("x")
    (folder / "scripts" / "__pycache__").mkdir()
    (folder / "scripts" / "__pycache__" / "page.cpython-311.pyc").write_bytes(b"x")
    assert load_skill(folder, "skill://admin/oncall").entry() == before


def test_a_link_may_lead_to_a_file_of_the_same_skill_only(folder, tmp_path):
    """A skill publishes its folder and nothing else of the machine."""
    link = folder / "references" / "link.md"
    link.symlink_to(folder / "SKILL.md")
    assert file_of(load_skill(folder, "skill://admin/oncall"), "references/link.md").text == MANIFEST
    (tmp_path / "secret.md").write_text("secret")
    for target in (tmp_path / "secret.md", "/etc/passwd", tmp_path, folder, folder / "scripts", link, tmp_path / "nowhere"):
        link.unlink()
        link.symlink_to(target)
        with pytest.raises(RegistrationError, match="a link in a skill"):
            load_skill(folder, "skill://admin/oncall")


def test_a_skill_reached_through_a_link_is_fine(folder, tmp_path):
    """Installations link whole folders."""
    (tmp_path / "current").symlink_to(folder)
    assert len(load_skill(tmp_path / "current", "skill://admin/oncall").files) == 4


def test_a_pipe_is_no_file(folder):
    """Reading it would block for ever."""
    os.mkfifo(folder / "pipe")
    with pytest.raises(RegistrationError, match="files and folders only"):
        load_skill(folder, "skill://admin/oncall")


def test_a_skill_has_512_files_at_most(folder):
    """SEP-2640, Limits."""
    for number in range(skills.MAX_FILES - 4):
        (folder / f"{number}.txt").touch()
    assert len(load_skill(folder, "skill://admin/oncall").files) == 512
    (folder / "more.txt").touch()
    with pytest.raises(RegistrationError, match="at most 512 files"):
        load_skill(folder, "skill://admin/oncall")


def test_a_skill_has_16_mib_at_most(folder):
    """SEP-2640, Limits."""
    rest = skills.MAX_BYTES - sum(file.size for file in load_skill(folder, "skill://admin/oncall").files)
    with (folder / "big").open("wb") as big:
        big.truncate(rest)
    assert sum(file.size for file in load_skill(folder, "skill://admin/oncall").files) == 16 * 1024 * 1024
    with (folder / "big").open("ab") as big:
        big.write(b"x")
    with pytest.raises(RegistrationError, match="at most 16777216 bytes"):
        load_skill(folder, "skill://admin/oncall")


def test_a_file_name_that_is_not_utf8_is_refused(folder):
    """A URI could not name it."""
    (folder / os.fsdecode(b"\xff.md")).touch()
    with pytest.raises(RegistrationError, match="must be UTF-8"):
        load_skill(folder, "skill://admin/oncall")


def test_what_is_served_does_not_change_with_the_folder(folder, oncall):
    """SEP-2640: the digest promises the bytes."""
    (folder / "SKILL.md").write_text("changed")
    assert file_of(oncall, "SKILL.md").text == MANIFEST


def test_the_index_has_the_keys_of_both_drafts_and_standard(oncall):
    """Promised: clients can read skill://index.json."""
    [entry] = json.loads(index_json([oncall]))["skills"]
    assert entry["url"] == entry["uri"] == "skill://admin/oncall/SKILL.md"
    assert entry["digest"] == oncall.manifest.digest
    assert entry["frontmatter"] == oncall.frontmatter
    assert entry["resources"] == oncall.entry()["resources"]
    assert (entry["name"], entry["type"], entry["description"]) == ("oncall", "skill-md", "What to do at night.")
    assert json.loads(index_json([]))["skills"] == []


@pytest.fixture
def nested(folder):
    (folder / "more" / "inner" / "refs").mkdir(parents=True)
    (folder / "more" / "inner" / "SKILL.md").write_text(INNER)
    (folder / "more" / "inner" / "refs" / "a.md").write_text("a")
    return folder


def test_a_nested_skill_is_one_of_its_own_and_its_files_are_the_outer_ones_too(nested):
    """SEP-2640, "Nested Skills": publication is flat; "Resources": completeness extends to nested skills."""
    outer, inner = load_skills(nested, "skill://admin/oncall")
    assert (outer.root, inner.root) == ("skill://admin/oncall", "skill://admin/oncall/more/inner")
    assert inner.entry() == {
        "uri": "skill://admin/oncall/more/inner/SKILL.md",
        "frontmatter": {"name": "inner", "description": "Within."},
        "resources": [{"uri": file.uri, "digest": file.digest, "size": file.size} for file in inner.files],
    }
    assert [file.path for file in inner.files] == ["SKILL.md", "refs/a.md"]
    outer_files = {file["uri"]: file for file in outer.entry()["resources"]}
    assert len(outer_files) == len(outer.files) == 6
    for file in inner.entry()["resources"]:
        assert outer_files[file["uri"]] == file


def test_a_nested_skill_follows_the_same_rules(nested):
    """SEP-2640, "Nested Skills": its directory name is its name."""
    place = nested / "more" / "inner" / "SKILL.md"
    place.write_text(INNER.replace("name: inner", "name: other"))
    with pytest.raises(RegistrationError, match="not meant as a skill") as caught:
        load_skills(nested, "skill://admin/oncall")
    assert str(place) in str(caught.value)
    place.write_text("# a template")
    with pytest.raises(RegistrationError, match="must begin with YAML"):
        load_skills(nested, "skill://admin/oncall")


def test_a_folder_as_deep_as_a_path_can_be_is_read(tmp_path):
    """PATH_MAX is 4096, and Python's stack is shallower: `shutil.rmtree` cannot take such a folder away, so the test does."""
    (tmp_path / "SKILL.md").write_text("---\nname: deep\ndescription: Deep.\n---\n")
    folders = list(accumulate(repeat("d", 1200), Path.joinpath, initial=tmp_path))[1:]
    try:
        for folder in folders:
            folder.mkdir()
        (folders[-1] / "bottom").touch()
        (skill,) = load_skills(tmp_path, "skill://m/deep")
        assert len(skill.files) == 2
    finally:
        (folders[-1] / "bottom").unlink(missing_ok=True)
        for folder in reversed(folders):
            folder.rmdir()


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    """Taken away while the folder is read, or another user's."""
    (tmp_path / "SKILL.md").write_text("---\nname: x\ndescription: X.\n---\n")
    (tmp_path / "gone.md").touch()

    def taken_away(folder, top):
        (tmp_path / "gone.md").unlink()
        return [tmp_path / "SKILL.md", tmp_path / "gone.md"]

    monkeypatch.setattr("lazymcp.skills._walk", taken_away)
    with pytest.raises(RegistrationError, match=r"gone\.md: a file of the skill cannot be read: No such file"):
        load_skills(tmp_path, "skill://m/x")
