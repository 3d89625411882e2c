#!/bin/sh
# A compiler for tests: called as `compiler.sh BACKEND --server FILE -o OUTPUT`, it makes a server of the one
# program that `server.sh` beside it knows.
here=$(dirname "$0")
shift 2
while [ $# -gt 1 ]; do
  case $1 in
    -o) output=$2;;
  esac
  shift
done
sed "s/^dialect=.*/dialect=${FAKE_DIALECT:-new}/" "$here/server.sh" > "$output"
chmod +x "$output"
