"""`lazyapp serve`: what the command itself adds to the supervisor."""

import socket
from pathlib import Path

import lazyapp
from tests.lazyapp.tiny_app import run, write_app


def test_a_port_in_use_ends_with_2_and_a_free_one(tmp_path: Path) -> None:
    """Design 7: one sentence that says what to type. Another package called `init` is named before it."""
    ours, theirs = write_app(tmp_path / "ours"), write_app(tmp_path / "theirs")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(ours, "serve", "--port", str(port), PYTHONPATH=str(theirs))
    assert (result.returncode, result.stdout) == (2, "")
    *warnings, sentence = result.stderr.splitlines()
    assert any(line.startswith(f"  There is another init in {theirs}; those of {ours} are used. ") for line in warnings)
    assert sentence.startswith(f"Port {port} is in use; stop what serves there, or run `lazyapp serve --port ")


def test_a_port_in_use_is_one_sentence_in_the_checkout_too() -> None:
    """There the framework's own files stand below the application's folder, and are not the developer's all the same."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(Path(lazyapp.__file__).parent.parent, "serve", "--port", str(port))
    assert (result.returncode, result.stdout) == (2, "")
    [sentence] = result.stderr.splitlines()
    assert sentence.startswith(f"Port {port} is in use; ")


def test_several_workers_without_production_are_refused(tmp_path: Path) -> None:
    result = run(write_app(tmp_path), "serve", "--workers", "2")
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].endswith("run `lazyapp serve --production --workers 2`.")
