"""Names that people trust, and the hosts that may bear them.

A client chooses its own name, so "Claude" may be anyone's. Where the answer goes cannot be chosen freely: if a client bears one of
these names and the answer goes to a host of somebody else, the consent page says so. As of 30 November 2026, from what the clients
send today. A host that is missing here costs an unjust warning; a name that is missing leaves only the mark "unverified".
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Brand:
    """A name that people know.

    Attributes:
        name: as its owner writes it.
        hosts: where its owner's answers go, and nobody else can have pages; with a dot in front, the hosts below that one too.
    """

    name: str
    hosts: Sequence[str]


_CURSOR = ("cursor.com", "www.cursor.com", "cursor://anysphere.cursor-mcp")
_CODE = ("vscode.dev", "insiders.vscode.dev")
_OPENAI = ("chatgpt.com", ".openai.com")
_ANTHROPIC = ("claude.ai", "claude.com", ".anthropic.com")
_MICROSOFT = (*_CODE, "github.com", "global.consent.azure-apim.net", "teams.microsoft.com", "copilotstudio.microsoft.com")
_GOOGLE = ("gemini.google.com", "vertexaisearch.cloud.google.com")
BRANDS = (
    Brand("Claude", _ANTHROPIC),
    Brand("Anthropic", _ANTHROPIC),
    Brand("ChatGPT", _OPENAI),
    Brand("OpenAI", _OPENAI),
    Brand("Codex", _OPENAI),
    Brand("Cursor", _CURSOR),
    Brand("VS Code", _CODE),
    Brand("Visual Studio", _MICROSOFT),
    Brand("GitHub", _MICROSOFT),
    Brand("Copilot", _MICROSOFT),
    Brand("Microsoft", _MICROSOFT),
    Brand("Gemini", _GOOGLE),
    Brand("Google", _GOOGLE),
    Brand("Perplexity", ("perplexity.ai", "www.perplexity.ai")),
    Brand("Mistral", (".mistral.ai",)),
)
# Letters of other alphabets, digits and signs that pass for a Latin letter; i and l are one, because a capital i looks like an l.
_LOOK_ALIKES = str.maketrans(
    "аеорсхуіѕԁӏһԛԝкмтαορνιτκ013457@$!|i",  # noqa: RUF001
    "aeopcxylsdlhqwkmtaopvltkoleastaslll",
)


def borrowed(name: str, host: str) -> str:
    """The brand that a client's name bears while its answer goes to somebody else's host; "" when there is none."""
    words = _words(name)
    for brand in BRANDS:
        wanted = _words(brand.name)
        bears = f" {wanted} " in f" {words} " or words.replace(" ", "").startswith(wanted.replace(" ", ""))
        if bears and not any(_covers(allowed, host.lower()) for allowed in brand.hosts):
            return brand.name
    return ""


def _covers(allowed: str, host: str) -> bool:
    return host == allowed.removeprefix(".") or (allowed.startswith(".") and host.endswith(allowed))


def _words(name: str) -> str:
    """The words of a name as an eye sees them: without accents, case and the difference between look-alikes."""
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", name) if not unicodedata.combining(mark))
    return " ".join(re.split(r"[^0-9a-z]+", plain.casefold().translate(_LOOK_ALIKES))).strip()
