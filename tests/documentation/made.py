"""Every file of the documentation that is made, with what it should hold now."""

from collections.abc import Mapping
from pathlib import Path

from tests.documentation.llms import llms
from tests.documentation.reference import PACKAGES, file_of, page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def made() -> Mapping[Path, str]:
    """The files by their paths."""
    reference = {DOCS / "reference" / file_of(package): page(package) for package in PACKAGES}
    return {**reference, DOCS / "llms.txt": llms((DOCS / "README.md").read_text(encoding="utf-8"))}
