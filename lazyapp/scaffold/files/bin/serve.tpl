#!/bin/sh
# Serve the application. Usage: bin/serve [options of `lazyapp serve`]
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
python=$(bin/setup)
exec "$python" -m lazyapp serve "$@"
