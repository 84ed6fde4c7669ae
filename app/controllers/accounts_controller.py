"""The accounts, as pages."""

import csv
from io import StringIO
from typing import Annotated, Any

from fastapi import Form, HTTPException, Response
from pydantic import AfterValidator, BaseModel, Field

import lazymcp
from app.services.accounts import AccountNotFound, Accounts, EmailTaken, canonical
from lazyapp import Controller, InvalidForm, require_login


class AccountForm(BaseModel):
    """What the form on the page sends; the page draws its fields from here too."""

    email: Annotated[str, AfterValidator(canonical)] = Field(title="E-mail", max_length=254)


class AccountsController(Controller):
    """A list for everybody, and a form that adds to it, for those who are signed in."""

    async def index(self, accounts: Accounts, active: bool | None = None) -> dict[str, Any]:
        """Renders app/views/accounts/index.html.j2 with these variables."""
        return {"accounts": await accounts.search(active=active), "active": active, "form": AccountForm}

    @require_login
    async def create(self, accounts: Accounts, mcp: lazymcp.Scope, form: Annotated[AccountForm, Form()]) -> Response:
        """Add an account. A form that fails shows the page again, with what was typed and what is wrong with it."""
        try:
            account = await accounts.add(form.email)
        except EmailTaken as error:
            raise InvalidForm(email=str(error)) from error
        await mcp.notify_resource_updated("app://admin/users")  # AI clients that watch it read it again
        self.flash(f"{account.email} added")
        return self.redirect_to("accounts")

    @require_login
    async def enable(self, accounts: Accounts, mcp: lazymcp.Scope, email: str) -> Response:
        """Make an account active."""
        return await self._set_active(accounts, mcp, email, active=True)

    @require_login
    async def disable(self, accounts: Accounts, mcp: lazymcp.Scope, email: str) -> Response:
        """Make an account inactive."""
        return await self._set_active(accounts, mcp, email, active=False)

    async def export(self, accounts: Accounts) -> Response:
        """All accounts as a file of lines that a spreadsheet reads. RFC 4180."""
        text = StringIO()
        lines = csv.writer(text)
        lines.writerow(["email", "state"])
        for account in await accounts.search():
            # A spreadsheet takes a cell that begins like this for a formula, and anybody may add an account.
            email = f"'{account.email}" if account.email[0] in "=+-" else account.email
            lines.writerow([email, "active" if account.active else "inactive"])
        return self.send_data(text.getvalue(), "accounts.csv")

    async def _set_active(self, accounts: Accounts, mcp: lazymcp.Scope, email: str, *, active: bool) -> Response:
        try:
            account = await accounts.set_active(email, active=active)
        except (AccountNotFound, ValueError) as error:
            raise HTTPException(404, "There is no such account.") from error
        await mcp.notify_resource_updated("app://admin/users")
        self.flash(f"{account.email} is {'active' if active else 'inactive'} now")
        return self.redirect_back("accounts")
