"""Every client logs in at the first try, calls a tool, refreshes, and calls it again."""

import pytest

from tests.clients import editors, hosted, terminals
from tests.clients.conversation import Conversation
from tests.clients.profile import Profile

PROFILES = (*hosted.PROFILES, *editors.PROFILES, *terminals.PROFILES)
each = pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)


@each
async def test_a_client_logs_in_at_the_first_try_by_registering(server, http, profile: Profile):
    """MCP 2026-07-28, authorization, "Dynamic Client Registration"; RFC 7591."""
    conversation = Conversation(profile, http, server.url)
    conversation.documents = False
    await conversation.run()
    assert conversation.tokens["access_token"] not in server.log
    assert conversation.tokens["refresh_token"] not in server.log
