#!/usr/bin/env python3
"""How long people wait for a result: from source to value, for small programs and for long runs.

    bench/start.py [--large] [FEHU]

Small programs: the best of 15 in milliseconds, wall-clock and processor time (which says more on a busy machine), beside the goal.
`cold` is a program that nobody has run before, by machine code; `warm` is one that was compiled to C before. `--large`
adds runs of many seconds: machine code that C takes over from, beside C from the beginning; the goal is that the former takes at most three seconds more. FEHU is
target/release/fehu unless given. The cache is an empty folder of its own."""

import os
import resource
import subprocess
import sys
import tempfile
import time

LARGE = "--large" in sys.argv
GIVEN = [arg for arg in sys.argv[1:] if not arg.startswith("-")]
FEHU = os.path.abspath(GIVEN[0] if GIVEN else "target/release/fehu")

DOT = """def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
entry main (n: i64) : f64 = dot (map f64.i64 (iota n)) (map f64.i64 (iota n))
"""

STATISTICS = """def mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n
def variance [n] (xs: [n]f64) : f64 = let m = mean xs in mean (map (\\x -> (x - m) ** 2) xs)
def histogram [n] (k: i64) (xs: [n]f64) : [k]i64 =
  reduce_by_index (replicate k 0) (+) 0 (map (\\x -> i64.f64 (x * f64.i64 k)) xs) (replicate n 1)
entry main (n: i64) : (f64, f64, [10]i64) =
  let xs = map (\\i -> f64.i64 (i * 7919 % 1000) / 1000) (iota n)
  in (mean xs, variance xs, histogram 10 xs)
"""

GAME = """def step [n][m] (world: [n][m]i32) : [n][m]i32 =
  let at i j = world[i % n, j % m]
  let neighbours i j = at (i+n-1) (j+m-1) + at (i+n-1) j + at (i+n-1) (j+1) + at i (j+m-1) + at i (j+1)
                       + at (i+1) (j+m-1) + at (i+1) j + at (i+1) (j+1)
  in tabulate_2d n m (\\i j -> let k = neighbours i j in i32.bool (k == 3 || (k == 2 && world[i, j] == 1)))
entry main (n: i64) : i32 =
  let world = tabulate_2d n n (\\i j -> i32.bool ((i * 31 + j * 17) % 5 == 0))
  let world = iterate 10 step world
  in i32.sum (flatten world)
"""

# Seconds of machine code: C is several times as fast in the first, and no faster in the second, where each number depends on the one before.
VECTORS = """entry main (n: i64) : f32 =
  let f (x: f32) = loop y = x for _i < 2000 do y * 0.999f32 + x
  in f32.maximum (map (\\i -> f (f32.i64 i)) (iota n))
"""
CHAIN = """entry main (n: i64) : u64 =
  loop x = 88172645463325252u64 for _i < n do
    let x = x ^ (x << 13)
    let x = x ^ (x >> 7)
    in x ^ (x << 17)
"""


def once(arguments, text, cache):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([FEHU, *arguments], input=text.encode(), capture_output=True, env={**os.environ, "XDG_CACHE_HOME": cache})
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"fehu {' '.join(arguments)}: {done.stderr.decode()}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def best(arguments, text, cache):
    runs = [once(arguments, text, cache) for _ in range(15)]
    return 1000 * min(run[0] for run in runs), 1000 * min(run[1] for run in runs)


def small(folder, cache):
    print(f"{'':34}{'wall ms':>9}{'cpu ms':>9}{'goal':>7}")

    def row(name, figures, goal):
        print(f"{name:34}{figures[0]:9.1f}{figures[1]:9.1f}{goal:7}{'   <<<' if figures[1] > goal else ''}", flush=True)

    row("eval '1+1'", best(["eval", "1+1"], "", cache), 30)
    row("eval of 10^6 elements", best(["eval", "i64.sum (map (% 7) (iota 1000000))"], "", cache), 150)
    for name, text in (("dot", DOT), ("statistics", STATISTICS), ("game of life", GAME)):
        path = os.path.join(folder, name.replace(" ", "_") + ".fut")
        with open(path, "w") as file:
            file.write(text)
        row(f"{name}, cold", best(["run", path], "100i64", cache), 150)
        once(["run", "--backend=c", "--rounded-float", "--only-compile", path], "", cache)
        row(f"{name}, warm", best(["run", path], "100i64", cache), 30)


def large(folder, cache):
    print(f"\n{'':34}{'first s':>9}{'later s':>9}{'by c s':>9}")
    for name, text, size in (("vectors", VECTORS, "8000000i64"), ("chain", CHAIN, "4000000000i64")):
        path = os.path.join(folder, name + ".fut")
        with open(path, "w") as file:
            file.write(text)
        compiled = once(["run", "--backend=c", path], size, cache)
        first = once(["run", path], size, cache)
        later = once(["run", path], size, cache)
        if first[2] != later[2]:
            sys.exit(f"{name}: the results differ: {first[2]} and {later[2]}")
        slow = first[0] > compiled[0] + 3
        print(f"{name:34}{first[0]:9.1f}{later[0]:9.1f}{compiled[0]:9.1f}{'   <<<' if slow else ''}", flush=True)


with tempfile.TemporaryDirectory() as folder:
    cache = os.path.join(folder, "cache")
    small(folder, cache)
    if LARGE:
        large(folder, cache)
