"""New applications: the example application, renamed, with what surrounds it.

`app/` and `init/` are the repository's own; a wheel carries a copy of them here. `files/` holds the rest, each file
ending in `.tpl`.
"""

from lazyapp.scaffold.create import create
from lazyapp.scaffold.names import check_name

__all__ = ["check_name", "create"]
