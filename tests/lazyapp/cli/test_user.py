"""`lazyapp user`: looks after users whom another process serves."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.lazyapp.tiny_app import PATIENCE_S, environment, write_app

SQL_APP = """
import lazyapp
import lazyauth

app = lazyapp.App(
    lazyapp.Config(
        name="people",
        dependencies=lambda services: services.add(lazyauth.SQLUsers, lazyauth.SQLUsers),
        auth=lambda ctx: ctx.get(lazyauth.SQLUsers),
    )
)
"""
FILE_APP = """
import lazyapp
import lazyauth

def auth(ctx):
    return lazyauth.Config(authenticator=lazyauth.FileUsers(ctx.settings.root / "users.jsonl"))


app = lazyapp.App(lazyapp.Config(name="people", auth=auth))
"""
MODULES_APP = """
import lazyapp
import lazyauth
import lazymcp

class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    def count(self) -> int:
        '''Count notes.'''
        return 0

def auth(ctx):
    return lazyauth.FileUsers(ctx.settings.root / "users.jsonl")

def mcp(ctx, scope):
    scope.register(NotesMCP())


app = lazyapp.App(lazyapp.Config(name="people", auth=auth, mcp=mcp))
"""
MEMORY_APP = 'import lazyapp\napp = lazyapp.App(lazyapp.Config(name="people"))\n'
TYPED = "correct horse\n"


#: Several commands in one process, which is as long as one takes to start.
COMMANDS = """
import contextlib, io, json, sys
from lazyapp.cli import main

asked, results = json.load(sys.stdin), []
for arguments, typed in asked:
    sys.argv, sys.stdin = ["lazyapp", "user", *arguments], io.StringIO(typed)
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    results.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(results))
"""


def run_user(folder: Path, *asked: tuple[list[str], str]) -> list[tuple[int, str, str]]:
    """Exit code, stdout and stderr of each command; each is its arguments after `lazyapp user`, and what stdin holds."""
    command = [sys.executable, "-c", COMMANDS]
    text = json.dumps(asked)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        input=text,
    )
    assert done.returncode == 0, done.stderr
    return [(code, out, err) for code, out, err in json.loads(done.stdout)]


@pytest.mark.parametrize("text", [SQL_APP, FILE_APP], ids=["sql", "file"])
def test_users_are_added_listed_changed_and_removed(tmp_path: Path, text: str) -> None:
    """Design 7: user (add, password, list); issue 4 adds disable."""
    results = run_user(
        write_app(tmp_path, text),
        (["add", "ada", "--mcps", "admin,reports", "--data", '{"tenant": 7}', "--password-stdin"], TYPED),
        (["add", "ada", "--password-stdin"], TYPED),
        (["mcps", "ada", "*"], ""),
        (["disable", "ada"], ""),
        (["list", "--json"], ""),
        (["enable", "ada"], ""),
        (["password", "ada", "--password-stdin"], "battery staple\n"),
        (["list"], ""),
        (["remove", "ada"], ""),
        (["list"], ""),
        (["disable", "ada"], ""),
        (["add", "ada", "--password-stdin"], "short\n"),
        (["add", " ", "--password-stdin"], TYPED),
        (["add", "ada"], TYPED),
        (["add", "ada", "--data", "[]", "--password-stdin"], TYPED),
    )
    # Not a word of a file that is not there yet: this command makes it.
    unknown = "This application has no MCP module 'admin' or 'reports'; it has none.\n"
    assert results[0] == (0, "Added ada.\n", unknown), results
    assert results[1][::2] == (2, "There is a user 'ada' already.\n")
    assert results[2][1] == "ada may use *.\n"
    assert results[3][1] == "ada is disabled; every login of theirs has ended.\n"
    listed = json.loads(results[4][1])
    assert [(one["id"], one["data"], one["disabled"]) for one in listed] == [("ada", {"tenant": 7, "mcps": ["*"]}, True)]
    assert "argon2" not in str(results)
    assert results[5][1] == "ada may sign in again.\n"
    assert results[6][1] == "ada has another password; every login of theirs has ended.\n"
    assert results[7][1].splitlines()[1].split() == ["ada", "active", "all"]
    assert results[8][0] == 0
    assert results[9][1] == "There are no users; `lazyapp user add ID` adds one.\n"
    sentences = [err for code, _, err in results[10:] if code == 2]
    assert sentences[:4] == [
        "There is no user 'ada'; `lazyapp user list` shows who there is.\n",
        "A password has at least 8 characters.\n",
        "A user needs an id that is not blank.\n",
        "There is no terminal to type a password at; give it with --password-stdin.\n",
    ]
    assert sentences[4].startswith("--data is no JSON object; write for example ")


def test_users_in_memory_cannot_be_looked_after_from_here(tmp_path: Path) -> None:
    ((code, out, err),) = run_user(write_app(tmp_path, MEMORY_APP), (["list"], ""))
    assert (code, out) == (2, "")
    assert "users are MemoryUsers, which no other process can change; give lazyapp.Config(auth=…) a lazyauth.SQLUsers" in err


def test_a_new_application_lists_its_first_user(tmp_path: Path) -> None:
    """docs/users.md: without users of its own it has one, whom `lazyapp serve` lets in; there is nobody to be changed from here."""
    folder = write_app(tmp_path, MEMORY_APP.replace('"people"', '"people", auth=lazyapp.first_user'))
    listed, as_json, refused = run_user(folder, (["list"], ""), (["list", "--json"], ""), (["disable", "admin"], ""))
    assert (listed[0], [line.split() for line in listed[1].splitlines()][1:]) == (0, [["admin", "active", "all"]])
    assert listed[2].startswith("To keep more than the first user, give lazyapp.Config(auth=…) a lazyauth.SQLUsers")
    assert [each["id"] for each in json.loads(as_json[1])] == ["admin"]
    assert (refused[0], "which no other process can change" in refused[2]) == (2, True)


def test_a_list_of_users_is_read_at_a_glance(tmp_path: Path) -> None:
    """Design 7: every reading command has `--json`, which stays as the users are kept; the table is for people."""
    folder = write_app(tmp_path, FILE_APP)
    (first,) = run_user(folder, (["list"], ""))
    assert first == (0, "There are no users; `lazyapp user add ID` adds one.\n", "")
    kept = {
        "ada": {"data": {"mcps": ["*"]}},
        "bob@example.com": {"data": {"mcps": ["notes", "admin"]}, "disabled": True},
        "cleo": {"data": {"mcps": []}},
        "dan": {},
    }
    hashed = "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$UvCXJm0ATzNQqBZxLPdUuxl9VQTLTrZkjlO1SUZSp/0"
    lines = [json.dumps({"id": name, "password_hash": hashed, **more}) for name, more in kept.items()]
    (folder / "users.jsonl").write_text("\n".join(lines))
    (folder / "users.jsonl").chmod(0o600)
    table, text = run_user(folder, (["list"], ""), (["list", "--json"], ""))
    assert table[1].splitlines() == [
        "USER             STATE     MCP MODULES",
        "ada              active    all",
        "bob@example.com  disabled  notes, admin",
        "cleo             active    none",
        "dan              active    none",
    ]
    assert [one["data"] for one in json.loads(text[1])] == [more.get("data", {}) for more in kept.values()]


def test_a_module_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    """What is mistyped opens nothing, and the user would find that out at their AI client."""
    folder = write_app(tmp_path, MODULES_APP)
    added, changed, right = run_user(
        folder,
        (["add", "ada", "--mcps", "notes,typo", "--password-stdin"], TYPED),
        (["mcps", "ada", "nots"], ""),
        (["mcps", "ada", "*, notes"], ""),
    )
    assert added == (0, "Added ada.\n", "This application has no MCP module 'typo'; it has notes.\n")
    assert changed[::2] == (0, "This application has no MCP module 'nots'; it has notes.\n")
    assert right[::2] == (0, "")


def test_a_bad_line_of_the_file_is_named(tmp_path: Path) -> None:
    folder = write_app(tmp_path, FILE_APP)
    (folder / "users.jsonl").write_text("# people\nada: secret\n")
    ((code, _, err),) = run_user(folder, (["list"], ""))
    assert code == 1
    assert "users.jsonl:2: this is no JSON object" in err
    assert "secret" not in err


def test_a_password_is_typed_twice_and_not_shown(tmp_path: Path) -> None:
    folder = write_app(tmp_path, FILE_APP)
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "lazyapp", "user", "add", "ada"]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    said, deadline = b"", time.monotonic() + PATIENCE_S
    answers = [b"Password", b"confirmation"]
    while time.monotonic() < deadline:
        # The prompt is printed before the echo is switched off; what is typed in between would be shown, and dropped.
        if answers and answers[0] in said and not termios.tcgetattr(master)[3] & termios.ECHO:
            answers.pop(0)
            os.write(master, TYPED.encode())
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            said += os.read(master, 4_096)
        except OSError:  # the other side is closed
            break
    os.close(master)
    assert process.wait(PATIENCE_S) == 0, said
    assert b"Added ada." in said
    assert b"correct horse" not in said
    assert json.loads((folder / "users.jsonl").read_text())["id"] == "ada"
