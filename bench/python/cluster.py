"""How a compute-bound map over chunks and its reduction grow with processes of one machine.

    python bench/python/cluster.py                        1 and 2 processes, and so on up to the processors of this machine
    python bench/python/cluster.py --workers 1 16 --goal 10    fails unless 16 processes are 10 times as fast as one

Needs `pip install fehu-lang[dask]` and a C compiler. Each process has one thread. Every run gives the same result to the bit.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import numpy as np

import fehu
import fehu.dask as fd

SOURCE = """
-- Iterations of the Mandelbrot set's border for a row of numbers: a few thousand operations for each of them.
def escape (limit: i32) (x: f32) (y: f32) : i32 =
  (.2) (loop (a, b, n) = (x, y, 0i32) while n < limit && a * a + b * b < 4 do (a * a - b * b + x, 2 * a * b + y, n + 1))
type~ acc = {inside: i64, iterations: i64, sum: f64}
entry chunk (ys: []f32) : acc =
  let counts = map (\\y -> map (\\i -> escape 2000 (f32.i64 i / 200 - 2) y) (iota 500)) ys
  in { inside = i64.sum (map (\\row -> i64.sum (map (\\n -> i64.bool (n == 2000)) row)) counts)
     , iterations = i64.sum (map (\\row -> i64.sum (map i64.i32 row)) counts)
     , sum = f64.sum (map (\\row -> f64.sum (map (\\n -> 1 / f64.i32 (n + 1)) row)) counts) }
entry combine (a: acc) (b: acc) : acc =
  {inside = a.inside + b.inside, iterations = a.iterations + b.iterations, sum = a.sum + b.sum}
entry finish (a: acc) : (i64, i64, f64) = (a.inside, a.iterations, a.sum)
"""


def measure(module: fehu.Module, workers: int, chunks: int, rows: int) -> tuple[float, tuple]:
    """Seconds of a run on warm workers, and its result."""
    import dask.array as da

    with fd.LocalCluster(workers, 1) as cluster, fd.distributed.Client(cluster) as client:
        client.wait_for_workers(workers)
        fd.warm(client, module)
        # Border lines in another order: chunks take about as long as each other.
        ys = np.random.default_rng(1).permutation(np.linspace(-1, 1, chunks * rows, dtype=np.float32))
        x = da.from_array(ys, chunks=rows)
        fd.reduce(module.chunk, module.combine, x[: rows * workers], finish=module.finish).compute()
        start = time.perf_counter()
        result = fd.reduce(module.chunk, module.combine, x, finish=module.finish).compute()
        return time.perf_counter() - start, tuple(part.item() for part in result)


def main() -> int:
    processors = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[n for n in (1, 2, 4, 8, 16, 32) if n <= processors])
    parser.add_argument("--chunks", type=int, default=128)
    parser.add_argument("--rows", type=int, default=400, help="of a chunk; 500 points each")
    parser.add_argument("--goal", type=float, help="how many times as fast the last one has to be as the first one")
    args = parser.parse_args()
    module = fehu.compile(SOURCE, "multicore", name="cluster")
    print(f"{processors} processors, {args.chunks} chunks of {args.rows} rows, {module.compiler}")
    print("| processes | seconds | times as fast | of what is possible |\n| --- | --- | --- | --- |")
    first: float | None = None
    results = set()
    speedup = 1.0
    for workers in args.workers:
        seconds, result = measure(module, workers, args.chunks, args.rows)
        results.add(result)
        first = first if first is not None else seconds * args.workers[0]
        speedup = first / seconds
        print(f"| {workers} | {seconds:.2f} | {speedup:.2f} | {speedup / workers:.0%} |", flush=True)
    print(f"result: {sorted(results)}")
    if len(results) != 1:
        print("results differ", file=sys.stderr)
        return 1
    if args.goal is not None and speedup < args.goal:
        print(f"{speedup:.2f} times as fast, and {args.goal} is the goal", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
