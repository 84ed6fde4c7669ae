"""Pages as a person sees them: in Chromium, through Node and playwright-core, judged by axe-core.

`pages_axe.mjs` does the driving. Three looks of every judged page: light and wide, dark on a telephone, and light at 320 pixels
(WCAG 2.2, 1.4.10).
"""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.flows.node import answer_of, packages
from tests.lazymcp.chromium import find_chromium

PACKAGES = ("axe-core@4.14.1", "playwright-core@1.65.1")
SCRIPT = Path(__file__).with_name("pages_axe.mjs")
RUN_TIMEOUT_S = 300

Acts = Sequence[tuple[str, str]]
Visit = Mapping[str, Any]
Seen = Mapping[str, Any]


def visit(name: str, path: str, *acts: tuple[str, str], judged: bool = True, javascript: bool = True) -> Visit:
    """What a person does from a path on, and whether what they see then is judged.

    Args:
        name: of the visit, and of its screenshots.
        path: the page they begin at.
        acts: what they do: an act of `pages_axe.mjs` and its value.
        judged: by axe-core, which is a script itself and so needs them.
        javascript: whether scripts run.
    """
    return {"name": name, "path": path, "acts": acts, "judged": judged, "javascript": javascript}


async def look(cache: pytest.Cache, folder: Path, origin: str, visits: Sequence[Visit]) -> list[dict[str, Any]]:
    """Everything that the browser saw, for each visit.

    `LAZYAPP_TEST_SHOTS` names a folder for screenshots, for whoever wants to look too.
    """
    chromium = find_chromium()
    node, installed = packages(cache, PACKAGES)
    shutil.copy(SCRIPT, installed)
    job = folder / "job.json"
    shots = os.environ.get("LAZYAPP_TEST_SHOTS")
    job.write_text(json.dumps({"chromium": chromium, "origin": origin, "visits": visits, "shots": shots}))
    seen: list[dict[str, Any]] = await answer_of(node, installed / SCRIPT.name, str(job), timeout_s=RUN_TIMEOUT_S)
    return seen


def clean(seen: Sequence[Seen]) -> Mapping[str, str]:
    """No violation of axe's rules, no word on the console, nothing wider than the screen; gives the text of each page."""
    for page in seen:
        told = "\n".join([*page["faults"], *page["said"]])
        assert not told, f"{page['name']}:\n{told}"
    return {page["name"]: page["text"] for page in seen}
