"""lazyapp.testing: what tests of an application are written with.

    async with lazyapp.testing.client(app) as client:
        page = await client.get("/accounts")
        page.see("ada@example.com")

One client is a person's browser, the way to an AI client at `/mcp`, and the way through its login, all in this process. The pytest
plugin gives it as the fixture `client`. Nothing here is loaded by `import lazyapp`.
"""

from lazyapp.testing.browser import Browser
from lazyapp.testing.client import Client, client
from lazyapp.testing.errors import LoginRefused, MCPError, NotOnPage, NotSignedIn
from lazyapp.testing.fields import File
from lazyapp.testing.form import Form
from lazyapp.testing.login import Tokens
from lazyapp.testing.mcp import Contents, MCPClient, Prompt, Question, Result
from lazyapp.testing.page import Page, Redirect

__all__ = [
    "Browser",
    "Client",
    "Contents",
    "File",
    "Form",
    "LoginRefused",
    "MCPClient",
    "MCPError",
    "NotOnPage",
    "NotSignedIn",
    "Page",
    "Prompt",
    "Question",
    "Redirect",
    "Result",
    "Tokens",
    "client",
]
