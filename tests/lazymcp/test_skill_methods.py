"""lazymcp/skill_methods.py: skills/list, skills/get, directories and the index, asked for by a client (SEP-2640)."""

import base64
import hashlib

import pytest

from lazymcp import Base, SkillSpec
from tests.lazymcp.asgi_peer import served

OUTER = "---\nname: oncall\ndescription: What to do at night.\n---\n# On call\n"
INNER = "---\nname: inner\ndescription: Within.\n---\nSee refs/a.md.\n"


@pytest.fixture
def folder(tmp_path):
    """A skill with another one inside, a text and a picture."""
    folder = tmp_path / "oncall"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text(OUTER)
    (folder / "references" / "who is who.md").write_text("Ann, Bob, Zoë\n", encoding="utf-8")
    (folder / "references" / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    (folder / "more" / "inner" / "refs").mkdir(parents=True)
    (folder / "more" / "inner" / "SKILL.md").write_text(INNER)
    (folder / "more" / "inner" / "refs" / "a.md").write_text("a")
    return folder


def publisher(*folders, name="admin"):
    """A module that publishes these skills."""

    def skills(self):
        return [SkillSpec(path=folder) for folder in folders]

    return type("Publisher", (Base,), {"name": name, "skills": skills})()


async def test_files_are_found_by_uri_however_it_is_escaped(folder):
    """Promised: fetch skill://admin/oncall/SKILL.md and supporting files. RFC 3986, section 6.2.2."""
    peer = served(publisher(folder))
    for spelling in ("who%20is%20who.md", "who is who.md", "%77ho%20is who.md"):
        uri = f"skill://admin/oncall/references/{spelling}"
        (content,) = (await peer.ask("resources/read", {"uri": uri})).result["contents"]
        assert content == {"uri": uri, "mimeType": "text/markdown", "text": "Ann, Bob, Zoë\n"}
    for unknown in ("", "/", "/nothing", "/references", "/../oncall/SKILL.md"):
        assert (await peer.ask("resources/read", {"uri": "skill://admin/oncall" + unknown})).error["code"] == -32602


async def test_nested_skills_are_listed_got_and_read(folder):
    """SEP-2640: skills/list is flat, skills/get answers for every skill, SKILL.md bears its own name wherever it is listed."""
    peer = served(publisher(folder), page_size=1)
    uris, cursor = [], None
    while cursor is not None or not uris:
        page = (await peer.ask("skills/list", {} if cursor is None else {"cursor": cursor})).result
        uris += [entry["uri"] for entry in page["skills"]]
        cursor = page.get("nextCursor")
    assert uris == ["skill://admin/oncall/SKILL.md", "skill://admin/oncall/more/inner/SKILL.md"]
    for uri in uris:
        entry = (await peer.ask("skills/get", {"uri": uri})).result["skill"]
        for file in entry["resources"]:
            (content,) = (await peer.ask("resources/read", {"uri": file["uri"]})).result["contents"]
            data = content["text"].encode() if "text" in content else base64.b64decode(content["blob"])
            assert "sha256:" + hashlib.sha256(data).hexdigest() == file["digest"]
            assert len(data) == file["size"]
    listed = {item["uri"]: item for item in (await served(publisher(folder)).ask("resources/list")).result["resources"]}
    assert listed[uris[1]] == {
        "uri": uris[1],
        "name": "inner",
        "description": "Within.",
        "mimeType": "text/markdown",
        "size": len(INNER),
    }


async def test_two_modules_do_not_see_each_others_skills(folder):
    """Design, section 4: what the authorizer hides answers exactly like the unknown."""
    peer = served(publisher(folder), publisher(folder, name="ops"), authorizer=lambda claims, module: module == "ops")
    roots = ["skill://ops/oncall", "skill://ops/oncall/more/inner"]
    assert [entry["uri"] for entry in (await peer.ask("skills/list")).result["skills"]] == [f"{root}/SKILL.md" for root in roots]
    index = (await peer.ask("resources/read", {"uri": "skill://index.json"})).result["contents"][0]["text"]
    assert "skill://admin" not in index
    assert (await peer.ask("resources/directory/read", {"uri": "skill://ops"})).result["resources"][0]["name"] == "oncall"
    for method, uri in [
        ("skills/get", "skill://admin/oncall/SKILL.md"),
        ("resources/read", "skill://admin/oncall/SKILL.md"),
        ("resources/read", "skill://admin/oncall/references/who is who.md"),
        ("resources/directory/read", "skill://admin"),
        ("resources/directory/read", "skill://admin/oncall"),
    ]:
        assert (await peer.ask(method, {"uri": uri})).error["code"] == -32602


async def test_no_entry_has_metadata_of_a_bare_name(folder):
    """SEP-2640, "Resource Metadata": `_meta` keys of skills bear the extension's prefix; there are none."""
    peer = served(publisher(folder))
    for method, key in [("skills/list", "skills"), ("resources/list", "resources")]:
        assert not any("_meta" in item for item in (await peer.ask(method)).result[key])
    (content,) = (await peer.ask("resources/read", {"uri": "skill://admin/oncall/SKILL.md"})).result["contents"]
    assert set(content) == {"uri", "mimeType", "text"}


async def test_every_file_of_a_skill_keeps_its_bytes_when_the_folder_changes(folder):
    """SEP-2640, "Integrity and Verification": what was promised at start is what is served."""
    peer = served(publisher(folder))
    before = (await peer.ask("skills/list")).result["skills"]
    (folder / "SKILL.md").write_text("changed")
    (folder / "references" / "map.png").unlink()
    (folder / "new.md").write_text("new")
    assert (await peer.ask("skills/list")).result["skills"] == before
    (content,) = (await peer.ask("resources/read", {"uri": "skill://admin/oncall/references/map.png"})).result["contents"]
    assert content["mimeType"] == "image/png"
    assert base64.b64decode(content["blob"]) == b"\x89PNG\r\n\x1a\n\x00\xff"
    assert (await peer.ask("resources/read", {"uri": "skill://admin/oncall/new.md"})).error["code"] == -32602


@pytest.mark.parametrize(
    ("method", "uri"),
    [
        ("skills/get", "skill://admin/oncall"),
        ("skills/get", "skill://admin/oncall/references/map.png"),
        ("skills/get", "skill://index.json"),
        ("skills/get", 5),
        ("resources/directory/read", "skill://admin/oncall/SKILL.md"),
        ("resources/directory/read", "app://admin"),
        ("resources/directory/read", None),
    ],
)
async def test_what_is_not_there_is_an_invalid_param(folder, method, uri):
    """SEP-2640, "Error Handling": -32602."""
    assert (await served(publisher(folder)).ask(method, {"uri": uri})).error["code"] == -32602


async def test_a_directory_is_paged(folder):
    """SEP-2640, "Reading Directories": pagination mirrors resources/list."""
    peer = served(publisher(folder), page_size=2)
    first = (await peer.ask("resources/directory/read", {"uri": "skill://admin/oncall"})).result
    params = {"uri": "skill://admin/oncall", "cursor": first["nextCursor"]}
    second = (await peer.ask("resources/directory/read", params)).result
    assert [child["name"] for child in first["resources"] + second["resources"]] == ["oncall", "more", "references"]
    assert "nextCursor" not in second
