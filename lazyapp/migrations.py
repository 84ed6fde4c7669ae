"""Which migrations there are, and which of them a database has had: asked at every start, so Alembic is not imported here.

Two lines of them, each with a version table of its own: the framework's, for the tables of its logins, users and tasks, and the
application's, in `app/migrations/`. What runs them is `migrations_alembic.py`.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyapp.errors import ConfigurationError

#: What the framework's own tables are called; an application's are called otherwise.
OWN_PREFIXES = ("lazyauth_", "lazyoauth_", "lazymcp_", "lazyapp_")
FOLDER = Path("app") / "migrations"
_READ = frozenset({"revision", "down_revision", "depends_on"})


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a line.

    Args:
        revision: its id.
        follows: the ids of those that must have run before it.
        summary: the first line of its docstring.
        depends_on: those of `follows` that Alembic may know by another name, a branch's.
    """

    revision: str
    follows: tuple[str, ...]
    summary: str
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Migrations that follow each other, in one folder, counted in one table of the database."""

    name: str
    folder: Path
    table: str

    def read(self) -> Sequence[Migration]:
        """Its migrations, each after those that it follows; none where the folder is not there.

        Raises:
            ConfigurationError: a file cannot be read, one goes on from a migration that is not there, or they go round in a circle.
        """
        read = ((file, _read(file)) for file in sorted(self.folder.glob("*.py")) if not file.name.startswith("_"))
        found = {each.revision: (file, each) for file, each in read if each is not None}
        for file, each in found.values():
            _check_is_joined(file, each, [other for _, other in found.values()])
        return _in_order({revision: each for revision, (_, each) in found.items()}, self.folder)


FRAMEWORK = Line("framework", Path(__file__).parent / "versions", "lazyapp_versions")


def application(folder: Path) -> Line:
    """The application's line; its table is the one that Alembic uses by default, so a project that had Alembic goes on."""
    return Line("application", folder, "alembic_version")


@dataclass(frozen=True, slots=True)
class State:
    """How far a database is along a line.

    Args:
        migrations: all there are, in order.
        pending: those that it has not had, in order.
        unknown: what it has had besides: it was migrated by a release that is newer than this one.
    """

    line: Line
    migrations: Sequence[Migration]
    pending: Sequence[Migration]
    unknown: Sequence[str]


async def states(engine: AsyncEngine, lines: Iterable[Line]) -> Sequence[State]:
    """How far a database is along each line. Nothing is written, and no lock is waited for."""
    known = [(line, line.read()) for line in lines]
    async with engine.connect() as connection:
        had = await connection.run_sync(lambda sync: [_versions(sync, line.table) for line, _ in known])
    return [_state(line, migrations, versions) for (line, migrations), versions in zip(known, had, strict=True)]


def in_words(found: Iterable[State]) -> str | None:
    """`2 pending`, or None when nothing is."""
    count = sum(len(state.pending) for state in found)
    return f"{count} pending" if count else None


def _versions(connection: sa.Connection, table: str) -> Sequence[str]:
    if not sa.inspect(connection).has_table(table):
        return ()
    return connection.execute(sa.select(sa.column("version_num")).select_from(sa.table(table))).scalars().all()


def _state(line: Line, migrations: Sequence[Migration], versions: Sequence[str]) -> State:
    known = {migration.revision: migration for migration in migrations}
    had: set[str] = set()
    todo = list(versions)
    while todo:
        if (revision := todo.pop()) in known and revision not in had:
            had.add(revision)
            todo += known[revision].follows
    unknown = [version for version in versions if version not in known]
    # A newer release has had all that this one knows: it does not go back, and this one need do nothing.
    pending = [] if unknown else [migration for migration in migrations if migration.revision not in had]
    return State(line, migrations, pending, unknown)


def _read(file: Path) -> Migration | None:
    """What a file says of itself, without running it; None when it is no migration."""
    try:
        module = ast.parse(file.read_text(encoding="utf-8"), str(file))
        said = dict(_assigned(module))
    except (SyntaxError, UnicodeDecodeError, ValueError) as error:
        raise ConfigurationError(f"The migration {file} cannot be read: {error}.") from None
    revision = said.get("revision")
    if not isinstance(revision, str):
        return None
    depends_on = _ids(said.get("depends_on"))
    follows = (*_ids(said.get("down_revision")), *depends_on)
    return Migration(revision, follows, (ast.get_docstring(module) or file.stem).partition("\n")[0], depends_on)


def _check_is_joined(file: Path, migration: Migration, there: Sequence[Migration]) -> None:
    """That what a migration goes on from is there. Alembic only warns of it, and then fails with the number alone."""
    known = {each.revision for each in there}
    for before in migration.follows:
        if before in known or before in migration.depends_on:
            continue
        followed = {revision for each in there for revision in each.follows}
        last = [each.revision for each in there if each.revision not in followed and each is not migration]
        # A chain that was cut has one loose end before the cut, and what comes after it may be more than this file.
        loose = [each for each in last if not _is_after(each, migration, there)]
        instead = repr(loose[0] if loose else None) if len(loose) < 2 else "the id of one that is there"
        raise ConfigurationError(
            f"{shown(file)} goes on from {before}, which is not there; put it back, or write down_revision = {instead}."
        )


def _is_after(revision: str, migration: Migration, there: Sequence[Migration]) -> bool:
    known = {each.revision: each for each in there}
    todo, seen = [revision], set[str]()
    while todo:
        if (each := todo.pop()) == migration.revision:
            return True
        if each in known and each not in seen:
            seen.add(each)
            todo += known[each].follows
    return False


def shown(file: str | Path) -> str:
    """A file's name as somebody who stands in the application's folder would write it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _assigned(module: ast.Module) -> Iterable[tuple[str, Any]]:
    for node in module.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and target.id in _READ and node.value is not None:
                yield target.id, ast.literal_eval(node.value)


def _ids(said: object) -> tuple[str, ...]:
    if said is None:
        return ()
    return (said,) if isinstance(said, str) else tuple(said)  # type: ignore[arg-type]  # a tuple or list of them


def _in_order(found: Mapping[str, Migration], folder: Path) -> Sequence[Migration]:
    done: dict[str, Migration] = {}
    todo = dict(found)
    while todo:
        ready = [each for each in todo.values() if all(before in done or before not in found for before in each.follows)]
        if not ready:
            raise ConfigurationError(f"The migrations in {folder} follow each other in a circle: {', '.join(sorted(todo))}.")
        for each in ready:
            done[each.revision] = todo.pop(each.revision)
    return list(done.values())
