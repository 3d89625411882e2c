#!/usr/bin/env python3
"""The programs in `bench/irregular`: as users write them, beside what they would have to write without a compiler that flattens.

    bench/irregular.py [--fehu PATH] [--backend c|multicore|opencl|cuda] [PROGRAM ...]

Each program computes the same in three ways: `nested`, `flat` (flattened by hand) and `rows` (a thread for each row). Prints for
each data set the medians of all three in microseconds, and how many times as long `nested` takes as the other two; then geometric
means, and the rows in which `nested` takes more than 10% longer than one of the others. Without names, all programs are taken.

`--limit` is the time for a program, `--seconds` the time for everything; what was left out for lack of time is listed at the end.
"""
import argparse, os, sys, tempfile
from sides import Sides, arguments, geometric, median, programs

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "irregular")
WAYS = ["nested", "flat", "rows"]
# What `kmeans.fut` calls them.
OTHER = {"chunked_comm": "nested", "by_histogram": "flat"}
# A ratio above this is marked.
SLOWER = 1.1


def table(found):
    """For each data set the median of each way, in the order of the test blocks."""
    rows = {}
    for (entry, data), runs in found.items():
        way = entry.split(":")[-1]
        way = OTHER.get(way, way)
        if way in WAYS:
            rows.setdefault(data, {})[way] = median(runs)
    return rows


def text(time):
    return f"{time:12.0f}" if time else f"{'-':>12}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fehu", default="fehu")
    arguments(parser)
    args = parser.parse_args()
    args.folder = FOLDER
    names = args.programs or list(programs(FOLDER))
    ratios, slow = {way: [] for way in WAYS[1:]}, []
    with tempfile.TemporaryDirectory() as tmp:
        sides = Sides(args, {"fehu": args.fehu}, args.fehu, tmp)
        sides.build(names)
        print(f"{'program':16} {'data':28} " + " ".join(f"{way:>12}" for way in WAYS) + "  nested/flat nested/rows", flush=True)
        for name in names:
            if sides.late():
                sides.failed.append(f"{name} (the time was over)")
                continue
            found = sides.measure("fehu", name)
            if not found:
                sides.failed.append(f"{name} ({'does not compile' if found is None else 'has no times'})")
                continue
            for data, times in table(found).items():
                line = f"{name:16.16} {data:28.28} " + " ".join(text(times.get(way)) for way in WAYS)
                for way in ratios:
                    both = times.get("nested") and times.get(way)
                    ratio = times["nested"] / times[way] if both else None
                    line += f" {ratio:11.2f}" if ratio else f" {'-':>11}"
                    if ratio:
                        ratios[way].append(ratio)
                        if ratio > SLOWER:
                            slow.append(f"{name} {data}: {ratio:.2f} times as long as {way}")
                print(line, flush=True)
    for way, all_of_them in ratios.items():
        if all_of_them:
            print(f"nested/{way}: geometric mean over {len(all_of_them)} data sets {geometric(all_of_them):.2f}")
    for line in slow:
        print("slower:", line)
    for line in sides.failed:
        print("no figures:", line)
    sys.exit(1 if slow or sides.failed else 0)


main()
