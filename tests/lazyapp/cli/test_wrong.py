"""What a command line that cannot be run is answered with."""

from pathlib import Path

import pytest

from tests.lazyapp.tiny_app import run


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("serve --prt 1", "`lazyapp serve` has no option --prt; did you mean --port?"),
        ("new shop --without", "`lazyapp new` has no option --without; did you mean --without-mcp or --without-oauth?"),
        ("new -x", "`lazyapp new` has no option -x; `lazyapp new --help` lists them."),
        ("--verison", "`lazyapp` has no option --verison; did you mean --version?"),
        ("user ad", "`lazyapp user ad` is no command; did you mean `lazyapp user add`?"),
        ("new", "Missing argument 'NAME'; type `lazyapp new shop`, or `lazyapp new --help` for more."),
        ("new shop 2", "Got unexpected extra argument(s) (2); type `lazyapp new shop`, or `lazyapp new --help` for more."),
        ("routes --json=1", "Option '--json' does not take a value; type `lazyapp routes --json | jq .mcp`, or "),
        ("serve --port", "Option '--port' requires an argument; type `lazyapp serve --port 8000 --no-reload`, or "),
        ("serve --port x", "Invalid value for '--port': Input should be a valid integer, "),
        (
            "user add ada --mcps",
            "requires an argument; type `lazyapp user add ada --mcps admin,reports`, or `lazyapp user add --help`",
        ),
    ],
)
def test_it_is_one_sentence_that_says_what_to_type(typed: str, answer: str, tmp_path: Path) -> None:
    """Design 7: a wrong command or setting ends with exit code 2 and one sentence that says what to type."""
    done = run(tmp_path, *typed.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert answer in done.stderr
    assert done.stderr.count("\n") == 1
