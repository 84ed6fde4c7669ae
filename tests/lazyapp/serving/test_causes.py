"""Errors of a start, on their way over the link."""

import json
from dataclasses import asdict

from lazyapp.serving.causes import Cause, Place, decode_causes


def test_a_chain_arrives_as_it_was_sent() -> None:
    chain = (Cause("StartupError", "mcp: no"), Cause("NameError", "x", (Place("init/app.py", 3, "f", ((2, ""), (3, "x"))),)))
    assert decode_causes(json.loads(json.dumps([asdict(cause) for cause in chain]))) == chain
