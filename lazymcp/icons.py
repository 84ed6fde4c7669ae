"""`Icon`: a picture that stands for a server, a tool, a resource or a prompt in a client's lists."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from lazymcp.errors import RegistrationError

__all__ = ["Icon", "icons_of"]

Theme = Literal["", "light", "dark"]

_SIZE: Final = re.compile(r"[1-9][0-9]*x[1-9][0-9]*|any")
_SRC: Final = re.compile(r"https://[^\s/?#\"<>\\^`{|}]+[^\s\"<>\\^`{|}]*|data:[^\s\"<>\\^`{|}]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Icon:
    """A picture for lists. MCP, `Icon`.

    Attributes:
        src: an `https:` or a `data:` URI; clients load nothing else.
        mime_type: `image/png`, `image/svg+xml` and the like.
        sizes: such as `"48x48"`, or `"any"` for a picture that scales.
        theme: the background it is drawn for, "light" or "dark"; "" suits both.
    """

    src: str
    mime_type: str = ""
    sizes: Sequence[str] = ()
    theme: Theme = ""

    def to_dict(self) -> dict[str, Any]:
        """The wire form.

        Raises:
            RegistrationError: a client would not load it.
        """
        if not isinstance(self.src, str) or not _SRC.fullmatch(self.src):
            raise RegistrationError(f"the src of an icon is an https: or a data: URI, not {str(self.src)[:100]!r}")
        if isinstance(self.sizes, str) or not all(isinstance(size, str) and _SIZE.fullmatch(size) for size in self.sizes):
            raise RegistrationError(f'the sizes of an icon are a list such as ["48x48"] or ["any"], not {self.sizes!r}')
        if self.theme not in get_args(Theme):
            raise RegistrationError(f'the theme of an icon is "light" or "dark", not {self.theme!r}')
        wire = {"src": self.src, "mimeType": self.mime_type, "sizes": list(self.sizes), "theme": self.theme}
        return {key: value for key, value in wire.items() if value}


def icons_of(icons: Iterable[Icon]) -> list[dict[str, Any]]:
    """Icons on the wire.

    Raises:
        RegistrationError: one is no `Icon`, or a client would not load it.
    """
    wire = []
    for icon in icons:
        if not isinstance(icon, Icon):
            raise RegistrationError(f'an icon is an Icon, such as Icon("https://…/icon.png"), not {icon!r}')
        wire.append(icon.to_dict())
    return wire
