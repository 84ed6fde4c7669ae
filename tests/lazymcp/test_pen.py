"""lazymcp/pen.py: news is written to one client, one thing after the other."""

import asyncio

from lazyauth import User, current_user, signed_in
from lazymcp.news import PROMPTS, TOOLS, resource_key
from lazymcp.pen import Pen

TOOLS_NEWS = (TOOLS, "notifications/tools/list_changed", {})
PROMPTS_NEWS = (PROMPTS, "notifications/prompts/list_changed", {})


class Paper:
    """A client that reads what is written to it, and may be shown what its policy says."""

    def __init__(self):
        self.told = asyncio.Queue()
        self.asked = []

    async def is_readable(self, uri):
        self.asked.append((uri, current_user()))
        return uri == "app://open"

    async def tell(self, method, params):
        if method == TOOLS_NEWS[1]:
            raise RuntimeError("broken")
        self.told.put_nowait((method, params))

    async def read(self):
        return await asyncio.wait_for(self.told.get(), 10)


async def test_one_notification_that_is_lost_takes_no_other_with_it(caplog):
    paper = Paper()
    pen = Pen(paper.is_readable, paper.tell)
    pen.hear(*TOOLS_NEWS)
    pen.hear(*PROMPTS_NEWS)
    assert await paper.read() == PROMPTS_NEWS[1:]
    assert "was lost" in caplog.text


async def test_a_resource_is_told_with_the_rights_of_who_listens():
    """An authorizer may have changed its mind; and news arrives in the context of whoever published it."""
    paper = Paper()
    with signed_in(User("ada")):
        pen = Pen(paper.is_readable, paper.tell)
    with signed_in(User("bob")):
        for uri in ("app://closed", "app://open"):
            pen.hear(resource_key(uri), "notifications/resources/updated", {"uri": uri})
    assert await paper.read() == ("notifications/resources/updated", {"uri": "app://open"})
    assert [(uri, user.id) for uri, user in paper.asked] == [("app://closed", "ada"), ("app://open", "ada")]
    assert paper.told.empty()


async def test_what_is_held_is_written_on_release_and_nothing_after_the_end():
    """MCP 2026-07-28, basic/patterns/subscriptions: the acknowledgement comes first."""
    paper = Paper()
    pen = Pen(paper.is_readable, paper.tell, is_held=True)
    pen.hear(*PROMPTS_NEWS)
    pen.hear(*PROMPTS_NEWS)
    assert await pen.finish()
    assert paper.told.empty()
    pen.release()
    assert await pen.finish()
    assert paper.told.qsize() == 1
    pen.close()
    pen.hear(*PROMPTS_NEWS)
    assert await pen.finish()
    assert paper.told.qsize() == 1
