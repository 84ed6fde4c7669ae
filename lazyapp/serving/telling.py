"""What a run says on its terminal."""

import sys
import time
from typing import TextIO

from lazyapp.serving.banner import render, wants_colour, width_of
from lazyapp.serving.link import Failed, Report
from lazyapp.serving.serve import Plan


def show(plan: Plan, report: Report, since: float | None) -> None:
    """How a start went: the banner, the time since a change, or what is wrong.

    Args:
        plan: what is served.
        report: how it went.
        since: when the change was noticed that called for the start, by `time.monotonic`; None: it is the first of the run.
    """
    if isinstance(report, Failed):
        say(report.text, sys.stderr)
    elif since is None:
        print(render(plan.run, report, colour=wants_colour(sys.stdout), width=width_of(sys.stdout)), flush=True)
    else:
        say(f"Ready again in {time.monotonic() - since:.1f} s.")


def say(text: str, to: TextIO | None = None) -> None:
    """Lines, indented as all that a run says."""
    print("\n".join("  " + line for line in text.splitlines()), file=to or sys.stdout, flush=True)
