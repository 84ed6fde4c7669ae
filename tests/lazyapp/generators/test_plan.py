"""`lazyapp.generators.plan`: all or nothing."""

import resource
from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.plan import Plan, carry_out


def everything_in(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else "" for path in folder.rglob("*")}


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "routes.py").write_text("old\n")
    plan = Plan(tmp_path)
    plan.create(Path("app/deep/new.py"), "new\n")
    plan.change(Path("routes.py"), "changed\n")
    return plan


def test_what_is_planned_is_written(plan: Plan) -> None:
    carry_out(plan)
    assert everything_in(plan.root) == {"app": "", "app/deep": "", "app/deep/new.py": "new\n", "routes.py": "changed\n"}


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    """docs/generators.md: never overwrites; a dangling link counts."""
    (tmp_path / "link.py").symlink_to("nowhere")
    with pytest.raises(ConfigurationError, match=r"link\.py exists and is left as it is, and nothing was written"):
        Plan(tmp_path).create(Path("link.py"), "new\n")


@pytest.mark.parametrize("meanwhile", ["app/deep/new.py", "routes.py"])
def test_what_appears_or_changes_meanwhile_ends_it_and_nothing_is_left(plan: Plan, meanwhile: str) -> None:
    """docs/generators.md: nothing written at all."""
    (plan.root / meanwhile).parent.mkdir(parents=True, exist_ok=True)
    (plan.root / meanwhile).write_text("somebody else's\n")
    before = everything_in(plan.root)
    with pytest.raises(ConfigurationError, match="nothing was written"):
        carry_out(plan)
    assert everything_in(plan.root) == before


def test_a_disk_that_fails_at_the_last_file_leaves_all_as_it_was(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything_in(plan.root)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "routes.py")

    monkeypatch.setattr(Path, "chmod", full)
    with pytest.raises(ConfigurationError, match=r"routes\.py cannot be written: No space left on device; nothing was written"):
        carry_out(plan)
    monkeypatch.undo()
    assert everything_in(plan.root) == before


def test_a_full_disk_is_told_with_the_file_that_it_had_no_room_for(plan: Plan) -> None:
    """write(2), EFBIG: like ENOSPC it comes with no name of a file."""
    before = everything_in(plan.root)
    plan.create(Path("app/large.py"), "x" * 2_000_000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, limits[1]))
    try:
        with pytest.raises(ConfigurationError, match=r"^app/large\.py cannot be written: File too large; nothing was written"):
            carry_out(plan)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert everything_in(plan.root) == before


def test_what_was_changed_already_comes_back_without_room_for_a_byte(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """rename(2) writes no data, so a disk that is full by then empties no file."""
    (plan.root / "second.py").write_text("old\n")
    plan.change(Path("second.py"), "changed\n")
    before, file = everything_in(plan.root), (plan.root / "routes.py").stat()
    real = Path.replace

    def fill_the_disk(self: Path, target: Path) -> Path:
        if target.name == "second.py":
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(Path, "replace", fill_the_disk)
    try:
        with pytest.raises(ConfigurationError, match=r"^second\.py cannot be written"):
            carry_out(plan)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert everything_in(plan.root) == before
    assert (plan.root / "routes.py").stat().st_ino == file.st_ino


def test_a_folder_that_cannot_be_made_leaves_none_of_those_above_it(tmp_path: Path) -> None:
    """mkdir(2), ENAMETOOLONG."""
    plan = Plan(tmp_path)
    plan.create(Path("a/b") / ("x" * 300) / "new.py", "new\n")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        carry_out(plan)
    assert everything_in(tmp_path) == {}


def test_a_form_feed_ends_no_line_of_the_patch(tmp_path: Path) -> None:
    """git-apply(1) reads lines that end in a line feed."""
    (tmp_path / "routes.py").write_text("# a\x0cb\u2028c\nold\n")
    plan = Plan(tmp_path)
    plan.change(Path("routes.py"), "# a\x0cb\u2028c\nnew\n")
    assert plan.patch().endswith("@@ -1,2 +1,2 @@\n # a\x0cb\u2028c\n-old\n+new\n")


def test_a_folder_that_leads_out_of_the_application_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "app").symlink_to(tmp_path / "elsewhere")
    plan = Plan(tmp_path / "shop")
    plan.create(Path("app/new.py"), "new\n")
    with pytest.raises(ConfigurationError, match="leads out of"):
        carry_out(plan)
    assert everything_in(tmp_path / "elsewhere") == {}


def test_a_changed_file_keeps_its_mode_and_its_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "run.py"
    file.write_bytes(b"one\r\n")
    file.chmod(0o750)
    plan = Plan(tmp_path)
    plan.change(Path("run.py"), plan.read(Path("run.py")) + "two\r\n")
    carry_out(plan)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"one\r\ntwo\r\n", 0o750)


def test_what_several_need_is_made_once(tmp_path: Path) -> None:
    plan = Plan(tmp_path)
    plan.provide(Path("base.py"), "one\n")
    plan.provide(Path("base.py"), "two\n")
    plan.change(Path("base.py"), "three\n")
    assert (plan.created, plan.changed) == ({Path("base.py"): "three\n"}, {})


def test_a_dry_run_is_a_patch(plan: Plan) -> None:
    assert plan.patch().splitlines()[:4] == ["--- /dev/null", "+++ b/app/deep/new.py", "@@ -0,0 +1 @@", "+new"]
    assert plan.patch().splitlines()[4:] == ["--- a/routes.py", "+++ b/routes.py", "@@ -1 +1 @@", "-old", "+changed"]
    assert everything_in(plan.root) == {"routes.py": "old\n"}
