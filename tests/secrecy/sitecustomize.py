"""Makes a served process talk: Python imports this at its start when this folder is on PYTHONPATH (see `ledger.talkative`).

The root logger stays at DEBUG whatever the server configures, which is what an operator does who looks for an error; and what
crosses the wire of the application is written to the file that `SECRETS_SEEN` names.
"""

import importlib.util
import json
import logging
import logging.config
import os
import sys
from pathlib import Path
from typing import Any

configure = logging.config.dictConfig
is_open = False


def talk(table: Any) -> None:
    """The moment when a serving process sets up its logging: the application is loaded, and no request has come yet."""
    configure(table)
    logging.getLogger().setLevel(logging.DEBUG)
    open_eyes()


def open_eyes() -> None:
    global is_open
    if is_open or "lazyapp.app" not in sys.modules:
        return
    is_open = True
    file = os.open(os.environ["SECRETS_SEEN"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    spec = importlib.util.spec_from_file_location("secrets_crossing", Path(__file__).with_name("crossing.py"))
    assert spec is not None
    assert spec.loader is not None
    crossing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(crossing)

    def keep(kind: str, secret: str) -> None:
        # One write, at once: this process may be killed at any moment.
        os.write(file, (json.dumps([kind, secret]) + "\n").encode())

    crossing.watch(sys.modules["lazyapp.app"].App, keep)


if "SECRETS_SEEN" in os.environ:
    logging.config.dictConfig = talk
