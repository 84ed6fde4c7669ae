"""Folders of skills: what `resources/directory/read` lists, and files found under any spelling of their URI.

State: filled while modules register, read by every request afterwards.
"""

from collections.abc import Container
from typing import Any, Final
from urllib.parse import unquote

from lazymcp.skills import MANIFEST, Skill, SkillFile

__all__ = ["Directories"]

# Longer than the escaped path of any file (Linux: PATH_MAX, 4096), and nothing to spend time on.
_MAX_URI: Final = 16 * 1024


class Directories:
    """Every folder that has files of skills somewhere below: `skill://admin`, `skill://admin/oncall/references`.

    Everything is looked up, so what a wrong URI costs does not depend on how many files there are.
    """

    def __init__(self) -> None:
        # Several modules may have a folder in common; a caller sees what those of its modules put there.
        self._children: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        self._spellings: dict[str, str] = {}

    def add(self, module: str, skill: Skill) -> None:
        """Take in the files of a module's skill. One that lies in the folder of another comes after it."""
        for file in skill.files:
            self._spellings[unquote(file.uri)] = file.uri
            parent, _, name = file.uri.rpartition("/")
            self._put(module, parent, unquote(name), _resource(skill, file, unquote(name)))
            while parent.count("/") > 2:
                folder, (parent, _, name) = parent, parent.rpartition("/")
                child = {"uri": folder, "name": unquote(name), "mimeType": "inode/directory"}
                self._put(module, parent, unquote(name), child)

    def children(self, uri: str, modules: Container[str]) -> list[dict[str, Any]] | None:
        """The direct children of a folder, as Resource objects in the order of their names; None when it is none.

        Args:
            uri: of the folder, however its characters are escaped.
            modules: those whose skills the caller may see.

        SEP-2640, "Reading Directories".
        """
        children = self._children.get(_spelling(uri).removesuffix("/"), {})
        seen = {name: child for (module, name), child in children.items() if module in modules}
        return [seen[name] for name in sorted(seen)] or None

    def canonical(self, uri: str) -> str | None:
        """The URI under which a file is published, whichever way its characters are escaped; None for what is no file."""
        return self._spellings.get(_spelling(uri))

    def _put(self, module: str, folder: str, name: str, child: dict[str, Any]) -> None:
        self._children.setdefault(unquote(folder), {})[module, name] = child


def _spelling(uri: str) -> str:
    return unquote(uri) if len(uri) <= _MAX_URI else ""


def _resource(skill: Skill, file: SkillFile, name: str) -> dict[str, Any]:
    resource = {"uri": file.uri, "name": name, "mimeType": file.mime_type, "size": file.size}
    if file.path == MANIFEST:
        # SEP-2640, Resource metadata: SKILL.md bears the name and description of its frontmatter wherever it is listed.
        resource |= {"name": skill.name, "description": skill.description}
    return resource
