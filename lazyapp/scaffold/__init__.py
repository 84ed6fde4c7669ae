"""New applications: the example application, renamed, with what surrounds it.

`app/` and `init/` are the repository's own; a wheel carries a copy of them here. `files/` holds the rest, each file
ending in `.tpl`; `cuts.py` knows what goes when a part of it is not wanted.
"""

from lazyapp.scaffold.create import create
from lazyapp.scaffold.names import check_name
from lazyapp.scaffold.shape import Shape

__all__ = ["Shape", "check_name", "create"]
