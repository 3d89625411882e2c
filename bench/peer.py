#!/usr/bin/env python3
"""fehu beside the reference compiler, on programs of its benchmark repository, in one run.

    bench/peer.py FEHU FUTHARK DIR [--backend c|multicore] [--runs N] [--timeout S] [--jobs N] [PROGRAM ...]

FEHU and FUTHARK are the two compilers, DIR a checkout of the benchmarks; without names, all programs in it that have test
blocks are taken. Both compilers use their own default flags and the same C compiler. Prints, for each data set, the medians
and how many times faster fehu is, and the geometric mean over programs (of the means of their data sets). Where there is no
time, a line says why, unless a file is missing.
"""
import argparse, tempfile
from sides import Sides, arguments, median, programs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("futhark"), parser.add_argument("folder")
    arguments(parser)
    args = parser.parse_intermixed_args()
    names = args.programs or list(programs(args.folder))
    with tempfile.TemporaryDirectory() as tmp:
        sides = Sides(args, {"the peer": args.futhark, "fehu": args.fehu}, args.fehu, tmp)
        sides.build(names)
        for name in names:
            if sides.late():
                sides.failed.append(f"{name} (the time was over)")
                continue
            found = {who: sides.measure(who, name) for who in sides.compilers}
            theirs, ours = (times or {} for times in found.values())
            ratios = [sides.ratio(key, median(theirs.get(key)), median(ours.get(key))) for key in sorted({**theirs, **ours})]
            sides.count(name, [ratio for ratio in ratios if ratio], found)
        sides.summary()


main()
