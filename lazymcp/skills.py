"""Skills: a folder with a SKILL.md, read once when the server starts, hashed, and served as resources (SEP-2640).

Everything is in memory afterwards, so what a digest promises is what is served, whatever happens to the folder meanwhile.
Methods, pages and permissions are left to others.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from lazymcp.errors import RegistrationError
from lazymcp.jsonrpc import dump

__all__ = ["MAX_BYTES", "MAX_FILES", "Skill", "SkillFile", "directory", "index_json", "load_skill"]

# SEP-2640, Limits: hosts may refuse a skill that is larger.
MAX_FILES = 512
MAX_BYTES = 16 * 1024 * 1024

_MANIFEST = "SKILL.md"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# The first segment stands where a URI has its host, so it must be a reg-name (RFC 3986, 3.2.2).
_ROOT = re.compile(r"[a-z][a-z0-9+.-]*://[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*")
_FRONTMATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)

_TYPES = {
    ".md": "text/markdown",
    ".sh": "text/x-shellscript",
    ".toml": "application/toml",
    ".ts": "text/x-typescript",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file of a skill. `path` is relative to the skill, with slashes; `digest` is `sha256:` and 64 hex digits."""

    uri: str
    path: str
    data: bytes = field(repr=False)
    mime_type: str
    digest: str
    size: int

    @property
    def text(self) -> str | None:
        """The file as text, which encodes to exactly `data` again; None for a binary file."""
        return _text(self.data)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as it is served. `root` is its URI without a trailing slash, and its last segment is the skill's name."""

    root: str
    frontmatter: Mapping[str, Any]
    files: tuple[SkillFile, ...]

    @property
    def name(self) -> str:
        return str(self.frontmatter["name"])

    @property
    def description(self) -> str:
        return str(self.frontmatter["description"])

    @property
    def manifest(self) -> SkillFile:
        """The SKILL.md of the skill itself."""
        return next(file for file in self.files if file.path == _MANIFEST)

    def find(self, uri: str) -> SkillFile | None:
        """The file with this URI, whichever way its characters are escaped."""
        wanted = unquote(uri)
        return next((file for file in self.files if unquote(file.uri) == wanted), None)

    def entry(self) -> dict[str, Any]:
        """The skill in `skills/list` and `skills/get`: complete, with every file once. SEP-2640, Skill entries."""
        return {
            "uri": self.manifest.uri,
            "frontmatter": dict(self.frontmatter),
            "resources": [{"uri": file.uri, "digest": file.digest, "size": file.size} for file in self.files],
        }


def load_skill(path: Path, uri_root: str) -> Skill:
    """Read a skill's folder.

    Files whose names begin with a dot, and Python's caches, are not published.

    Args:
        path: The folder that holds SKILL.md.
        uri_root: `skill://<module>/<name>`, where the name is the one in the frontmatter.

    Raises:
        RegistrationError: the folder is not a skill that every host takes. It names the file and the reason.

    SEP-2640; Agent Skills specification, "Frontmatter".
    """
    if not path.is_dir():
        raise RegistrationError("a skill is a folder, and there is none", str(path))
    if not _ROOT.fullmatch(uri_root):
        raise RegistrationError(f"{uri_root!r} is not the URI of a skill, such as skill://admin/oncall", str(path))
    files = tuple(_read(file, path, uri_root) for file in _check_limits(sorted(_walk(path, path.resolve())), path))
    manifest = next((file for file in files if file.path == _MANIFEST), None)
    if manifest is None:
        raise RegistrationError(f"a skill needs a file {_MANIFEST}", str(path))
    frontmatter = _check_frontmatter(_frontmatter(manifest, path / _MANIFEST), path / _MANIFEST)
    if frontmatter["name"] != uri_root.rsplit("/", 1)[-1]:
        raise RegistrationError(
            f"the skill is named {frontmatter['name']!r}, so its URI cannot be {uri_root}", str(path / _MANIFEST)
        )
    return Skill(uri_root, frontmatter, files)


def index_json(skills: Iterable[Skill]) -> str:
    """The text of `skill://index.json`.

    The final SEP-2640 has methods instead; drafts knew this file, and hosts written against them read `url` and `digest`.
    """
    entries = [{"url": skill.manifest.uri, "digest": skill.manifest.digest, **skill.entry()} for skill in skills]
    return dump({"skills": entries}).decode()


def directory(skills: Iterable[Skill], uri: str) -> list[dict[str, Any]] | None:
    """The direct children of a directory, as Resource objects in the order of their names; None when it is not one.

    A skill's root is a directory, and so is what several skills have in common: `skill://admin`. SEP-2640,
    `resources/directory/read`.
    """
    if not _ROOT.match(uri):
        return None
    folder = unquote(uri).removesuffix("/") + "/"
    children: dict[str, dict[str, Any]] = {}
    for skill in skills:
        for file in skill.files:
            file_uri = unquote(file.uri)
            if not file_uri.startswith(folder):
                continue
            name, below, _ = file_uri[len(folder) :].partition("/")
            if below:
                child_uri = "/".join(file.uri.split("/")[: folder.count("/") + 1])
                children[name] = {"uri": child_uri, "name": name, "mimeType": "inode/directory"}
            else:
                children[name] = _resource(skill, file, name)
    return [children[name] for name in sorted(children)] or None


def _resource(skill: Skill, file: SkillFile, name: str) -> dict[str, Any]:
    resource = {"uri": file.uri, "name": name, "mimeType": file.mime_type, "size": file.size}
    if file.path == _MANIFEST:
        # SEP-2640, Resource metadata: SKILL.md bears the name and description of its frontmatter wherever it is listed.
        resource |= {"name": skill.name, "description": skill.description}
    return resource


def _walk(folder: Path, top: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name == "__pycache__" or path.suffix == ".pyc":
            continue
        if path.is_symlink() and not (path.is_file() and path.resolve().is_relative_to(top)):
            raise RegistrationError("a link in a skill may only lead to a file of the same skill", str(path))
        if path.is_dir():
            yield from _walk(path, top)
        elif path.is_file():
            yield path
        else:
            raise RegistrationError("a skill is made of files and folders only", str(path))


def _check_limits(paths: list[Path], folder: Path) -> list[Path]:
    if len(paths) > MAX_FILES:
        raise RegistrationError(f"a skill has at most {MAX_FILES} files, this one {len(paths)}", str(folder))
    total = sum(path.stat().st_size for path in paths)
    if total > MAX_BYTES:
        raise RegistrationError(f"a skill has at most {MAX_BYTES} bytes, this one {total}", str(folder))
    return paths


def _read(path: Path, folder: Path, uri_root: str) -> SkillFile:
    name = path.relative_to(folder).as_posix()
    try:
        uri = f"{uri_root}/{quote(name)}"
    except UnicodeEncodeError as problem:
        raise RegistrationError("the name of a skill's file must be UTF-8", ascii(str(path))) from problem
    data = path.read_bytes()
    return SkillFile(uri, name, data, _mime_type(path, data), f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))


def _mime_type(path: Path, data: bytes) -> str:
    # Python's own table, without the machine's files: two servers must not disagree.
    known, packed = _guess_type()(path.name)
    if packed or not known:
        return "application/octet-stream" if packed or _text(data) is None else "text/plain"
    return known


@cache
def _guess_type() -> Callable[[str], tuple[str | None, str | None]]:
    from mimetypes import MimeTypes

    types = MimeTypes(filenames=())
    for ending, mime_type in _TYPES.items():
        types.add_type(mime_type, ending)
    return types.guess_type


def _text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def _frontmatter(file: SkillFile, path: Path) -> Any:
    from yaml import YAMLError, load

    text = file.text
    if text is None:
        raise RegistrationError("SKILL.md must be UTF-8 text", str(path))
    header = _FRONTMATTER.match(text)
    if header is None:
        raise RegistrationError("SKILL.md must begin with YAML between two lines of ---", str(path))
    try:
        return load(header[1] or "", _yaml_loader())  # noqa: S506 - a subclass of SafeLoader
    except YAMLError as problem:
        raise RegistrationError(f"the YAML at the head of SKILL.md cannot be read: {problem}", str(path)) from problem


@cache
def _yaml_loader() -> Any:
    """PyYAML's safe loader, but a date stays the text it is: JSON has no dates, and hosts compare with the file.

    Imported when a skill is loaded: a server without skills starts sooner.
    """
    from yaml import SafeLoader

    class Loader(SafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's attribute
            first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
            for first, known in SafeLoader.yaml_implicit_resolvers.items()
        }

    return Loader


def _check_frontmatter(header: Any, path: Path) -> dict[str, Any]:
    import json

    if not isinstance(header, dict):
        raise RegistrationError("the YAML at the head of SKILL.md must be a mapping with name and description", str(path))
    name, description = header.get("name"), header.get("description")
    if not isinstance(name, str) or len(name) > 64 or not _NAME.fullmatch(name):
        raise RegistrationError(f"name must be 1 to 64 of a-z 0-9 and single inner hyphens, not {name!r}", str(path))
    if not isinstance(description, str) or not 1 <= len(description.strip()) <= 1024:
        raise RegistrationError("description must be a text of 1 to 1024 characters", str(path))
    try:
        # What YAML can say and JSON cannot: keys that are not text, .nan, !!binary, !!set.
        same = json.loads(json.dumps(header, allow_nan=False)) == header
    except (TypeError, ValueError):
        same = False
    if not same:
        raise RegistrationError("the YAML at the head of SKILL.md holds what JSON cannot say", str(path))
    return header
