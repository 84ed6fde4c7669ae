"""Which path leads to which action."""

import lazyapp
from app.controllers.accounts_controller import AccountsController
from app.controllers.home_controller import HomeController


def draw(routes: lazyapp.Routes) -> None:
    """Draw the routes; `lazyapp routes` prints them."""
    routes.root(HomeController.index)
    with routes.resources("accounts", AccountsController, param="email") as accounts:
        accounts.member.post("/enable", AccountsController.enable)  # POST /accounts/{email}/enable
        accounts.member.post("/disable", AccountsController.disable)
        accounts.collection.get("/export", AccountsController.export)
