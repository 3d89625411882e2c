#!/bin/sh
# The compiler of `compiler.sh`, but its servers speak the older dialect.
FAKE_DIALECT=old exec "$(dirname "$0")/compiler.sh" "$@"
