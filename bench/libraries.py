#!/usr/bin/env python3
"""Programs on a GPU beside the kernels of libraries, in one run.

    bench/libraries.py FEHU ANCHORS.cu [--runs N] [--rounds N] [--architecture sm_90]

ANCHORS.cu is a CUDA program that prints `name,elements,median_us,rate` for each computation: those of CUB (sum, scan, filter,
histograms, sums of rows), cuBLAS (matrix products), and kernels written by hand (transposition, n-body). `bench/libraries.fut` has
the same ones. Both are run by turns, in processes of their own; what counts is the median of the rounds. Prints both times, the
library's divided by ours, and the goal; `<<<` marks what misses it. Copying, scaling and adding are compared with the copy of the
driver, by the bytes that they move. The library's times are events on the device, ours are those of calls, with the launch and the wait
for the result. So the time of the same call on a single element is taken off them; the column "whole" is the speed with it.
"""
import argparse, os, subprocess, tempfile
from statistics import median

from gpu import Server

LARGE = 1 << 27
NUMBERS, OTHERS, KEYS = ("numbers", LARGE, "1u32"), ("numbers", LARGE, "2u32"), ("keys", LARGE, "0u32")
# Name, the library's name for it, its bytes relative to the library's (1 for equal work), goal, entry point, and arguments: values,
# or the entry points that make them.
WORK = [
    ("copy", "copy_d2d", 1, 0.95, "duplicate", [NUMBERS]),
    ("scale", "copy_d2d", 1, 0.95, "scale", [NUMBERS]),
    ("add", "copy_d2d", 1.5, 0.95, "add", [NUMBERS, OTHERS]),
    ("triad", "saxpy_f32", 1, 0.95, "triad", [NUMBERS, OTHERS]),
    ("sum", "reduce_sum_f32", 1, 0.95, "sum", [("numbers", 2 * LARGE, "1u32")]),
    ("scan of integers", "scan_sum_i32", 1, 0.95, "scan_u32", [KEYS]),
    ("scan of floats", "scan_sum_f32", 1, 0.95, "scan_f32", [NUMBERS]),
    ("filter", "filter_even_u32", 1, 0.9, "even", [KEYS]),
    *((f"histogram, {bins} bins", f"histogram_{bins}", 1, None, "histogram", [f"{bins}i64", ("keys", LARGE, f"{bins}u32")]) for bins in (32, 1024, 65536)),
    *((f"sums of rows of 2^{k}", f"segreduce_rows_2^{k}", 1, 0.95, "rows", [("matrix", LARGE >> k, 1 << k, "1u32")]) for k in (6, 10, 13, 20)),
    ("transposition of 8192", "transpose_f32_8192", 1, None, "turned", [("matrix", 8192, 8192, "1u32")]),
    ("the same beside a copy", "copy_d2d", 0.5, 0.95, "turned", [("matrix", 8192, 8192, "1u32")]),
    ("product of 1024", "sgemm_fp32_1024", 1, None, "product", [("matrix", 1024, 1024, "1u32"), ("matrix", 1024, 1024, "2u32")]),
    ("product of 4096", "sgemm_fp32_4096", 1, 0.8, "product", [("matrix", 4096, 4096, "1u32"), ("matrix", 4096, 4096, "2u32")]),
    ("n-body, 100000", "nbody_1e5_tiled", 1, 0.85, "nbody", [("bodies", 100000)]),
]


class Program(Server):
    """The compiled program, and the values that it holds."""

    def __init__(self, path, folder):
        super().__init__(path, 60)
        self.folder, self.known = folder, {}

    def value(self, argument):
        """The variables that hold an argument."""
        if argument not in self.known:
            given = argument if isinstance(argument, tuple) else (None, argument)
            path, names = os.path.join(self.folder, "scalars"), [f"v{len(self.known)}_{i}" for i in range(len(given) - 1)]
            with open(path, "w") as out:
                print(*(str(x) if isinstance(x, str) else f"{x}i64" for x in given[1:]), file=out)
            kinds = ["u32" if str(x).endswith("u32") else "i64" for x in given[1:]]
            self.do("restore", path, *(x for pair in zip(names, kinds) for x in pair))
            if given[0]:
                made = [f"m{len(self.known)}_{i}" for i in range(len(self.do("outputs", given[0])))]
                self.do("call", given[0], *made, *names)
                names = made
            self.known[argument] = names
        return self.known[argument]

    def overhead(self, entry, arguments, runs):
        """The time of a call with next to no work."""
        small = [argument if isinstance(argument, str) else (argument[0], *(1 if isinstance(x, int) else x for x in argument[1:])) for argument in arguments]
        return self.time(entry, small, runs)

    def time(self, entry, arguments, runs):
        names = [name for argument in arguments for name in self.value(argument)]
        outs = [f"out{i}" for i in range(len(self.do("outputs", entry)))]
        times = []
        for _ in range(runs + 3):
            lines = self.do("call", entry, *outs, *names)
            times.append(int(next(line for line in lines if line.startswith("runtime:")).split()[1]))
            self.do("free", *outs)
        return median(times[3:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("anchors")
    parser.add_argument("--runs", type=int, default=41), parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--architecture", default="sm_90")
    args = parser.parse_args()
    library, ours, launches = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        anchors, program = os.path.join(folder, "anchors"), os.path.join(folder, "program")
        nvcc = subprocess.Popen(["nvcc", "-O3", "-std=c++17", f"-arch={args.architecture}", args.anchors, "-lcublas", "-o", anchors])
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libraries.fut")
        subprocess.check_call([args.fehu, "cuda", "--server", source, "-o", program])
        if nvcc.wait() != 0:
            raise SystemExit("nvcc failed")
        for _ in range(args.rounds):
            for line in subprocess.check_output([anchors], text=True).splitlines():
                name, _, us, _ = line.split(",")
                library.setdefault(name, []).append(float(us))
            server = Program(program, folder)
            for name, _, _, _, entry, arguments in WORK:
                ours.setdefault(name, []).append(server.time(entry, arguments, args.runs))
                launches.setdefault(name, []).append(server.overhead(entry, arguments, args.runs))
            server.process.stdin.close()
            server.process.wait()
    print(f"{'computation':24} {'library us':>10} {'fehu us':>9} {'launch':>7} {'whole':>6} {'speed':>6} {'goal':>5}")
    for name, anchor, bytes_, goal, _, _ in WORK:
        theirs, us, launch = median(library[anchor]) * bytes_, median(ours[name]), median(launches[name])
        speed = theirs / (us - launch)
        missed = "  <<<" if goal and speed < goal else ""
        print(f"{name:24} {theirs:10.1f} {us:9.0f} {launch:7.0f} {theirs / us:6.2f} {speed:6.2f} {goal or '':>5}{missed}")


main()
