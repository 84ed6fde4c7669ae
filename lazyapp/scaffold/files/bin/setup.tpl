#!/bin/sh
# Print a Python that can run the application: that of a .venv installed here; else .venv's, python3, the one that made the application or
# lazyapp's own, whichever first has what is needed; else that of a .venv made now.
# Usage: bin/setup [module ...], the modules needed besides lazyapp
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."

has_all() { # python module ...
    "$@" 2>/dev/null <<'END'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(name) for name in sys.argv[1:]))
END
}

maker=$(cat .lazyapp/python 2>/dev/null || :)
if [ ! -e .venv/installed ]; then
    beside=$(dirname -- "$(readlink -f -- "$(command -v lazyapp || echo /none/lazyapp)")")
    for python in .venv/bin/python python3 "$maker" "$beside/python"; do
        if has_all "$python" - lazyapp "$@"; then
            echo "$python"
            exit
        fi
    done
fi

give_up() {
    trap - EXIT
    [ -z "$made" ] || rm -rf .venv # half a .venv would be preferred to a Python that has everything
    advice="when there is a network, run this again"
    if [ $# -gt 0 ] && has_all "$maker" - lazyapp; then
        advice="$advice, or install $* for $maker, which has lazyapp"
    fi
    echo "What pyproject.toml asks for could not be installed; $advice." >&2
    if [ -s "$log" ]; then
        echo "The installer said at last:" >&2
        tail -n 12 "$log" | sed 's/^/  /' >&2
    fi
    rm -f "$log"
    exit 1
}

install() {
    if command -v uv >/dev/null; then
        [ -x .venv/bin/python ] || uv venv --quiet --clear --python '>=3.11' .venv
        uv pip install --quiet --python .venv/bin/python -e '.[dev]'
    else
        [ -x .venv/bin/python ] || python3 -m venv --clear .venv
        .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip >/dev/null # uv's venvs have no pip
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
    fi
}

wanted=$(cksum <pyproject.toml)$PWD
if [ "$(cat .venv/installed 2>/dev/null)" != "$wanted" ]; then
    command -v uv >/dev/null || python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        echo "Python 3.11 or newer is needed; install it, or install uv, then run this again." >&2
        exit 1
    }
    echo "Making .venv and installing what pyproject.toml asks for ..." >&2
    made=
    [ -d .venv ] || made=1
    log=$(mktemp)
    # Also when somebody has no patience with it.
    trap 'give_up "$@"' EXIT
    trap 'exit 1' INT TERM HUP
    install >"$log" 2>&1
    trap - EXIT INT TERM HUP
    rm -f "$log"
    printf '%s\n' "$wanted" >.venv/installed
fi
echo .venv/bin/python
