"""The development page for an error: what was raised and where, the application's own lines first. Everything is escaped."""

from collections.abc import Sequence

from markupsafe import Markup

from lazyapp.debug_report import Frame, Report, Template, Told

_STYLE = Markup(
    ":root{color-scheme:light dark;--paper:#fbfbf8;--card:#fff;--ink:#1b1f1d;--soft:#5c6561;--line:#e1e4de;"
    "--wrong:#a8241c;--mark:#fbe9b0}"
    "@media(prefers-color-scheme:dark){:root{--paper:#131614;--card:#1b1f1d;--ink:#e7eae6;--soft:#9ba49f;--line:#2e3431;"
    "--wrong:#ff9a90;--mark:#4a3d16}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:62rem;padding:2rem 1.25rem 4rem;background:var(--paper);color:var(--ink);"
    "font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}"
    "code,pre,.message,textarea{font-family:ui-monospace,'SF Mono',Menlo,Consolas,monospace;font-size:.875rem}"
    "p{margin:.5rem 0}.request{color:var(--soft)}"
    "h1,h2{margin:0;font-size:1.75rem;line-height:1.2;letter-spacing:-.02em;color:var(--wrong)}"
    "h2{margin-top:3rem;padding-top:2rem;border-top:1px solid var(--line);font-size:1.25rem}"
    ".message{font-size:1.0625rem;white-space:pre-wrap}"
    ".place{margin:1.75rem 0 .5rem;color:var(--soft)}.place code:first-child{color:var(--ink);font-weight:600}"
    "pre{margin:0;overflow-x:auto;padding:.75rem 0;border:1px solid var(--line);border-radius:.625rem;background:var(--card);"
    "line-height:1.6}pre span,pre mark{display:block;width:max-content;min-width:100%;padding:0 1rem;white-space:pre}"
    "pre mark{background:var(--mark);color:inherit}"
    "details{margin-top:1.25rem}summary{cursor:pointer;color:var(--soft)}"
    "table{width:100%;margin-top:.5rem;border-collapse:collapse;font-size:.875rem}"
    "th,td{padding:.4rem 1rem .4rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}"
    "th{width:12rem;color:var(--soft);font-weight:500}"
    "textarea{width:100%;height:14rem;margin-top:.5rem;padding:.75rem;border:1px solid var(--line);border-radius:.625rem;"
    "background:var(--card);color:inherit}"
    "button{min-height:2.25rem;margin-top:.75rem;padding:.25rem 1rem;border:1px solid var(--soft);border-radius:.5rem;"
    "background:transparent;color:inherit;font:inherit;cursor:pointer}"
    "a{color:inherit}:focus-visible{outline:2px solid var(--wrong);outline-offset:2px}"
    "@media(max-width:40rem){h1{font-size:1.5rem}th{width:8rem}}"
)
_HEAD = Markup(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{}</title>\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<style nonce="{}">{}</style>\n'
    "</head>\n<body>\n<main>\n"
)
# Without scripts the text can be marked and copied by hand; the button comes with the script.
_COPY = Markup(
    '<script nonce="{}">\n'
    'const text = document.getElementById("markdown"), button = document.createElement("button");\n'
    'button.textContent = "Copy as Markdown";\n'
    "button.onclick = async () => {{ await navigator.clipboard.writeText(text.value);"
    ' button.textContent = "Copied"; }};\n'
    'document.getElementById("request").after(button);\n</script>\n'
)


def debug_page(report: Report, nonce: str, *, kept_at: str = "") -> str:
    """A complete page about one error.

    Args:
        report: what is known about it.
        nonce: allows the page's style and script under our content security policy.
        kept_at: where the error can be found again, in development; empty where it cannot.
    """
    first = report.errors[0]
    # When none of the lines is the application's, those of libraries are all there is to see.
    is_open = not any(told.own or told.template for told in report.errors)
    parts = [_HEAD.format(report.title, nonce, _STYLE)]
    for told in report.errors:
        heading = Markup("<h1>{}</h1>\n") if told is first else Markup("<h2>Caused by {}</h2>\n")
        parts += [heading.format(told.kind), _message(told)]
        if told is first:
            line = Markup('<p class="request" id="request"><code>{}</code> · request <code>{}</code>{}</p>\n')
            kept = Markup(' · <a href="{}">kept in the panel</a>').format(kept_at) if kept_at else ""
            parts.append(line.format(report.request, report.request_id, kept))
        parts += [_code(told, is_open=is_open)]
    parts += [_table("Query", report.query), _table("Headers", report.headers)]
    area = Markup(
        '<details><summary>Markdown</summary>\n<textarea id="markdown" readonly aria-label="This error as Markdown">'
        "\n{}</textarea>\n</details>\n"
    )
    parts += [area.format(report.as_markdown()), _COPY.format(nonce), Markup("</main>\n</body>\n</html>\n")]
    return str(Markup().join(parts))


def _message(told: Told) -> Markup:
    return Markup('<p class="message">{}</p>\n').format(told.message) if told.message else Markup()


def _code(told: Told, *, is_open: bool) -> Markup:
    own = Markup().join([*([_template(told.template)] if told.template else []), *map(_frame, told.own)])
    if not told.others:
        return own
    hidden = Markup("<details{}><summary>{} of libraries</summary>\n{}</details>\n")
    count = f"{len(told.others)} {'frame' if len(told.others) == 1 else 'frames'}"
    return own + hidden.format(Markup(" open") if is_open else "", count, Markup().join(map(_frame, told.others)))


def _frame(frame: Frame) -> Markup:
    place = Markup('<p class="place"><code>{}:{}</code> in <code>{}</code></p>\n').format(frame.file, frame.line, frame.function)
    lines = [_line(f"{number:>4}  {text}", is_marked=number == frame.line) for number, text in frame.lines]
    return place + _block(f"{frame.file}, line {frame.line}", lines)


def _template(template: Template) -> Markup:
    place = Markup('<p class="place"><code>{}</code>, line {}</p>\n').format(template.file, template.line)
    if not template.excerpt:
        return place
    lines = [_line(line, is_marked=line.startswith(">")) for line in template.excerpt.splitlines()]
    return place + _block(f"{template.file}, line {template.line}", lines)


def _block(label: str, lines: Sequence[Markup]) -> Markup:
    # Long lines are reached by keyboard too: WCAG 2.2, 2.1.1.
    return Markup('<pre tabindex="0" role="group" aria-label="{}">{}</pre>\n').format(label, Markup().join(lines))


def _line(text: str, *, is_marked: bool) -> Markup:
    return (Markup("<mark>{}</mark>") if is_marked else Markup("<span>{}</span>")).format(text)


def _table(title: str, pairs: Sequence[tuple[str, str]]) -> Markup:
    if not pairs:
        return Markup()
    rows = [Markup('<tr><th scope="row">{}</th><td>{}</td></tr>\n').format(name, value) for name, value in pairs]
    return Markup("<details><summary>{}</summary>\n<table>\n{}</table></details>\n").format(title, Markup().join(rows))
