"""lazyapp/serving/vitals.py: a process answers for itself, from its event loop."""

import asyncio
import socket
from typing import Any

from lazyapp.app import App
from lazyapp.config import Config
from lazyapp.serving.link import Ask, WorkerLink, decode_answer
from lazyapp.serving.vitals import Vitals
from lazyapp.settings import Settings


async def test_a_process_says_whether_it_is_ready_and_what_it_counted() -> None:
    app = App(Config(name="vitals"), settings=Settings(env="test"))
    ours, theirs = socket.socketpair()
    link = WorkerLink(theirs.detach())
    vitals = Vitals(link)
    vitals.hear(Ask(1, "readyz"))  # before it is up it cannot say anything, and whoever asks does not wait for ever
    async with app.router.lifespan_context(app):
        vitals.begin(app)
        assert await _said(ours, vitals, Ask(2, "readyz")) == (2, {"status": "ready", "failing": []})
        number, counts = await _said(ours, vitals, Ask(3, "metrics"))
        assert (number, counts["lazyapp_open_streams"]) == (3, {'kind="page"': 0, 'kind="mcp"': 0})
        ours.close()
        vitals.hear(Ask(4, "readyz"))  # the supervisor is gone: nobody hears it, and nothing breaks
        await asyncio.sleep(0.01)
    link.close()


async def _said(ours: socket.socket, vitals: Vitals, ask: Ask) -> tuple[int, dict[str, Any]]:
    await asyncio.to_thread(vitals.hear, ask)  # as the link's thread does
    answer = decode_answer(await asyncio.to_thread(ours.recv, 10_000))
    assert answer is not None
    return answer
