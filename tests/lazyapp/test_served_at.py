"""lazyapp/served_at.py: where a run answers, for other processes."""

from pathlib import Path

from lazyapp.served_at import origin_of, served_at, telling_where
from lazyapp.settings import Settings

ORIGIN = "http://localhost:3307"


def test_the_address_is_known_while_it_is_served(tmp_path: Path) -> None:
    """docs/commands.md, "Connect"."""
    assert served_at(tmp_path) is None
    with telling_where(tmp_path, ORIGIN):
        assert served_at(tmp_path) == ORIGIN
        assert origin_of(Settings(env="development", root=tmp_path)) == ORIGIN
        with telling_where(tmp_path, "http://localhost:1"):
            assert served_at(tmp_path) == ORIGIN
        assert served_at(tmp_path) == ORIGIN
    assert list((tmp_path / ".lazyapp").iterdir()) == []


def test_the_address_of_a_run_that_is_gone_is_not_believed(tmp_path: Path) -> None:
    """A run that was killed removes nothing."""
    (tmp_path / ".lazyapp").mkdir()
    (tmp_path / ".lazyapp" / "served-at").write_text(ORIGIN)
    assert served_at(tmp_path) is None
    assert origin_of(Settings(env="development", root=tmp_path)) == "http://localhost:3000"


def test_a_folder_that_takes_no_file_is_served_all_the_same(tmp_path: Path) -> None:
    (tmp_path / ".lazyapp").write_text("no folder")
    with telling_where(tmp_path, ORIGIN):
        assert served_at(tmp_path) is None
