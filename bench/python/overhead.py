"""What a call of a compiled function costs when its arguments are ready: two arrays of a few elements, or of a million, and a scalar result.

    python bench/python/overhead.py [--json FILE] [--source FILE] [--ffi FOLDER MODULE] [--server EXECUTABLE]

`--source` writes the program to a file and ends. If futhark-ffi and its requirements are installed, and a folder with a library that it has built
of this program is given, its calls are measured beside ours; likewise futhark-server, with a server. That one is another process, so
that what counts is the time that passes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

import fehu

SOURCE = """
entry first (xs: []f32) (ys: []f32) : f32 = xs[0] + ys[0]
entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)
entry same (xs: []f32) : []f32 = xs
entry add (x: i64) (y: i64) : i64 = x + y
"""


def microseconds(call, times: int = 20000, clock=time.thread_time) -> float:
    """The fastest of five rounds, for one call: the time of the calling thread, so that others on the machine do not count."""
    best = float("inf")
    for _ in range(5):
        start = clock()
        for _ in range(times):
            call()
        best = min(best, (clock() - start) / times)
    return best * 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--source", metavar="FILE")
    parser.add_argument("--ffi", nargs=2, metavar=("FOLDER", "MODULE"))
    parser.add_argument("--server", metavar="EXECUTABLE")
    args = parser.parse_args()
    if args.source:
        with open(args.source, "w") as stream:
            stream.write(SOURCE)
        return
    xs = np.ones(8, np.float32)
    rows = {}
    for backend in ("c", "multicore"):
        m = fehu.compile(SOURCE, backend)
        rows[f"{backend}: two scalars -> scalar"] = microseconds(lambda: m.add(1, 2))
        rows[f"{backend}: two arrays -> scalar"] = microseconds(lambda: m.first(xs, xs))
        rows[f"{backend}: array -> array"] = microseconds(lambda: m.same(xs))
        rows[f"{backend}: dot of 8"] = microseconds(lambda: m.dot(xs, xs))
    rows["NumPy: np.dot of 8"] = microseconds(lambda: np.dot(xs, xs))
    if args.ffi:
        sys.path.insert(0, args.ffi[0])
        from futhark_ffi import Futhark

        f = Futhark(__import__(args.ffi[1]))
        rows["futhark-ffi: two arrays -> scalar"] = microseconds(lambda: f.first(xs, xs), 2000)
        rows["futhark-ffi: array -> array"] = microseconds(lambda: f.from_futhark(f.same(xs)), 2000)
    if args.server:
        from futhark_server import Server

        with Server(args.server) as server:
            server.put_value("xs", xs)

            def first() -> None:
                server.cmd_call("first", "out", "xs", "xs")
                server.cmd_free("out")

            def first_and_values() -> None:
                server.put_value("zs", xs)
                server.cmd_call("first", "out", "zs", "zs")
                server.get_value("out")
                server.cmd_free("zs")
                server.cmd_free("out")

            wall = time.perf_counter
            rows["futhark-server: variables, no values"] = microseconds(first, 2000, wall)
            rows["futhark-server: two arrays -> scalar"] = microseconds(first_and_values, 500, wall)
    for name, time_each in rows.items():
        print(f"{name:40} {time_each:7.2f} us")
    if args.json:
        with open(args.json, "w") as stream:
            json.dump(rows, stream, indent=2)


if __name__ == "__main__":
    main()
