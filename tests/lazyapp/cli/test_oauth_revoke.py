"""`lazyapp oauth revoke`: one login, or all of a user's."""

from pathlib import Path

from tests.lazyapp.cli.test_oauth_families import logged_in
from tests.lazyapp.tiny_app import run


def test_one_login_is_ended_once_and_the_others_go_on(tmp_path: Path) -> None:
    app, settings, (first, second) = logged_in(tmp_path, "ada", "ada")
    ended = run(app, "oauth", "revoke", first, **settings)
    assert (ended.returncode, ended.stdout) == (0, f"Ended {first}.\n"), ended.stderr
    again = run(app, "oauth", "revoke", first, **settings)
    assert (again.returncode, "is no login that goes on" in again.stdout) == (1, True)
    left = run(app, "oauth", "families", **settings).stdout
    assert (first in left, second in left) == (False, True)


def test_every_login_of_a_user_is_ended_and_nobody_elses(tmp_path: Path) -> None:
    app, settings, families = logged_in(tmp_path, "ada", "bob", "ada")
    assert run(app, "oauth", "revoke", "--user", "ada", **settings).stdout == "Ended 2 logins of ada.\n"
    assert families[1] in run(app, "oauth", "families", **settings).stdout


def test_what_to_end_must_be_named_once(tmp_path: Path) -> None:
    for arguments in ((), ("a-family", "--user", "ada")):
        told = run(tmp_path, "oauth", "revoke", *arguments)
        assert (told.returncode, told.stderr.count("lazyapp oauth revoke FAMILY")) == (2, 1)
