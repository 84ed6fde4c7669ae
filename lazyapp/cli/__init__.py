"""The command line. `main` is what the `lazyapp` script runs; each command is a module here, imported when it is run."""

import gc
import sys


def main() -> None:
    """Run the command in `sys.argv`; ends the process.

    Nothing is collected until a command that goes on for long says so: what a start makes is in use, and walking it again and
    again is a fifth of the time until a local process answers.
    """
    gc.disable()
    try:
        from lazyapp.cli.commands import answered

        if (code := answered(sys.argv[1:])) is not None:
            sys.exit(code)
        from lazyapp.cli.root import run

        run()
    finally:
        gc.enable()
