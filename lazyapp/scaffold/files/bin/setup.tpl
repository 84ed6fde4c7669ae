#!/bin/sh
# Print a Python that can run the application: that of .venv, else one on PATH that has what is needed, else that of a .venv made now.
# Usage: bin/setup [module ...], the modules needed besides lazyapp
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."

has_all() { # python module ...
    "$@" 2>/dev/null <<'END'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(name) for name in sys.argv[1:]))
END
}

if [ ! -d .venv ]; then
    beside=$(dirname -- "$(readlink -f -- "$(command -v lazyapp || echo /none/lazyapp)")")
    for python in python3 "$beside/python"; do
        if has_all "$python" - lazyapp "$@"; then
            echo "$python"
            exit
        fi
    done
fi

wanted=$(cksum <pyproject.toml)$PWD
if [ "$(cat .venv/installed 2>/dev/null)" != "$wanted" ]; then
    echo "Making .venv and installing what pyproject.toml asks for ..." >&2
    if command -v uv >/dev/null; then
        [ -x .venv/bin/python ] || uv venv --quiet --clear --python '>=3.11' .venv >&2
        uv pip install --quiet --python .venv/bin/python -e '.[dev]' >&2
    else
        python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
            echo "Python 3.11 or newer is needed; install it, or install uv, then run this again." >&2
            exit 1
        }
        [ -x .venv/bin/pip ] || python3 -m venv --clear .venv >&2
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' >&2
    fi
    printf '%s\n' "$wanted" >.venv/installed
fi
echo .venv/bin/python
