"""How AI clients sign in."""

import lazyapp
import lazyoauth


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    """Be an authorization server for /mcp, with this application's own users; logins are remembered in its database."""
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=ctx.get(lazyoauth.RefreshTokenStateStore))
