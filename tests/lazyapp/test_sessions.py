"""The session cookie."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer, URLSafeTimedSerializer

from lazyapp.sessions import MAX_COOKIE_BYTES, Flash, Sessions, SessionTooLarge

OLD, NEW = "old-secret-" * 4, "new-secret-" * 4
NOW = 1_800_000_000.0
DAY = 24 * 3600.0


def scope(cookie: str = "", scheme: str = "http") -> dict[str, Any]:
    return {"scheme": scheme, "headers": [(b"cookie", cookie.encode())] if cookie else []}


def saved(sessions: Sessions, change: Callable[[Any], None], before: str = "", scheme: str = "http") -> str:
    """The Set-Cookie line after a change, empty when there is none."""
    here = scope(before, scheme)
    session = sessions.of(here)
    change(session)
    return dict(sessions.headers(session, here)).get(b"set-cookie", b"").decode()


def pair(line: str) -> str:
    return line.partition(";")[0]


def test_values_come_back_with_the_next_request() -> None:
    """Design, section 3: signed cookie."""
    sessions = Sessions(NEW, now=lambda: NOW)
    line = saved(sessions, lambda session: session.update(user=7, cart=["a"]))
    assert dict(sessions.of(scope(pair(line)))) == {"user": 7, "cart": ["a"]}


def test_over_https_the_cookie_has_the_host_prefix_and_is_secure() -> None:
    """RFC 6265bis, 4.1.3.2."""
    line = saved(Sessions(NEW), lambda session: session.update(user=7), scheme="https")
    assert line.startswith("__Host-lazyapp=")
    assert line.endswith("; Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure")
    assert saved(Sessions(NEW, secure=True), lambda session: session.update(user=7)).startswith("__Host-lazyapp=")


def test_over_loopback_http_the_name_is_plain() -> None:
    """Design, section 3: a browser drops a Secure cookie that comes over http."""
    line = saved(Sessions(NEW), lambda session: session.update(user=7))
    assert line.startswith("lazyapp=")
    assert "Secure" not in line


def test_a_session_that_nobody_used_costs_no_header() -> None:
    """Design, section 3: read lazily."""
    sessions = Sessions(NEW)
    here = scope("lazyapp=whatever")
    session = sessions.of(here)
    assert sessions.headers(session, here) == []
    assert repr(session) == "Session(unread)"


def test_reading_writes_no_cookie_but_says_that_the_answer_depends_on_it() -> None:
    """RFC 9110, 12.5.5."""
    sessions = Sessions(NEW, now=lambda: NOW)
    here = scope(pair(saved(sessions, lambda session: session.update(user=7))))
    session = sessions.of(here)
    assert session.get("user") == 7
    assert sessions.headers(session, here) == [(b"vary", b"cookie")]


def test_a_change_inside_a_value_is_written() -> None:
    """Nothing is lost: a list that grew is a change."""
    sessions = Sessions(NEW, now=lambda: NOW)
    before = pair(saved(sessions, lambda session: session.update(cart=[])))
    line = saved(sessions, lambda session: session["cart"].append("a"), before)
    assert dict(sessions.of(scope(pair(line)))) == {"cart": ["a"]}


def test_an_emptied_session_takes_its_cookie_away() -> None:
    """RFC 6265bis, 5.6.2."""
    sessions = Sessions(NEW, now=lambda: NOW)
    before = pair(saved(sessions, lambda session: session.update(user=7)))
    assert saved(sessions, lambda session: session.clear(), before).startswith("lazyapp=; Path=/; Max-Age=0;")


def test_after_a_new_secret_old_cookies_are_read_and_new_ones_are_signed_with_it() -> None:
    """Design, section 3: key rotation."""
    before = pair(saved(Sessions(OLD, now=lambda: NOW), lambda session: session.update(user=7)))
    rotating = Sessions(NEW, (OLD,), now=lambda: NOW)
    line = saved(rotating, lambda session: session.update(user=session["user"] + 1), before)
    assert dict(Sessions(NEW, now=lambda: NOW).of(scope(pair(line)))) == {"user": 8}
    assert dict(Sessions(NEW, now=lambda: NOW).of(scope(before))) == {}


def test_a_session_ends_when_it_was_not_used_for_its_age() -> None:
    """Design, section 3."""
    now = NOW
    sessions = Sessions(NEW, now=lambda: now)
    before = pair(saved(sessions, lambda session: session.update(user=7)))
    now = NOW + 14 * DAY + 1
    assert dict(sessions.of(scope(before))) == {}


def test_a_session_in_use_is_renewed_halfway() -> None:
    """A visitor who comes back stays."""
    now = NOW
    sessions = Sessions(NEW, now=lambda: now)
    before = pair(saved(sessions, lambda session: session.update(user=7)))
    now = NOW + 6 * DAY
    assert saved(sessions, lambda session: session.get("user"), before) == ""
    now = NOW + 8 * DAY
    assert saved(sessions, lambda session: session.get("user"), before).startswith("lazyapp=")


def test_what_an_earlier_secret_signed_is_signed_anew_when_it_is_used() -> None:
    """Design, section 3: key rotation. A visitor who only looks keeps the session when the fallback is taken away."""
    before = pair(saved(Sessions(OLD, now=lambda: NOW), lambda session: session.update(user=7)))
    line = saved(Sessions(NEW, ("other-" * 8, OLD), now=lambda: NOW), lambda session: session.get("user"), before)
    assert dict(Sessions(NEW, now=lambda: NOW).of(scope(pair(line)))) == {"user": 7}


def test_a_cookie_changed_in_any_byte_is_an_empty_session() -> None:
    """Design, section 3: tampered -> empty; under each of two keys, by every bit, and cut or grown anywhere."""
    sessions = Sessions(NEW, (OLD,), now=lambda: NOW)
    for signer in (Sessions(NEW, now=lambda: NOW), Sessions(OLD, now=lambda: NOW)):
        value = pair(saved(signer, lambda session: session.update(user=7))).removeprefix("lazyapp=").encode()
        assert dict(sessions.of(scope(f"lazyapp={value.decode()}"))) == {"user": 7}
        for at in range(len(value)):
            others = [value[:at] + bytes([value[at] ^ 1 << bit]) + value[at + 1 :] for bit in range(8)]
            others += [value[:at], value[at + 1 :], value[:at] + b"A" + value[at:]]
            for changed in others:
                # The last character of base64 carries unused bits, so there another spelling of the same signature exists.
                if at < len(value) - 1 and changed != value:
                    assert dict(sessions.of(bare(b"lazyapp=" + changed))) == {}, changed


def bare(cookie: bytes) -> dict[str, Any]:
    return {"scheme": "http", "headers": [(b"cookie", cookie)]}


def test_a_signature_for_another_purpose_is_none_for_a_session() -> None:
    """Whatever else itsdangerous signs with the secret: the key and the salt are this cookie's own."""
    values = {"user": 7}
    for key in (NEW, NEW.encode()):
        for salt in (b"session", b"itsdangerous", b"cookie-session"):
            for serializer in (URLSafeTimedSerializer, URLSafeSerializer):
                forged = serializer(key, salt=salt).dumps(values)
                assert dict(Sessions(NEW, now=lambda: NOW).of(scope(f"lazyapp={forged}"))) == {}


def test_among_thousands_of_cookies_ours_is_found_and_none_is_taken_for_it() -> None:
    """RFC 6265, section 5.4: a host's cookies all come along; a name that only holds ours is another's."""
    sessions = Sessions(NEW, now=lambda: NOW)
    ours = pair(saved(sessions, lambda session: session.update(user=7)))
    others = "; ".join(f"{name}{n}={'v' * 20}" for n in range(5000) for name in ("lazyapp", "xlazyapp", "__Host-lazyapp"))
    assert dict(sessions.of(scope(f"{others}; {ours}; {others}"))) == {"user": 7}
    assert dict(sessions.of(scope(others))) == {}
    assert dict(sessions.of(bare(b"lazyapp=" + b"a" * 10**6))) == {}
    assert dict(sessions.of(bare(b";" * 10**5 + b"=" * 10**5))) == {}


def test_over_https_the_plain_name_is_not_read() -> None:
    """RFC 6265bis, 4.1.3.2: a subdomain or an http page could have set that one."""
    sessions = Sessions(NEW, now=lambda: NOW)
    plain = pair(saved(sessions, lambda session: session.update(user=7)))
    assert dict(sessions.of(scope(plain, scheme="https"))) == {}
    assert dict(sessions.of(scope(f"__Host-{plain}", scheme="https"))) == {"user": 7}


@given(st.text(max_size=80))
def test_any_cookie_at_all_is_read_without_an_error(value: str) -> None:
    """docs/security.md, "Sessions": what was tampered with is an empty session."""
    here = {"scheme": "http", "headers": [(b"cookie", b"lazyapp=" + value.encode("utf-8", "ignore"))]}
    assert dict(Sessions(NEW).of(here)) == {}


def test_another_secrets_cookie_is_an_empty_session() -> None:
    """Design, section 3."""
    before = pair(saved(Sessions(OLD), lambda session: session.update(user=7)))
    assert dict(Sessions(NEW).of(scope(before))) == {}


def test_a_session_that_does_not_fit_names_its_largest_value() -> None:
    """RFC 6265bis, 5.7."""
    noise = "".join(chr(0x4E00 + n * 7 % 9000) for n in range(3000))
    with pytest.raises(SessionTooLarge, match=rf"a cookie holds {MAX_COOKIE_BYTES}; its largest value is 'draft'"):
        saved(Sessions(NEW), lambda session: session.update(user=7, draft=noise))


def test_flash_messages_that_do_not_fit_are_told_as_such() -> None:
    """RFC 6265bis, 5.7; the entry that they live in is no name of the application's."""
    noise = "".join(chr(0x4E00 + n * 7 % 9000) for n in range(3000))
    with pytest.raises(SessionTooLarge, match=r"needs \d+ bytes .*; most of it is flash messages: say less"):
        saved(Sessions(NEW), lambda session: session.flash(noise))


def test_a_value_that_json_cannot_say_is_named() -> None:
    """Issue 2, bad input."""
    with pytest.raises(TypeError, match=r"session\['when'\] cannot be kept in a cookie"):
        saved(Sessions(NEW), lambda session: session.update(user=7, when=object()))


def test_flash_is_kept_until_it_is_taken_once() -> None:
    """Design, section 3: flash shown once."""
    sessions = Sessions(NEW, now=lambda: NOW)
    before = pair(saved(sessions, lambda session: (session.flash("Saved"), session.flash("Careful", "alert"))))
    here = scope(before)
    session = sessions.of(here)
    assert session.take_flash() == [Flash("Saved", "notice"), Flash("Careful", "alert")]
    assert session.take_flash() == []
    assert b"Max-Age=0" in dict(sessions.headers(session, here))[b"set-cookie"]


def test_a_session_behaves_like_a_dictionary() -> None:
    """Starlette's `request.session` is used as one."""
    session = Sessions(NEW).of(scope())
    session["a"] = 1
    session.setdefault("b", 2)
    del session["a"]
    assert (list(session), len(session), "b" in session, repr(session)) == (["b"], 1, True, "Session(1 values)")


def test_neither_sessions_nor_a_session_shows_what_it_holds() -> None:
    """Style: secret-bearing values show a name and a length."""
    sessions = Sessions(NEW)
    session = sessions.of(scope())
    session["token"] = "hush"
    assert NEW not in repr(sessions)
    assert "hush" not in repr(session)
