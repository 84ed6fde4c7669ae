"""`/_lazy/assets/`: the styles and scripts of everything below `/_lazy`, plain files without a build."""

from pathlib import Path
from typing import Final

from lazyapp.developing.asked import answer, is_read
from lazyapp.developing.door import Receive, Scope, Send

PREFIX: Final = "/_lazy/assets"
FOLDER: Final = Path(__file__).parent / "assets"

_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


async def assets(scope: Scope, _receive: Receive, send: Send) -> None:
    """One file, as an ASGI application."""
    if not await is_read(scope, send):
        return
    name = scope["path"].removeprefix(PREFIX).removeprefix("/")
    # By its own name among those that are there: no path that was sent is ever opened.
    found = next((path for path in FOLDER.iterdir() if path.name == name and path.suffix in _TYPES), None)
    if found is None:
        await answer(scope, send, "Not Found\n", status=404, media_type="text/plain")
    else:
        await answer(scope, send, found.read_bytes(), media_type=_TYPES[found.suffix], more={"cache-control": "no-cache"})
