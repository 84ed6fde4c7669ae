"""lazymcp/sessions.py: signed, self-contained session ids (MCP 2025-11-25, basic/transports, "Session management")."""

import base64
import hmac

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp.sessions import LIFETIME_S, SessionEnded, Sessions


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_session_remembers_what_the_client_said(clock):
    sessions = Sessions("secret", now=clock)
    token = sessions.mint("2025-06-18", {"name": "claude", "version": "2", "title": "x"}, {"elicitation": {}})
    session = sessions.open(token)
    assert session.version == "2025-06-18"
    assert session.client == {"name": "claude", "version": "2"}
    assert session.capabilities == {"elicitation": {}}


def test_an_id_is_visible_ascii_short_and_new_every_time(clock):
    sessions = Sessions("secret", now=clock)
    tokens = {sessions.mint("2025-06-18", {"name": "x" * 10_000}, {"experimental": {"x": "y" * 5000}}) for _ in range(50)}
    assert len(tokens) == 50
    assert all(0x21 <= byte <= 0x7E for token in tokens for byte in token)
    assert max(map(len, tokens)) < 1000


def test_any_process_with_the_secret_reads_it(clock):
    """https://github.com/modelcontextprotocol/python-sdk/issues/880."""
    token = Sessions("secret", now=clock).mint("2025-06-18", {}, {})
    assert Sessions("secret", now=clock).open(token)
    with pytest.raises(SessionEnded):
        Sessions("other", now=clock).open(token)


def test_ids_outlive_the_replacement_of_the_secret(clock):
    """Design, section 5: what a fallback signed is accepted, and nothing new is signed with it."""
    old, new = Sessions("old", now=clock), Sessions("new", ["older", "old"], clock)
    assert new.open(old.mint("2025-06-18", {"name": "claude"}, {})).client["name"] == "claude"
    with pytest.raises(SessionEnded):
        old.open(new.mint("2025-06-18", {}, {}))
    with pytest.raises(SessionEnded):
        Sessions("new", now=clock).open(old.mint("2025-06-18", {}, {}))


def test_an_empty_fallback_signs_nothing(clock):
    with pytest.raises(SessionEnded):
        Sessions("new", [""], clock).open(Sessions("", now=clock).mint("2025-06-18", {}, {}))


def test_the_key_is_derived_for_this_purpose_alone(clock):
    """RFC 5869, sections 2.2 and 2.3: HKDF-SHA256, written out."""
    token = Sessions("secret", now=clock).mint("2025-06-18", {}, {})
    raw = base64.urlsafe_b64decode(token + b"=" * (-len(token) % 4))
    extracted = hmac.digest(b"lazymcp 1", b"secret", "sha256")
    key = hmac.digest(extracted, b"session id" + b"\x01", "sha256")
    assert raw[:32] == hmac.digest(key, raw[32:], "sha256")


def test_a_changed_id_is_no_session(clock):
    sessions = Sessions("secret", now=clock)
    token = sessions.mint("2025-06-18", {}, {})
    for at in range(0, len(token), 7):
        changed = token[:at] + (b"A" if token[at : at + 1] != b"A" else b"B") + token[at + 1 :]
        with pytest.raises(SessionEnded):
            sessions.open(changed)
    for nonsense in (b"", b"x", b"\xff", token[:-4], token + b"AAAA", base64.b64encode(b"0" * 100)):
        with pytest.raises(SessionEnded):
            sessions.open(nonsense)


def test_a_session_belongs_to_who_opened_it(clock):
    sessions = Sessions("secret", now=clock)
    ada, eve = Claims({"sub": "ada"}), Claims({"sub": "eve"})
    with signed_in(User("ada"), ada):
        token = sessions.mint("2025-06-18", {}, {})
        assert sessions.open(token)
    with signed_in(User("eve"), eve), pytest.raises(SessionEnded):
        sessions.open(token)
    with pytest.raises(SessionEnded):
        sessions.open(token)


def test_a_client_without_a_user_has_sessions_of_its_own(clock):
    """RFC 6749, section 4.4: a token of client credentials may name nobody but the client."""
    sessions = Sessions("secret", now=clock)
    with signed_in(User("robot-1"), Claims({"client_id": "robot-1"})):
        token = sessions.mint("2025-06-18", {}, {})
        assert sessions.open(token)
    with signed_in(User("robot-2"), Claims({"client_id": "robot-2"})), pytest.raises(SessionEnded):
        sessions.open(token)


def test_a_session_ends(clock):
    sessions = Sessions("secret", now=clock)
    token = sessions.mint("2025-06-18", {}, {})
    clock.now += LIFETIME_S - 1
    assert sessions.open(token)
    clock.now += 2
    with pytest.raises(SessionEnded):
        sessions.open(token)


def test_memory_is_bounded(clock):
    sessions = Sessions("secret", now=clock)
    for _ in range(3000):
        sessions.open(sessions.mint("2025-06-18", {}, {}))
    assert len(sessions._known) <= 1024
