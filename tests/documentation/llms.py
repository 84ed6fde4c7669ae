"""llms.txt: the table of contents as https://llmstxt.org proposes it, a title, a quoted summary, and lists of links."""

import re

SUMMARY = (
    "lazyapp is a full-stack Python web framework in which pages, AI clients (MCP) and their login (OAuth) are one application: "
    "five import packages, lazyapp, lazymcp, lazyoauth, lazyauth and lazyview, and a command line."
)
ADVICE = """\
An application is made by `lazyapp new NAME` and served by `lazyapp serve`. Pages are controllers in `app/controllers/`, tools for
AI clients are classes in `app/mcps/`, the work itself is services in `app/services/`, and `init/` says what it is made of.

- Where lazyapp is installed, so is every page: `lazyapp docs` lists them, `lazyapp docs PAGE` prints one, and
  `lazyapp docs --search WORDS` finds sections.
- While `lazyapp serve` runs, they are at `/_lazy/docs`, and a coding agent asks about the application over MCP at `/_lazy/mcp`.
"""


def llms(contents: str) -> str:
    """llms.txt, from `docs/README.md`: its headings and lists as they are, decisions as what may be skipped."""
    parts = re.split(r"^## (.+)$", contents, flags=re.MULTILINE)[1:]
    lines = ["# lazyapp", "", f"> {SUMMARY}", "", ADVICE.strip(), ""]
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        links = re.findall(r"^- \[.+?\]\(.+?\): .+(?:\n  .+)*", text, re.MULTILINE)
        if links:
            lines += [f"## {heading}", "", *(" ".join(link.split()) for link in links), ""]
    return "\n".join(lines).rstrip() + "\n"
