"""Clients whose id is the URL of a document about them: the whole conversation again, with nothing registered."""

import pytest

from tests.clients import hosted
from tests.clients.assertions import AssertionKey
from tests.clients.conftest import PROFILES
from tests.clients.conversation import Conversation
from tests.clients.profile import Profile

WITH_DOCUMENT = [profile for profile in PROFILES if profile.document]
each = pytest.mark.parametrize("profile", WITH_DOCUMENT, ids=lambda profile: profile.name)
signing = pytest.mark.parametrize("profile", hosted.SIGNING, ids=lambda profile: profile.name)


@each
async def test_a_client_logs_in_at_the_first_try_by_its_document(server, hosts, http, key, profile: Profile):
    """MCP 2026-07-28, authorization, "Client ID Metadata Documents"; draft-ietf-oauth-client-id-metadata-document."""
    conversation = Conversation(profile, http, server.url, key)
    await conversation.run()
    assert conversation.client_id == profile.document
    assert profile.document in hosts.asked
    assert conversation.tokens["access_token"] not in server.log
    assert conversation.tokens["refresh_token"] not in server.log


@signing
async def test_each_request_for_tokens_needs_an_assertion_of_its_own(server, http, key, profile: Profile):
    """RFC 7523, section 3, item 7: a `jti` is good once. The refusal costs the login nothing: a new assertion goes on with it."""
    conversation = Conversation(profile, http, server.url, key)
    await conversation.discover()
    await conversation.register()
    await conversation.log_in()
    spent = {name: value for name, value in conversation.sent.items() if name.startswith("client_assertion")}
    again = {
        "grant_type": "refresh_token",
        "refresh_token": conversation.tokens["refresh_token"],
        "client_id": conversation.client_id,
    }
    replayed = await conversation.ask_for_tokens(again | spent)
    assert (replayed.status_code, replayed.json()["error"]) == (401, "invalid_client")
    await conversation.refresh()
    assert spent["client_assertion"] not in server.log


@signing
async def test_a_key_that_is_not_published_proves_nothing(server, http, key, profile: Profile):
    """RFC 7523, section 3, item 9; RFC 7515, section 4.1.4: the same `kid` by somebody else is another key."""
    conversation = Conversation(profile, http, server.url, AssertionKey("2026-11"))
    await conversation.discover()
    await conversation.register()
    with pytest.raises(AssertionError, match="invalid_client"):
        await conversation.log_in()


async def test_a_client_that_has_a_key_and_nothing_else_must_show_it(server, http, key):
    """RFC 6749, section 3.2.1; where ChatGPT's document offers `none` beside the key, the assertion may stay away."""
    conversation = Conversation(hosted.KEY_ONLY, http, server.url, None)
    await conversation.discover()
    await conversation.register()
    with pytest.raises(AssertionError, match="invalid_client"):
        await conversation.log_in()
