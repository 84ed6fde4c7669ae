"""`tests/flows/browser.py`, against pages that are easy to get wrong."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.flows.browser import Browser, Page
from tests.flows.served import served

PAGE = """<!doctype html><title> A  login </title><style>p { color: red }</style>
<p>Hello <a href="/elsewhere">there</a></p>
<form method="post" action="/answer?x=1">
  <input type="hidden" name="transaction" value="t&amp;1">
  <label for="u">User&shy;name</label><input id="u" name="username">
  <label>Password <input name="password" type="password"></label>
  <label><input type="checkbox" name="remember"> Remember</label>
  <button name="decision" value="deny">Cancel</button>
  <button name="decision" value="allow">Allow <b>access</b></button>
</form>"""


async def login(request: Request) -> Response:
    policy = {"content-security-policy": f"form-action {request.query_params['form-action']}"} if request.query_params else {}
    return HTMLResponse(PAGE.replace("&shy;", ""), headers={"set-cookie": "seen=1; Path=/; SameSite=Lax", **policy})


async def private_login(request: Request) -> Response:
    return HTMLResponse(PAGE.replace("&shy;", ""), headers={"referrer-policy": "no-referrer"})


async def answer(request: Request) -> Response:
    form = await request.form()
    if form.get("username") == "redirect":
        return RedirectResponse("http://127.0.0.1:9/callback?code=1", 303)
    return JSONResponse({"form": dict(form), "cookies": request.cookies, "headers": dict(request.headers)})


async def bounce(request: Request) -> Response:
    return RedirectResponse("/login", 302)


@pytest.fixture
async def pages():
    routes = [
        Route("/login", login),
        Route("/private", private_login),
        Route("/answer", answer, methods=["POST"]),
        Route("/", bounce),
    ]
    async with served(Starlette(routes=routes)) as url, Browser(callback="http://127.0.0.1:9/callback") as browser:
        yield url, browser


def seen(page: Page) -> dict[str, dict[str, str]]:
    answer: dict[str, dict[str, str]] = page.response.json()
    return answer


async def test_it_follows_redirects_and_reads_the_page(pages):
    url, browser = pages
    page = await browser.open(url)
    assert page.url == f"{url}/login"
    assert page.title == "A login"
    assert "color" not in page.text
    assert page.links == {"there": f"{url}/elsewhere"}


async def test_it_fills_a_form_by_label_or_name_and_sends_what_a_browser_sends(pages):
    url, browser = pages
    await browser.open(url + "/login")
    sent = seen(await browser.submit({"username": "ada", "Password": "secret"}, press="allow"))
    assert sent["form"] == {"transaction": "t&1", "username": "ada", "password": "secret", "decision": "allow"}
    assert sent["cookies"] == {"seen": "1"}
    assert sent["headers"]["sec-fetch-site"] == "same-origin"
    assert sent["headers"]["origin"] == url


async def test_a_page_without_referrer_sends_its_form_with_a_null_origin(pages):
    """Fetch standard, "append a request Origin header"."""
    url, browser = pages
    await browser.open(url + "/private")
    headers = seen(await browser.submit(press="Cancel"))["headers"]
    assert headers["origin"] == "null"
    assert headers["sec-fetch-site"] == "same-origin"
    assert "referer" not in headers


async def test_it_stops_where_the_client_waits(pages):
    url, browser = pages
    await browser.open(url + "/login")
    await browser.submit({"Username": "redirect"})
    assert browser.came_back == "http://127.0.0.1:9/callback?code=1"


@pytest.mark.parametrize(("policy", "blocked"), [("'self'", True), ("'self' http:", False), ("*", False), ("'none'", True)])
async def test_a_form_action_policy_also_holds_for_the_redirect_after_the_form(pages, policy, blocked):
    """Chromium's reading of CSP Level 3; it has kept users of MCP clients on the consent page."""
    url, browser = pages
    await browser.open(f"{url}/login?form-action={policy}")
    if blocked:
        with pytest.raises(AssertionError, match="form-action"):
            await browser.submit({"Username": "redirect"})
    else:
        await browser.submit({"Username": "redirect"})
        assert browser.came_back is not None


async def test_a_field_or_button_that_is_not_there_is_named_with_those_that_are(pages):
    url, browser = pages
    await browser.open(url + "/login")
    with pytest.raises(LookupError, match=r"no field 'E-mail', only .*Username"):
        await browser.submit({"E-mail": "x"})
    with pytest.raises(LookupError, match=r"no button 'Go', only .*Allow access"):
        await browser.submit(press="Go")
