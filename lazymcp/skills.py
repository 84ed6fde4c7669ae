"""Skills: a folder with a SKILL.md, read once when the server starts, hashed, and served as resources (SEP-2640).

Everything is in memory afterwards, so what a digest promises is what is served, whatever happens to the folder meanwhile. The
header of a SKILL.md is read in `frontmatter.py`, folders are listed in `directories.py`; methods and permissions are elsewhere.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from lazymcp.errors import RegistrationError
from lazymcp.frontmatter import read_frontmatter
from lazymcp.jsonrpc import dump

__all__ = ["MANIFEST", "MAX_BYTES", "MAX_FILES", "Skill", "SkillFile", "index_json", "load_skills"]

# SEP-2640, Limits: hosts may refuse a skill that is larger.
MAX_FILES = 512
MAX_BYTES = 16 * 1024 * 1024

MANIFEST = "SKILL.md"
# The first segment stands where a URI has its host, so it must be a reg-name (RFC 3986, 3.2.2).
_ROOT = re.compile(r"[a-z][a-z0-9+.-]*://[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*")
# What systems leave in folders, besides names that begin with a dot.
_LITTER = frozenset({"__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini"})

_TYPES = {
    ".md": "text/markdown",
    ".sh": "text/x-shellscript",
    ".toml": "application/toml",
    ".ts": "text/x-typescript",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


class SkillFile(NamedTuple):
    """One file of a skill. `path` is relative to the skill, with slashes; `digest` is `sha256:` and 64 hex digits."""

    uri: str
    path: str
    data: bytes
    mime_type: str
    digest: str
    size: int

    @property
    def text(self) -> str | None:
        """The file as text, which encodes to exactly `data` again; None for a binary file."""
        return _text(self.data)


class Skill(NamedTuple):
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
        return next(file for file in self.files if file.path == MANIFEST)

    def entry(self) -> dict[str, Any]:
        """The skill in `skills/list` and `skills/get`: complete, with every file once. SEP-2640, Skill entries."""
        return {
            "uri": self.manifest.uri,
            "frontmatter": dict(self.frontmatter),
            "resources": [{"uri": file.uri, "digest": file.digest, "size": file.size} for file in self.files],
        }


def load_skills(path: Path, uri_root: str) -> tuple[Skill, ...]:
    """Read a skill's folder: the skill, and after it those that lie in its folder.

    A nested skill is one of its own under its own URI, and its files are the outer one's as well. Files whose names begin with a
    dot, and what Python and other systems leave behind, are not published.

    Args:
        path: The folder that holds SKILL.md.
        uri_root: `skill://<module>/<name>`, where the name is the one in the frontmatter.

    Raises:
        RegistrationError: the folder is not a skill that every host takes. It names the file and the reason.

    SEP-2640, "Nested Skills" and "Limits".
    """
    if not path.is_dir():
        raise RegistrationError("a skill is a folder, and there is none", str(path))
    if not _ROOT.fullmatch(uri_root):
        raise RegistrationError(f"{uri_root!r} is not the URI of a skill, such as skill://admin/oncall", str(path))
    try:
        paths = sorted(_walk(path, path.resolve()))
        if len(paths) > MAX_FILES:
            raise RegistrationError(f"a skill has at most {MAX_FILES} files, this one {len(paths)}", str(path))
        files = tuple(_read_all(paths, path, uri_root))
    except OSError as problem:
        raise RegistrationError(
            f"a file of the skill cannot be read: {problem.strerror}", str(problem.filename or path)
        ) from problem
    if not any(file.path == MANIFEST for file in files):
        raise RegistrationError(f"a skill needs a file {MANIFEST}", str(path))
    manifests = [file for file in files if file.path.rpartition("/")[2] == MANIFEST]
    return tuple(_skill(manifest, files, path) for manifest in sorted(manifests, key=lambda file: file.path.count("/")))


def _skill(manifest: SkillFile, files: tuple[SkillFile, ...], folder: Path) -> Skill:
    place = str(folder / manifest.path)
    below = manifest.path.removesuffix(MANIFEST)
    root = manifest.uri.removesuffix(f"/{MANIFEST}")
    frontmatter = read_frontmatter(manifest.text, place)
    name = frontmatter["name"]
    if name != root.rsplit("/", 1)[-1]:
        advice = "; rename its folder, or the file if it is not meant as a skill" if below else ""
        raise RegistrationError(f"the skill is named {name!r}, so its URI cannot be {root}{advice}", place)
    own = (file._replace(path=file.path[len(below) :]) for file in files if file.path.startswith(below))
    return Skill(root, frontmatter, tuple(own) if below else files)


def index_json(skills: Iterable[Skill]) -> str:
    """The text of `skill://index.json`.

    The final SEP-2640 has methods instead; drafts knew this file in two shapes, and an entry has the keys of both: `name`, `type`
    and `description` of the first, `frontmatter` of the second, `url` and `digest` of either.
    """
    entries = [
        {
            "name": skill.name,
            "type": "skill-md",
            "description": skill.description,
            "url": skill.manifest.uri,
            "digest": skill.manifest.digest,
            **skill.entry(),
        }
        for skill in skills
    ]
    return dump({"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": entries}).decode()


def _walk(folder: Path, top: Path) -> Iterator[Path]:
    todo = [folder]
    for path in (path for below in todo for path in below.iterdir()):  # `todo` grows as it goes
        if path.name.startswith(".") or path.name in _LITTER or path.suffix == ".pyc":
            continue
        if path.is_symlink() and not (path.is_file() and path.resolve().is_relative_to(top)):
            raise RegistrationError("a link in a skill may only lead to a file of the same skill", str(path))
        if path.is_dir():
            todo.append(path)
        elif path.is_file():
            yield path
        else:
            raise RegistrationError("a skill is made of files and folders only", str(path))


def _read_all(paths: Iterable[Path], folder: Path, uri_root: str) -> Iterator[SkillFile]:
    left = MAX_BYTES
    for path in paths:
        with path.open("rb") as opened:
            data = opened.read(left + 1)
        left -= len(data)
        if left < 0:
            total = sum(path.stat().st_size for path in paths)
            raise RegistrationError(f"a skill has at most {MAX_BYTES} bytes, this one {total}", str(folder))
        yield _file(data, path, folder, uri_root)


def _file(data: bytes, path: Path, folder: Path, uri_root: str) -> SkillFile:
    name = path.relative_to(folder).as_posix()
    try:
        uri = f"{uri_root}/{quote(name)}"
    except UnicodeEncodeError as problem:
        raise RegistrationError("the name of a skill's file must be UTF-8", ascii(str(path))) from problem
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
