"""The command line. `main` is what the `lazyapp` script runs; each command is a module here, imported when it is run."""


def main() -> None:
    """Run the command in `sys.argv`; ends the process."""
    from lazyapp.cli.root import run

    run()
