#!/usr/bin/env python3
"""The programs in `bench/sequences`: on sequences, beside the same on arrays, with data that is in memory.

    bench/sequences.py [--fehu PATH] [--backend c|multicore|opencl|cuda] [PROGRAM ...]

Prints for each data set the medians of both in microseconds, and how many times as long `sequences` takes, which should be at most 1.1; then
the geometric mean, and the rows in which it is more. Without names, all programs are taken.

`--limit` is the time for a program, `--seconds` the time for everything; what was left out for lack of time is listed at the end.
"""
from ways import compare

compare(__doc__, "sequences", ["sequences", "arrays"])
