#!/bin/sh
# Run the tests. Usage: bin/test [options of pytest]
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
python=$(bin/setup pytest)
exec "$python" -m pytest "$@"
