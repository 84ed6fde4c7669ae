"""A6, A7, A49 and A50: where answers go, and what they say."""

from urllib.parse import urlencode

from lazyoauth import authorize, client_metadata, redirects
from lazyoauth.records import Client
from tests.attacks.harness import attack, nothing, replaced, yes
from tests.lazyoauth.journey import CALLBACK, ISSUER, arriving

LOOPBACK = "http://localhost:3000/callback"
#: None of these is CALLBACK, nor LOOPBACK on another port.
FOREIGN = """
https://evil.example/callback
https://client.example.evil.example/callback
https://evilclient.example/callback
https://sub.client.example/callback
https://client.example/callback/
https://client.example/callback/..
https://client.example/callback/../other
https://client.example/callback/%2e%2e/other
https://client.example/callback%2f..%2fother
https://client.example/Callback
https://client.example/callback?next=https://evil.example
https://client.example/callback#fragment
https://client.example/callback;x
https://client.example//callback
https://client.example:8443/callback
https://client.example:443/callback
https://CLIENT.example/callback
https://client.example./callback
https://user@client.example/callback
https://client.example@evil.example/callback
https://client.example:pass@evil.example/callback
https://evil.example\\@client.example/callback
https://client.example\\.evil.example/callback
https:\\\\client.example/callback
https:/client.example/callback
https:client.example/callback
//client.example/callback
///evil.example/callback
/callback
callback
https://client.example/callback%0d%0aLocation:%20https://evil.example
https://client.example/callback%00
https://cli%65nt.example/callback
https://xn--clent-0ve.example/callback
https://client。example/callback
http://client.example/callback
ftp://client.example/callback
javascript:alert(1)//https://client.example/callback
data:text/html,<script>alert(1)</script>
file:///etc/passwd
vbscript:x
blob:https://client.example/callback
about:blank
cursor://anysphere.cursor-mcp/oauth/callback
cursor://evil/oauth/callback
myapp://callback
http://localhost.evil.example:3000/callback
http://127.0.0.1.evil.example:3000/callback
http://127.0.0.1:3000/callback
http://[::1]:3000/callback
http://2130706433:3000/callback
http://0x7f000001:3000/callback
http://0177.0.0.1:3000/callback
http://127.1:3000/callback
http://0.0.0.0:3000/callback
http://localhost:3000@evil.example/callback
http://user@localhost:3000/callback
http://localhost:3000/other
http://localhost:3000/callback/../other
http://localhost:3000/callback?x=1
http://localhost:99999/callback
http://localhost:-1/callback
http://localhost:3000\\@evil.example/callback
https://localhost:3000/callback
http://localhost%00.evil.example/callback
""".split()
#: With the letter of another alphabet.
LOOK_ALIKE = "https://cl\u0456ent.example/callback"
DANGEROUS = [uri for uri in FOREIGN if redirects.fault_of(uri) is not None]


@attack(exact_match=replaced(Client, "redirects_to", yes))
async def test_a06_an_answer_is_sent_to_a_foreign_address(start):
    """RFC 9700, section 4.1; RFC 6749, section 4.1.2.1: an error page, and no Location."""
    journey = start()
    await journey.register(CALLBACK, LOOPBACK)
    assert len(FOREIGN) >= 60
    through = []
    for uri in [*FOREIGN, LOOK_ALIKE, f"{CALLBACK}\r\nx: y", f"{CALLBACK}\t", f" {CALLBACK}", f"{CALLBACK} "]:
        # A scope that is refused would be told to the client: the redirect is what must not happen.
        answer = await journey.http.get("/oauth/authorize", params=journey.request(redirect_uri=uri, response_type="token"))
        if "location" in answer.headers or answer.status_code != 400:
            through.append(uri)
    for client_id in ("", "unknown", "https://evil.example/client.json", f"{journey.client_id}x"):
        answer = await journey.http.get("/oauth/authorize", params=journey.request(client_id=client_id, prompt="none"))
        if "location" in answer.headers:
            through.append(f"client {client_id}")
    return through


@attack(registration_checks_redirects=replaced(client_metadata, "fault_of", nothing))
async def test_a06_a_dangerous_address_is_registered(start):
    """MCP 2026-07-28, authorization: https or loopback; RFC 8252, section 7."""
    journey = start()
    through = []
    for uri in DANGEROUS:
        answer = await journey.http.post("/oauth/register", json={"redirect_uris": [uri]})
        if answer.is_success:
            through.append(uri)
    assert len(DANGEROUS) > 30
    return through


def answer_without_iss(_issuer, redirect_uri, values):
    return f"{redirect_uri}?{urlencode({name: value for name, value in values.items() if value})}"


@attack(
    iss_in_every_answer=replaced(authorize, "_answer", answer_without_iss),
    own_parameters_only=replaced(redirects, "_RESPONSE_PARAMETERS", frozenset()),
)
async def test_a07_a_client_is_told_nothing_or_two_things_about_who_answers(start):
    """RFC 9207, section 2: `iss` on success and on error, exact, once."""
    journey = start()
    through = []
    await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request())
    await browser.log_in()
    success = await browser.decide("allow")
    refused = await journey.http.get("/oauth/authorize", params=journey.request(response_type="token"))
    for name, answer in {"success": success, "error": arriving(refused)}.items():
        if answer.get("iss") != ISSUER:
            through.append(name)
    mixed = await journey.http.post("/oauth/register", json={"redirect_uris": [f"{CALLBACK}?iss=https://evil.example"]})
    return through + ["registered with an iss of its own"] * mixed.is_success


def answer_unencoded(issuer, redirect_uri, values):
    return f"{redirect_uri}?{'&'.join(f'{name}={value}' for name, value in values.items() if value)}&iss={issuer.url}"


STATES = [
    "st/ate=1&2",
    "a b+c%20d",
    "ä€😀",
    "?#&=;,",
    "code=x&code=y",
    "'\"<script>",
    "%0d%0ax: y",
    "x" * 2048,
    "x&iss=https://evil",
]


@attack(
    encoding=replaced(authorize, "_answer", answer_unencoded),
    limit=replaced(authorize, "MAX_STATE_LENGTH", 10**9),
)
async def test_a49_a_state_breaks_out_of_the_answer(start):
    """RFC 6749, section 4.1.2: the exact value, whatever is in it; and no megabytes of it."""
    journey = start()
    await journey.register()
    through = []
    for state in STATES:
        answer = await journey.http.get("/oauth/authorize", params=journey.request(state=state, response_type="token"))
        location = answer.headers.get("location", "")
        if f"state={encoded(state)}&" not in f"{location}&" or not location.isascii():
            through.append(state)
    long = await journey.http.get("/oauth/authorize", params=journey.request(state="x" * 2049, response_type="token"))
    return through + ["2049"] * ("location" in long.headers)


def encoded(state):
    return urlencode({"state": state}).removeprefix("state=")


def check_nothing(parameters_checked):
    """`authorize.check` for requests whose `prompt` it never sees."""

    def check(issuer, target, parameters):
        single = {name: value for name, value in parameters.single.items() if name != "prompt"}
        return parameters_checked(issuer, target, type(parameters)(single, parameters.resources))

    return check


@attack(
    redirect_check=replaced(Client, "redirects_to", yes),
    prompt_none_is_an_error=replaced(authorize, "check", check_nothing(authorize.check)),
)
async def test_a50_prompt_none_sends_a_person_on_without_a_page(start):
    """RFC 9700, section 4.11.2: an error for a registered address only, and never a code."""
    journey = start()
    browser = journey.browser()
    await journey.code(browser)
    known = await browser.http.get("/oauth/authorize", params=journey.request(prompt="none"))
    unknown = await browser.http.get(
        "/oauth/authorize", params=journey.request(prompt="none", redirect_uri="https://evil.example/")
    )
    through = ["foreign address"] if "location" in unknown.headers else []
    if known.status_code != 303 or arriving(known).get("error") not in (
        "login_required",
        "consent_required",
        "interaction_required",
    ):
        through.append("not an error")
    return through
