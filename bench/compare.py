#!/usr/bin/env python3
"""Two versions of fehu beside each other, in one run: has anything become slower?

    bench/compare.py OLD NEW DIR [--backend c|multicore|cuda] [--threads 1|all] [--anchors DIR] [--rounds N] [PROGRAM ...]

OLD and NEW are two builds of fehu, DIR a checkout of the benchmark programs of the reference compiler; without names, all
programs in it that have test blocks are taken. `--anchors` names a folder with `cpu.fut`, a program of simple computations
that are also written in C; its entry points are measured as well. Both versions are run by turns: in each round, first one and
then the other, in processes of their own. Data sets for which NEW seems to need more than 5% longer are measured once more,
and marked with `<<<` if both measurements together still say so. Prints, for each data set, the medians and how many times
faster NEW is, the geometric mean over programs (of the means of their data sets), and the marked rows again. The exit status
is 1 if there are any.

`--limit` is the time for a program on one side in one round, `--seconds` the time for everything; what was left out for lack
of time is listed at the end.
"""
import argparse, os, struct, subprocess, sys, tempfile
from sides import Sides, arguments, median, programs

# A ratio below this is looked at twice.
SLOWER = 0.95
MARK = "  <<<"
# The computations of `cpu.fut`, with what their arguments are made from: an entry point that fills an array, and its shape.
ANCHORS = [
    ("sum", ["x:33554432"]), ("dotprod", ["x:33554432", "y:33554432"]), ("saxpy", ["x:33554432", "y:33554432"]),
    ("scan_sum", ["k:33554432"]), ("histogram", ["1024", "k:33554432"]), ("histogram", ["1048576", "k:33554432"]),
    ("rowsum", ["x:524288x64"]), ("rowsum", ["x:4096x8192"]), ("blackscholes", ["x:8388608"]),
    ("stencil", ["x:4096x4096", "y:4096x4096"]), ("matmul", ["x:1024x1024", "y:1024x1024"]),
    ("nbody", ["x:8192", "y:8192", "x:8192", "y:8192"]), ("mandelbrot", ["1024", "255i32"]),
]
MAKERS = {"x": ("mk_xs", b" f32", 4), "y": ("mk_ys", b" f32", 4), "k": ("mk_keys", b" u32", 4)}


class Server:
    """A server of `cpu.fut`, and the variables that it has."""

    def __init__(self, path, options, folder):
        self.process = subprocess.Popen([path, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.folder, self.known = folder, set()
        self.answer()

    def answer(self):
        lines = []
        while (line := self.process.stdout.readline()) != "":
            if line.strip() == "%%% OK":
                break
            lines.append(line.strip())
        else:
            raise RuntimeError("the server is gone")
        if "%%% FAILURE" in lines:
            raise RuntimeError(" ".join(lines)[:200])
        return lines

    def do(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def restore(self, name, kind, shape, data):
        path = os.path.join(self.folder, "value")
        with open(path, "wb") as out:
            out.write(b"b\x02" + bytes([len(shape)]) + kind + b"".join(struct.pack("<q", d) for d in shape) + data)
        self.do("restore", path, name, "[]" * len(shape) + kind.decode().strip())

    def variable(self, text):
        """The name of a variable with the value that a text stands for."""
        name = "v_" + text.replace(":", "_")
        if name in self.known:
            return name
        self.known.add(name)
        if text.isdigit():
            self.restore(name, b" i64", [], struct.pack("<q", int(text)))
        elif text.endswith("i32"):
            self.restore(name, b" i32", [], struct.pack("<i", int(text[:-3])))
        else:
            array, dims = text.split(":")
            shape = [int(d) for d in dims.split("x")]
            maker, kind, size = MAKERS[array]
            count = 1
            for dim in shape:
                count *= dim
            whole = name if len(shape) == 1 else name + "_whole"
            self.do("call", maker, whole, self.variable(str(count)))
            if len(shape) > 1:
                path = os.path.join(self.folder, "whole")
                self.do("store", path, whole)
                self.do("free", whole)
                self.restore(name, kind, shape, open(path, "rb").read()[-size * count:])
        return name

    def time(self, entry, args):
        lines = self.do("call", entry, "result", *map(self.variable, args))
        self.do("free", "result")
        return int(next(line for line in lines if line.startswith("runtime:")).split()[1])


def judge(sides, key, old, new, again, marked):
    """Prints the row of a data set, and measures it once more if it seems to be slower. `again` gives more times of both."""
    first, second = median(old), median(new)
    if first and second and first / second < SLOWER:
        more = again()
        first, second = median(old + more[0]), median(new + more[1])
    slower = first and second and first / second < SLOWER
    ratio = sides.ratio(key, first, second, MARK if slower else "")
    if ratio and slower:
        marked.append((key, first, second))
    return ratio


def anchors(sides, args, options, marked):
    program = "cpu.fut"
    for who in sides.compilers:
        if not os.path.exists(sides.server(who, program)):
            sides.failed.append(f"{program} ({who} does not compile it)")
            return
    ratios = []
    for entry, values in ANCHORS:
        if sides.late():
            sides.failed.append(f"{program}:{entry} (the time was over)")
            continue

        def runs():
            found = [[], []]
            for _ in range(args.rounds):
                # A process keeps its core and its pages, and they alone can make it a third slower than the next one.
                servers = [Server(sides.server(who, program), options, sides.tmp) for who in sides.compilers]
                # The first run of each touches memory for the first time.
                for number in range(args.runs + 1):
                    for times, server in zip(found, servers):
                        time = server.time(entry, values)
                        if number > 0:
                            times.append(time)
                for server in servers:
                    server.process.stdin.close()
                    server.process.wait()
            return found

        old, new = runs()
        ratios.append(judge(sides, (f"{program}:{entry}", " ".join(values)), old, new, runs, marked))
    sides.count(program, [ratio for ratio in ratios if ratio], {who: True for who in sides.compilers})


def both(sides, name, options, rounds):
    """All times of a program, old and new by turns."""
    found = {}
    for _ in range(rounds):
        for who in sides.compilers:
            times = sides.measure(who, name, options)
            if times is None:
                found[who] = None
            elif found.get(who, {}) is not None:
                for key, runs in times.items():
                    found.setdefault(who, {}).setdefault(key, []).extend(runs)
                found.setdefault(who, {})
    return found


def program(sides, args, name, options, marked):
    found = both(sides, name, options, args.rounds)
    old, new = (times or {} for times in found.values())
    more = []

    def again(key):
        # The data sets of a program are measured together.
        if not more:
            more.append(both(sides, name, options, args.rounds))
        return [(times or {}).get(key, []) for times in more[0].values()]

    ratios = [judge(sides, key, old.get(key), new.get(key), lambda: again(key), marked) for key in sorted({**old, **new})]
    sides.count(name, [ratio for ratio in ratios if ratio], found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old"), parser.add_argument("new"), parser.add_argument("folder")
    parser.add_argument("--threads", choices=["1", "all"], default="all", help="of multicore programs")
    parser.add_argument("--anchors", help="a folder with cpu.fut")
    parser.add_argument("--rounds", type=int, default=2, help="how often each version takes its turn")
    arguments(parser)
    args = parser.parse_intermixed_args()
    names = args.programs or list(programs(args.folder))
    single = args.backend == "multicore" and args.threads == "1"
    marked = []
    with tempfile.TemporaryDirectory() as tmp:
        sides = Sides(args, {"old": args.old, "new": args.new}, args.new, tmp)
        if args.anchors:
            sides.build(["cpu.fut"], args.anchors)
            anchors(sides, args, ["--num-threads=1"] if single else [], marked)
        sides.build(names)
        for name in names:
            if sides.late():
                sides.failed.append(f"{name} (the time was over)")
                continue
            program(sides, args, name, ["-p", "--num-threads=1"] if single else [], marked)
        sides.summary()
    for key, old, new in marked:
        print(f"slower: {key[0]} {key[1]}: {old:.0f} to {new:.0f} us ({old / new:.2f}x)")
    sys.exit(1 if marked else 0)


if __name__ == "__main__":
    main()
