"""lazyapp/developing/files.py: the styles and scripts of `/_lazy`."""

import re

import httpx2
import pytest

from lazyapp.developing.files import FOLDER, assets


async def ask(path: str, method: str = "GET") -> httpx2.Response:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=assets), base_url="http://localhost:3000") as http:
        return await http.request(method, path)


async def test_a_style_and_a_script_come_with_their_types():
    style, script = await ask("/_lazy/assets/developing.css"), await ask("/_lazy/assets/panel.js")
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert style.content == (FOLDER / "developing.css").read_bytes()
    assert (await ask("/_lazy/assets/panel.js", "HEAD")).content == b""


@pytest.mark.parametrize(
    "path", ["", "/", "/nope.css", "/..%2Fpanel.py", "/../panel.py", "/%2Fetc%2Fpasswd", "/panel.js/", "/panel.js%00", "/PANEL.JS"]
)
async def test_nothing_else_is_there(path):
    assert (await ask(f"/_lazy/assets{path}")).status_code == 404


async def test_they_are_only_read():
    assert (await ask("/_lazy/assets/panel.js", "POST")).status_code == 405


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.*")), ids=lambda file: file.name)
def test_no_asset_asks_another_host(file):
    """It works with no network; and nobody elsewhere learns that somebody is at work."""
    assert re.findall(r"(?:src|href|import|url|fetch)[^\n]{0,5}[\"'(]https?://", file.read_text()) == []
