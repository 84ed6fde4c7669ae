"""What is said to somebody who typed a command line that cannot be run: one sentence, with what to type."""

from collections.abc import Sequence
from typing import Any

from lazyapp.cli.examples import examples, words


def sentence(error: Any, root: Any, typed: Sequence[str]) -> str:
    """The sentence for an error of typer.

    Args:
        error: its UsageError.
        root: the command `lazyapp`.
        typed: the words after `lazyapp`.
    """
    message = str(error.format_message()).rstrip(".")
    if message.startswith("Usage:"):  # a group without a command: its help is the answer
        return message + "."
    path, command = _meant(error, root, typed)
    if (wrong := getattr(error, "option_name", None)) and message.startswith("No such option"):
        near = [name for name in _options(command) if name.startswith(wrong) and len(wrong) > 2] or (error.possibilities or [])[:1]
        advice = f"did you mean {' or '.join(near)}?" if near else f"`{path} --help` lists them."
        return f"`{path}` has no option {wrong}; {advice}"
    return f"{message}; type {_example(command, message)}`{path} --help` for more."


def _example(command: Any, message: str) -> str:
    """The first example that has the option in it of which the message speaks, else the first."""
    shown = examples(command.help)
    apt = [line for line in shown if any(name in message and name in words(line) for name in _options(command))]
    return f"`{(apt or shown)[0]}`, or " if shown else ""


def _meant(error: Any, root: Any, typed: Sequence[str]) -> tuple[str, Any]:
    """The command that is at fault, with its whole name; typer tells it of some errors only."""
    if error.ctx is not None:
        return error.ctx.command_path, error.ctx.command
    path, command = ["lazyapp"], root
    for word in typed:
        found = (
            command.get_command(None, word) if hasattr(command, "list_commands") and word in command.list_commands(None) else None
        )
        if found is None:
            break
        path.append(word)
        command = found
    return " ".join(path), command


def _options(command: Any) -> list[str]:
    return [name for parameter in command.params for name in parameter.opts if name.startswith("-")]
