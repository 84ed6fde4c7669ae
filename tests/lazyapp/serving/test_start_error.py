"""Errors that kept an application from starting, as a developer is told of them."""

import runpy
from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.serving.causes import Cause, Place
from lazyapp.serving.start_error import causes_of
from lazyapp.settings import Settings
from lazyview import Views

SECRET = "correct-horse-battery"


def raised(path: Path, text: str) -> BaseException:
    path.write_text(text)
    with pytest.raises(BaseException) as caught:  # whatever it is
        runpy.run_path(str(path))
    return caught.value


def test_a_chain_is_told_with_the_applications_own_lines(tmp_path: Path) -> None:
    text = "def open_it():\n    raise OSError('away')\n\ntry:\n    open_it()\n"
    text += "except OSError as error:\n    raise RuntimeError('no') from error\n"
    outer, inner = causes_of(raised(tmp_path / "app.py", text), tmp_path)
    assert (outer.kind, outer.message, inner.kind, inner.message) == ("RuntimeError", "no", "OSError", "away")
    assert [(place.file, place.line, place.within) for place in inner.places] == [("app.py", 2, "open_it"), ("app.py", 5, "")]
    assert (2, "    raise OSError('away')") in inner.places[0].lines


def test_a_file_that_python_does_not_understand_is_shown_where_it_stopped(tmp_path: Path) -> None:
    [cause] = causes_of(raised(tmp_path / "app.py", "x = 1\ny = = 2\n"), tmp_path)
    assert cause.kind == "SyntaxError"
    assert cause.places[0] == Place("app.py", 2, "", ((1, "x = 1"), (2, "y = = 2")))


def test_a_template_is_shown_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "page.html.j2").write_text("<p>\n{% if %}\n")
    with pytest.raises(Exception, match=r"page\.html\.j2") as caught:
        Views([tmp_path]).compile()
    place = causes_of(caught.value, tmp_path)[0].places[0]
    assert (place.file.rpartition("/")[2], place.line) == ("page.html.j2", 2)
    assert (2, "{% if %}") in [(number, text.strip()) for number, text in place.lines]


def test_a_wrong_setting_is_a_sentence() -> None:
    assert causes_of(ExceptionGroup("", [ConfigurationError("Set X.")]), Path("/shop")) == (Cause("", "Set X."),)


def test_no_secret_is_told_wherever_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/development.md: secrets of the environment, of `.env` and in addresses are masked, in messages and in lines of code."""
    monkeypatch.setenv("SECRET_KEY", "k3y-of-the-house")
    monkeypatch.setenv("SHOP_API_KEY", "short")
    (tmp_path / ".env").write_text(f"STRIPE_TOKEN={SECRET}\n")
    text = f"raise RuntimeError('{SECRET} k3y-of-the-house postgresql://ada:hush@db/shop')\n"
    told = repr(causes_of(raised(tmp_path / "app.py", text), tmp_path))
    for secret in (SECRET, "k3y-of-the-house", "hush"):
        assert secret not in told
    assert "postgresql://ada:" in told


def test_a_secret_is_masked_in_each_place_that_gives_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment goes before `.env`, and both before it: what is in force is among them, whichever it is."""
    monkeypatch.setenv("SECRET_KEY", "k3y-of-the-house")
    monkeypatch.setenv("LAZYAPP_ENV", "test")
    (tmp_path / ".env").write_text("secret_key=k3y-of-the-barn\nShop_Token=t0ken-in-any-case\n")
    (tmp_path / ".env.test").write_text("SECRET_KEY=k3y-of-the-shed\n")
    text = "raise RuntimeError('k3y-of-the-house k3y-of-the-barn k3y-of-the-shed t0ken-in-any-case')\n"
    told = repr(causes_of(raised(tmp_path / "app.py", text), tmp_path))
    for secret in ("house", "barn", "shed", "t0ken"):
        assert secret not in told


def test_an_env_file_that_is_no_text_is_told_as_the_settings_tell_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence that says so must not be lost over reading the file again."""
    monkeypatch.delenv("LAZYAPP_ENV", raising=False)
    (tmp_path / ".env").write_bytes(b"SECRET_KEY=\xff\xfe\n")
    with pytest.raises(ConfigurationError) as refused:
        Settings.load(tmp_path)
    [cause] = causes_of(refused.value, tmp_path)
    assert "is not text in UTF-8" in cause.message
