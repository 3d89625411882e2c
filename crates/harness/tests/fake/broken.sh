#!/bin/sh
# A compiler that refuses everything.
echo 'this is no program' >&2
exit 1
