"""Views: a name and variables in, HTML (or any other text) out.

`Views([folder]).render("accounts/index", {"accounts": [...]}, layout="app")` renders `accounts/index.html.j2` and puts it into
`layouts/app.html.j2`. It knows neither HTTP nor the application; whoever renders brings the helpers that do.
"""

from lazyview.errors import TemplateError, ViewError, ViewNotFound
from lazyview.helpers import RenderContext
from lazyview.views import Views

__all__ = ["RenderContext", "TemplateError", "ViewError", "ViewNotFound", "Views"]
