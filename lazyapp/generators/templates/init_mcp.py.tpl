import lazyapp
import lazymcp

def register_mcp(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    """Register every module under $app/mcps; what their constructors ask for comes from the services."""
    scope.discover("$app.mcps")
