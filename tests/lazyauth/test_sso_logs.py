"""What a single sign-on leaves in the logs of the process: nothing that only the two sides may know."""

import logging
import re
import zlib
from base64 import urlsafe_b64decode
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.lazyapp.sign_in_site import cookie_of
from tests.lazyauth.openid_provider import CLIENT_SECRET, running
from tests.lazyauth.test_sso import site, travel

#: Who writes addresses down in this process: the browser and our own client. `lazyapp serve` holds them at WARNING.
HTTP_CLIENTS = ("httpx2", "httpcore2")


def values_in(cookie: str) -> str:
    """A session is signed, not encrypted; a large one is compressed, which the dot in front says."""
    packed, _, _ = cookie.removeprefix(".").partition(".")
    content = urlsafe_b64decode(packed + "===")
    return (zlib.decompress(content) if cookie.startswith(".") else content).decode()


def test_a_whole_sign_in_at_debug_tells_nothing_that_is_secret(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """RFC 7636, section 7.1: the verifier stays with who made it, even where Authlib's own logger was set to DEBUG."""
    caplog.set_level(logging.DEBUG, "authlib.integrations.base_client.sync_app")
    caplog.set_level(logging.DEBUG)
    with running() as provider, site(tmp_path, f"{provider}/good").open() as browser:
        callback = travel(browser)
        [verifier] = re.findall(r'"code_verifier": ?"([^"]+)"', values_in(cookie_of(browser)))
        assert browser.get(callback).status_code == 303
    said = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith(HTTP_CLIENTS))
    assert said
    query = parse_qs(urlsplit(callback).query)
    assert [each for each in (verifier, CLIENT_SECRET, *query["code"], *query["state"]) if each in said] == []
