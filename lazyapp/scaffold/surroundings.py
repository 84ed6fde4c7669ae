"""What stands around `app/` and `init/` in a new application: scripts, tests, documents, settings."""

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def surround(draft: Path, templates: Path, variables: Mapping[str, object]) -> None:
    """Write them; a file of which nothing is left is left out, and a script may be run by whoever may read it.

    They are no views: their endings say nothing about what to escape, for nothing is.
    """
    environment = Environment(
        loader=FileSystemLoader(templates),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # no page is made here
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for template in environment.list_templates(extensions=["tpl"]):
        text = environment.get_template(template).render(variables)
        if not text.strip():
            continue
        target = draft / template.removesuffix(".tpl")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            mode = target.stat().st_mode
            target.chmod(mode | (mode & 0o444) >> 2)
