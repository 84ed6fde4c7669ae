#!/bin/sh
# Lint, types and tests. Usage: bin/test [options of pytest: then only pytest runs]
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
python=$(bin/setup pytest)
[ $# -eq 0 ] || exec "$python" -m pytest "$@"

failed=
check() { # what it is called, module, arguments ...
    name=$1
    shift
    if ! "$python" -c "import importlib.util, sys; sys.exit(not importlib.util.find_spec('$1'))"; then
        echo "-- $1 is not installed for $python, so it is left out"
        return
    fi
    echo "-- $*"
    "$python" -m "$@" || failed="$failed, $name"
}
check 'ruff check' ruff check
check 'ruff format' ruff format --check
check mypy mypy
check pytest pytest -q
[ -z "$failed" ] || {
    echo "Failed: ${failed#, }" >&2
    exit 1
}
