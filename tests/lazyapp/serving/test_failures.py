"""Errors as a person at a terminal reads them."""

import sys
from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError, StartupError
from lazyapp.serving.failures import describe, exit_code, is_given


def raised_in(folder: Path, text: str) -> BaseException:
    """What a file of the application raises when it runs."""
    file = folder / "init" / "app.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    try:
        exec(compile(text, str(file), "exec"), {})
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def test_a_known_error_is_its_sentence(tmp_path: Path) -> None:
    assert describe(ConfigurationError("PORT should be a number."), tmp_path) == "PORT should be a number."


def test_a_failed_step_shows_the_line_that_failed(tmp_path: Path) -> None:
    """The step is the framework's word, the line the developer's."""
    cause = raised_in(tmp_path, "def opened():\n    raise OSError('no route')\n\nopened()\n")
    error = StartupError("service Accounts", "no route")
    error.__cause__ = cause
    assert describe(error, tmp_path).splitlines() == [
        "service Accounts: no route",
        "init/app.py:4 in <module>",
        "    opened()",
        "init/app.py:2 in opened",
        "    raise OSError('no route')",
    ]


def test_a_failed_step_shows_the_line_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own message names the file without its folder, and every module of MCP is an `__init__.py`."""
    broken = tmp_path / "shop_of_a_test" / "__init__.py"
    broken.parent.mkdir()
    broken.write_text("ready = 1\n\nready = (\n")
    monkeypatch.syspath_prepend(tmp_path)
    error = StartupError("mcp", "'(' was never closed (__init__.py, line 3)")
    error.__cause__ = raised_in(tmp_path, "import shop_of_a_test\n")
    assert describe(error, tmp_path).splitlines() == [
        "mcp: '(' was never closed (__init__.py, line 3)",
        "init/app.py:1 in <module>",
        "    import shop_of_a_test",
        "shop_of_a_test/__init__.py:3",
        "    ready = (",
    ]


def test_frames_of_others_are_left_out(tmp_path: Path) -> None:
    error = raised_in(tmp_path, "import json\njson.loads('{')\n")
    assert describe(error, tmp_path).splitlines() == [
        "init/app.py:2 in <module>",
        "    json.loads('{')",
        "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ]


def test_an_error_without_lines_of_the_application_shows_the_last_frame(tmp_path: Path) -> None:
    error = raised_in(tmp_path, "import json\njson.loads('{')\n")
    elsewhere = tmp_path / "elsewhere"
    lines = describe(error, elsewhere).splitlines()
    assert len(lines) == 3
    assert "json/decoder.py" in lines[0]


def test_a_syntax_error_points_at_its_place(tmp_path: Path) -> None:
    file = tmp_path / "routes.py"
    try:
        compile("def draw(:\n", str(file), "exec")
    except SyntaxError as error:
        lines = describe(error, tmp_path).splitlines()
    assert lines[0].strip() == f'File "{file}", line 1'
    assert lines[-1] == "SyntaxError: invalid syntax"
    assert "^" in lines[-2]


def test_a_group_of_one_is_that_one(tmp_path: Path) -> None:
    group = ExceptionGroup("unhandled errors in a TaskGroup", [ConfigurationError("SECRET_KEY is not set.")])
    assert describe(group, tmp_path) == "SECRET_KEY is not set."
    assert exit_code(group) == 2


@pytest.mark.parametrize(("error", "code"), [(ConfigurationError("x"), 2), (StartupError("x", "y"), 1), (ValueError("x"), 1)])
def test_a_wrong_setting_is_misuse_and_all_else_failure(error: Exception, code: int) -> None:
    """Design 7."""
    assert exit_code(error) == code


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (ConfigurationError("DATABASE_URL cannot be read; write …"), True),
        (ExceptionGroup("of one", [ConfigurationError("LAZYOAUTH_LIMITS: …")]), False),  # it stands in .env, where it can be mended
        (ConfigurationError("Config(name=…) is empty; …"), False),
        (ConfigurationError("PUBLIC_URL …"), False),
        (StartupError("mcp", "DATABASE_URL …"), False),
    ],
)
def test_a_wrong_setting_that_the_environment_gives_is_told_from_what_a_file_mends(error: Exception, found: bool) -> None:
    assert is_given(error, {"DATABASE_URL": "nonsense", "PUBLIC_URL": "http://localhost:3000"}) is found


def test_a_virtualenv_inside_the_application_is_not_the_application(tmp_path: Path) -> None:
    folder = tmp_path / "env" / "site-packages"
    folder.mkdir(parents=True)
    (folder / "thirdparty_of_a_test.py").write_text("def fail():\n    raise ValueError('theirs')\n")
    sys.path.insert(0, str(folder))
    try:
        error = raised_in(tmp_path, "import thirdparty_of_a_test\nthirdparty_of_a_test.fail()\n")
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("thirdparty_of_a_test", None)
    assert describe(error, tmp_path).splitlines()[:-1] == ["init/app.py:2 in <module>", "    thirdparty_of_a_test.fail()"]
