#!/usr/bin/env python3
"""Simple computations beside the same written in C by hand, each called in a row.

    bench/anchors.py FEHU DIR [--threads N] [--rounds N] [--goal RATIO] [--exact NAME]...

DIR has `anchors.c`, which prints `name,threads,median_us` for each computation, and `cpu.fut`, a program with the same ones. In each
round, a new process of `anchors.c` calls each computation some times in a row, after one call that does not count; then a new process
of the compiled program does, with as many calls. What counts is the median over the rounds of the medians. Prints both, the ratio of
fehu's time to that of C, and the geometric mean; `<<<` marks ratios above the goal. One thread is back end `c`, others are `multicore`.

Both are compiled with the same licence: `-ffast-math` and `--fast-math`. What `--exact` names (n-body, unless something else is named) is measured
without it on our side, too; these rows have `exact` behind the name, and are not part of the mean.
"""
import argparse, os, subprocess, tempfile
from math import exp, log
from statistics import mean, median

from compare import ANCHORS, Server

# How `anchors.c` calls them, and how often it calls each, in the order of `ANCHORS`.
NAMES = [
    ("sum_f32_2^25", 11), ("dotprod_f32_2^25", 11), ("saxpy_f32_2^25", 11), ("scan_sum_i32_2^25", 11), ("histogram_2^25_1024", 11),
    ("histogram_2^25_2^20", 5), ("rowsum_f32_2^19x2^6", 11), ("rowsum_f32_2^12x2^13", 11), ("blackscholes_f32_2^23", 5),
    ("stencil_f32_4096", 11), ("matmul_f32_1024", 5), ("nbody_f32_8192", 5), ("mandelbrot_1024_255", 5),
]


def measure(server, options, folder, wanted, found):
    """One round in a new process: the median time of each computation that is wanted."""
    program = Server(server, options, folder)
    for (name, calls), (entry, values) in zip(NAMES, ANCHORS):
        if wanted(name):
            program.time(entry, values)
            found.setdefault(name, []).append(median(program.time(entry, values) for _ in range(calls)))
    program.process.stdin.close()
    program.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("folder")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--goal", type=float, default=1.2, help="ratios above it are marked")
    parser.add_argument("--exact", action="append", metavar="NAME", help="computations that are also measured without fast math")
    args = parser.parse_args()
    twice = args.exact or ["nbody"]
    by_hand, ours, exact = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        anchors, server, exact_server = (os.path.join(folder, name) for name in ("anchors", "cpu", "exact"))
        text, program = os.path.join(args.folder, "anchors.c"), os.path.join(args.folder, "cpu.fut")
        subprocess.check_call(["cc", "-O3", "-march=native", "-ffast-math", "-fopenmp", text, "-lm", "-o", anchors])
        backend, options = ("c", []) if args.threads == 1 else ("multicore", [f"--num-threads={args.threads}"])
        subprocess.check_call([args.fehu, backend, "--fast-math", "--server", program, "-o", server])
        subprocess.check_call([args.fehu, backend, "--server", program, "-o", exact_server])
        for _ in range(args.rounds):
            for line in subprocess.check_output([anchors, str(args.threads)], text=True).split():
                name, _, us = line.split(",")
                by_hand.setdefault(name, []).append(float(us))
            measure(server, options, folder, lambda name: True, ours)
            measure(exact_server, options, folder, lambda name: any(word in name for word in twice), exact)
    print(f"{'computation':24} {'C us':>9} {'fehu us':>9} {'ratio':>6}")
    ratios = []
    for name, _ in NAMES:
        c = median(by_hand[name])
        for label, found in ((name, ours), (f"{name} exact", exact)):
            if name in found:
                fehu = median(found[name])
                print(f"{label:24} {c:9.0f} {fehu:9.0f} {fehu / c:6.2f}{'  <<<' if fehu / c > args.goal else ''}")
        ratios.append(median(ours[name]) / c)
    print(f"{'geometric mean':44} {exp(mean(map(log, ratios))):6.2f}")


main()
