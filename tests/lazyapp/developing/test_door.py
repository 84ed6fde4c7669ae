"""lazyapp/developing/door.py: one way in, and nothing behind it for anybody else."""

from typing import Any

import httpx2
import pytest

from lazyapp.developing.door import Door

FOREIGN: dict[str, dict[str, Any]] = {
    "peer": {"peer": "192.0.2.7"},
    "host": {"headers": {"host": "shop.example"}},
    "rebinding": {"headers": {"host": "localhost.evil.example:3000"}},
    "passed on": {"headers": {"x-forwarded-for": "198.51.100.7"}},
    "cross-site": {"headers": {"sec-fetch-site": "cross-site"}},
    "same-site": {"headers": {"sec-fetch-site": "same-site"}},
    "origin": {"headers": {"origin": "http://localhost:3001"}},
}


def part(name: str) -> Any:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": name.encode()})

    return answer


DOOR = Door(part("web"), {"/_lazy": part("panel"), "/_lazy/preview": part("preview"), "/_lazy/preview/wide": part("wide")})


async def ask(
    path: str, *, method: str = "GET", peer: str = "127.0.0.1", headers: dict[str, str] | None = None, door: Door = DOOR
) -> httpx2.Response:
    transport = httpx2.ASGITransport(app=door, client=(peer, 5000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:3000") as http:
        return await http.request(method, path, headers=headers)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/_lazy", "panel"),
        ("/_lazy/", "panel"),
        ("/_lazy/routes", "panel"),
        ("/%5Flazy/routes", "panel"),
        ("/_lazy/preview", "preview"),
        ("/_lazy/preview/frame", "preview"),
        ("/_lazy/previews", "panel"),
        ("/_lazy/preview/wide/x", "wide"),
        ("/", "web"),
        ("/_lazyness", "web"),
        ("/a/_lazy", "web"),
        ("//_lazy", "web"),
    ],
)
async def test_the_longest_prefix_answers_and_every_other_path_is_the_applications(path, found):
    assert (await ask(path)).text == found


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.parametrize("path", ["/_lazy", "/_lazy/preview/frame", "/_lazy/no-such-part"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_stranger_finds_nothing_behind_it(foreign, path, method):
    answer = await ask(path, method=method, **FOREIGN[foreign])
    assert (answer.status_code, answer.text) == (404, "Not Found\n")
    assert (await ask("/", method=method, **FOREIGN[foreign])).text == "web"


async def test_the_own_page_may_post_and_so_may_what_is_no_browser():
    assert (await ask("/_lazy/preview", method="POST", headers={"origin": "http://localhost:3000"})).text == "preview"
    assert (await ask("/_lazy/preview", method="POST")).text == "preview"


async def test_what_no_part_has_is_not_there():
    assert (await ask("/_lazy/routes", door=Door(part("web"), {"/_lazy/preview": part("preview")}))).status_code == 404


async def test_a_websocket_is_refused_and_another_one_is_the_applications():
    """RFC 6455, section 10.2: a handshake is bound by no same-origin policy."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    for path in ("/_lazy/preview", "/chat"):
        await DOOR({"type": "websocket", "path": path, "headers": [], "client": ("127.0.0.1", 1)}, None, send)  # type: ignore[arg-type]
    assert sent == ["websocket.close", "http.response.start", "http.response.body"]


async def test_a_lifespan_is_the_applications():
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await DOOR({"type": "lifespan"}, None, send)  # type: ignore[arg-type]
    assert sent
