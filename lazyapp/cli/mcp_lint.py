"""`lazyapp mcp lint`."""

import asyncio
import os
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from lazyapp.cli.group import make
from lazyapp.cli.process import result_alone, width_of_stdout

command = make()

_WIDTH = 100


@command.command()
def lint(
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 for warnings too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Judge what models and clients see: names, descriptions, schemas, hints, sizes. Opens nothing, needs no database.

    Exit code 1 when something is an error: some client refuses it. docs/commands.md tells the rules and how the score is counted.

    \b
    Examples:
      lazyapp mcp lint
      lazyapp mcp lint --strict --json
    """  # \b keeps the lines of the help as they are
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    width = width_of_stdout()
    with result_alone() as write:
        app = location.load(location.enter())
        scope = asyncio.run(app.declared_mcp())
        from lazyapp.mcp_lint.lint import lint as judged

        report = judged(scope)
        write(_json(report) if as_json else "\n".join(told(report, width or _WIDTH)))
    raise typer.Exit(1 if report.count("error") or (strict and report.count("warning")) else 0)


def told(report: Any, width: int) -> Iterator[str]:
    """The report as lines: a paragraph for each finding, and the score."""
    for finding in report.findings:
        rule = finding.rule
        yield f"{finding.place}: {rule.severity} {rule.id}"
        yield from _wrapped(f"{finding.item}: {finding.said}." if finding.item else f"{finding.said}.", width)
        yield from _wrapped(f"{rule.why}.", width)
        yield f"    {rule.source}"
        yield from _wrapped(f"{rule.advice[:1].upper()}{rule.advice[1:]}.", width)
        yield ""
    counts = [_counted(report.count(severity), severity) for severity in ("error", "warning", "notice")]
    yield f"Score {report.score} of 100 · {', '.join(counts)} · {_counted(len(report.items), 'item')}, about {report.tokens} tokens"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def _counted(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _json(report: Any) -> str:
    from lazyapp.mcp_client.shown import as_json

    findings = [
        {
            "rule": finding.rule.id,
            "severity": finding.rule.severity,
            "item": finding.item,
            "place": finding.place,
            "found": finding.said,
            "why": finding.rule.why,
            "source": finding.rule.source,
            "advice": finding.rule.advice,
        }
        for finding in report.findings
    ]
    return as_json({"score": report.score, "tokens": report.tokens, "items": len(report.items), "findings": findings})
