"""`lazyapp oauth`: what it lists."""

from pathlib import Path

from tests.lazyapp.tiny_app import run


def test_its_commands_are_listed(tmp_path: Path) -> None:
    listed = run(tmp_path, "oauth", "--help").stdout
    assert [name for name in ("doctor", "families", "revoke") if f"\n  {name}" not in listed] == []
