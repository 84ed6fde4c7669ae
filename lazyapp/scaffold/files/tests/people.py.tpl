"""Who the tests sign in: there for them alone, and without a password."""

import lazyauth

ANN = lazyauth.User("ann"{% if mcp %}, {"mcps": ["*"]}{% endif %})
