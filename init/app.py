"""The application. `lazyapp serve` runs it, and so does any ASGI server: `uvicorn init.app:app`."""

import lazyapp
from app import PUBLIC, VIEWS
from app.services.accounts import metadata
from init.dependencies import dependencies
from init.mcp import register_mcp
from init.oauth import oauth
from init.routes import draw

# Who may sign in? Without `auth=` it is the one user whom LAZYAUTH_DEFAULT_USER and LAZYAUTH_DEFAULT_PASS name; where they are
# not set, `lazyapp serve` makes up a password for each run.
app = lazyapp.App(
    lazyapp.Config(
        name="example.com",
        drawer=draw,
        public=PUBLIC,
        views=VIEWS,
        dependencies=dependencies,
        oauth=oauth,
        mcp=register_mcp,
        tables=metadata,
    )
)
