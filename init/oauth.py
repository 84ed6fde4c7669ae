"""How AI clients sign in."""

import lazyapp
import lazyoauth


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    """Be an authorization server for /mcp, with this application's own users; logins are remembered in its database."""
    in_production = ctx.settings.env == "production"
    return lazyoauth.Config(
        issuer=ctx.settings.public_url,
        refresh_token_states=ctx.get(lazyoauth.RefreshTokenStateStore),
        # A client whose answer was lost on the way, or whose windows refresh at the same moment, need not log in again. While you
        # develop, each refresh token is good once.
        refresh_retry_window_s=30 if in_production else 0,
        refresh_burst_merge_s=1 if in_production else 0,
    )
