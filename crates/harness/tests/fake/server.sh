#!/bin/sh
# A server for tests, without a program: values are files, and entry points move them about.
#
#   same  : []i32 -> []i32             the same array
#   eat   : *[]i32 -> []i32            likewise, and the argument is gone
#   pair  : []i32 -> []i32 -> p        a record with the fields 0 and 1; "(a, b)" in both dialects
#   left  : p -> []i32                 the first component
#   wrap  : []i32 -> s                 a value that cannot be seen
#   fail, die, slow, endless           what their names say, with one argument
#   spoil : []i32 -> []i32             the same array, but the server will not end well
#   frail : []i32 -> []i32             the same array, but the server dies when something is freed
dialect=new
vars=$(mktemp -d)
trap 'rm -rf "$vars"' EXIT
fail() { echo '%%% FAILURE'; echo "$1"; }
have() { [ -e "$vars/$1" ] || [ -e "$vars/$1.0" ]; }
# dup NEW OLD: copies a variable, be it a record or not
dup() {
  for part in "" .0 .1; do
    if [ -e "$vars/$2$part" ]; then cp "$vars/$2$part" "$vars/$1$part"; fi
  done
}
record='([]i32, []i32)'
spoiled=no
frail=no
echo '%%% OK'
while read -r line; do
  eval "set -- $line"
  command=$1
  shift
  case $command in
    entry_points) printf '%s\n' same eat pair left wrap fail die spoil frail slow endless;;
    types) printf '%s\n' i32 '[]i32' "$record" s;;
    inputs)
      case $1 in
        eat) echo '*[]i32';;
        pair) printf '%s\n' '[]i32' '[]i32';;
        left) echo "$record";;
        *) echo '[]i32';;
      esac;;
    output)
      if [ $dialect = old ]; then echo "Unknown command: $command" >&2; exit 1; fi
      case $1 in pair) echo "$record";; wrap) echo s;; *) echo '*[]i32';; esac;;
    outputs)
      case $1 in pair) printf '%s\n' '[]i32' '[]i32';; wrap) echo s;; *) echo '[]i32';; esac;;
    fields)
      case $1 in
        "$record") printf '%s\n' '0 []i32' '1 []i32';;
        *) fail 'Not a record type';;
      esac;;
    restore) # All values of a file have the same size in these tests.
      file=$1; shift
      size=$(($(wc -c < "$file") * 2 / $#)); start=1
      while [ $# -gt 0 ]; do
        tail -c "+$start" "$file" | head -c "$size" > "$vars/$1"
        start=$((start + size)); shift 2
      done;;
    store)
      file=$1; shift; : > "$file"
      for name; do
        for part in "" .0 .1; do
          if [ -e "$vars/$name$part" ]; then cat "$vars/$name$part" >> "$file"; fi
        done
      done;;
    free)
      if [ "$frail" = yes ]; then echo 'I break' >&2; exit 4; fi
      for name; do rm -f "$vars/$name" "$vars/$name.0" "$vars/$name.1"; done;;
    project) cp "$vars/$2.$3" "$vars/$1";;
    new) cp "$vars/$3" "$vars/$1.0"; cp "$vars/$4" "$vars/$1.1";;
    clear) ;;
    report) echo '{"memory": {"default space": 64}, "events": []}';;
    call)
      entry=$1; out=$2; shift 2
      case $entry in
        same) dup "$out" "$1"; echo 'runtime: 100';;
        wrap) echo secret > "$vars/$out"; echo 'runtime: 100';;
        eat)
          if have "$1"; then dup "$out" "$1"; rm "$vars/$1"; echo 'runtime: 200'
          else fail "the variable $1 is gone"; fi;;
        pair)
          if [ $dialect = old ]; then dup "$out" "$2"; dup "$1" "$3"
          else cp "$vars/$1" "$vars/$out.0"; cp "$vars/$2" "$vars/$out.1"; fi
          echo 'runtime: 300';;
        left) cp "$vars/$1.0" "$vars/$out"; echo 'runtime: 400';;
        fail) echo 'runtime: 1'; fail 'Error: it is broken.';;
        die) echo 'I am dying' >&2; exit 3;;
        spoil) dup "$out" "$1"; spoiled=yes; echo 'runtime: 100';;
        frail) dup "$out" "$1"; frail=yes; echo 'runtime: 100';;
        slow) sleep 0.01; dup "$out" "$1"; echo 'runtime: 10000';;
        endless) sleep 100;;
      esac;;
    *) echo "Unknown command: $command" >&2; exit 1;;
  esac
  echo '%%% OK'
done
if [ "$spoiled" = yes ]; then echo 'I have lost memory' >&2; exit 23; fi
