#!/usr/bin/env python3
"""The programs in `bench/irregular`: as users write them, beside what they would have to write without a compiler that flattens.

    bench/irregular.py [--fehu PATH] [--backend c|multicore|opencl|cuda] [PROGRAM ...]

Each program computes the same in three ways: `nested`, `flat` (flattened by hand) and `rows` (a thread for each row). Prints for
each data set the medians of all three in microseconds, and how many times as long `nested` takes as the other two; then geometric
means, and the rows in which `nested` takes more than 10% longer than one of the others. Without names, all programs are taken.

`--limit` is the time for a program, `--seconds` the time for everything; what was left out for lack of time is listed at the end.
"""
from ways import compare

# What `kmeans.fut` calls them.
compare(__doc__, "irregular", ["nested", "flat", "rows"], {"chunked_comm": "nested", "by_histogram": "flat"})
