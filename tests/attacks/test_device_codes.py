"""A35: somebody is talked into typing a code that signs an attacker's device in. There is no device grant here, so no such code."""

from collections.abc import AsyncIterator

import pytest

from lazyoauth import client_credentials, client_metadata, grants, metadata
from tests.attacks.harness import attack
from tests.lazyoauth.publisher import VSCODE, Publisher, documents

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
ASKED = ("authorization_code", "refresh_token", DEVICE_CODE)
# RFC 8628, section 3.1, leaves the path open; these are the ones that servers use.
PLACES = ("/oauth/device", "/oauth/device_authorization", "/oauth/device/code", "/device")


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    server = Publisher()
    await server.open()
    yield documents(server)
    await server.close()


def offer_the_grant(patch: pytest.MonkeyPatch) -> None:
    """As somebody would who adds the grant to the lists, and no more."""
    patch.setattr(client_metadata, "_GRANT_TYPES", ASKED)
    patch.setattr(grants, "GRANT_TYPES", ASKED)
    patch.setitem(grants._ACTS, DEVICE_CODE, client_credentials.answer)


def announce_the_endpoint(patch: pytest.MonkeyPatch) -> None:
    document = metadata.server_document

    def announcing(issuer, *arguments, **more):
        return {**document(issuer, *arguments, **more), "device_authorization_endpoint": f"{issuer}{PLACES[0]}"}

    patch.setattr(metadata, "server_document", announcing)


@attack(not_offered=offer_the_grant, not_announced=announce_the_endpoint)
async def test_a35_a_device_asks_for_a_code_that_a_person_shall_type(start, publisher):
    """RFC 8628, sections 3.4 and 5.4. VS Code names the grant in its registration and in its document, and gets it neither way."""
    journey = start(test_documents=publisher.bases)
    registered = await journey.http.post("/oauth/register", json={"redirect_uris": ["http://127.0.0.1/"], "grant_types": ASKED})
    through = [f"registered for {grant}" for grant in registered.json()["grant_types"] if grant == DEVICE_CODE]
    for client_id in (registered.json()["client_id"], VSCODE):
        answer = await journey.token(
            grant_type=DEVICE_CODE, device_code="GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", client_id=client_id
        )
        if (answer.status_code, answer.json().get("error")) != (400, "unsupported_grant_type"):
            through.append(f"{client_id}: {answer.status_code} {answer.text}")
    for path in metadata.server_paths("/mcp"):
        document = (await journey.http.get(path)).json()
        announced = [name for name in document if "device" in name] + [
            grant for grant in document["grant_types_supported"] if "device" in grant
        ]
        through += [f"{path}: {name}" for name in announced]
    for path in PLACES:
        for answer in (await journey.http.get(path), await journey.http.post(path, data={"client_id": VSCODE, "scope": "mcp"})):
            through += [path] * (answer.status_code != 404)
    return through
