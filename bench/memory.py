#!/usr/bin/env python3
"""The peak memory of fehu beside that of the reference compiler, on programs of its benchmark repository.

    bench/memory.py FEHU FUTHARK DIR [--backend c|multicore] [--timeout S] [--jobs N] [PROGRAM ...]

FEHU and FUTHARK are the two compilers, DIR a checkout of the benchmarks; without names, all programs in it that have test
blocks are taken. Peak memory is what servers say of themselves: arguments, results and everything in between, at the worst moment of
a run. Prints it for each data set, and how many times the memory of the reference compiler fehu needs; the goal is at most 1.05.
Data sets for which both need less than 64 KiB are shown and not counted. Results are not compared with anything, so that data sets without
expected results count as well.

The reference compiler's C programs, for one thread and for several, do not count arrays that stay inside of a function, as fehu's do. So their
figure is printed twice: as they report it, and by a server whose C is changed to count those arrays, too (`inside.py`), with which fehu is compared. With
`--backend cuda` and others there is only the first. Its servers never begin to count anew, so that it is not fair to them where a smaller
data set follows a larger one. The last line of each
program is therefore what both have asked the C library for at the worst moment, over all data sets, counted alike by `heap.c`: memory that is kept
for later is in it, and so is what reading the arguments takes.
"""
import argparse, glob, os, re, struct, subprocess, tempfile
from inside import count_inside
from sides import Sides, arguments, geometric, memory, programs

# The reference compiler as it is, with all arrays counted, and us.
PEER, WHOLE, OURS = "the peer", "the peer, all arrays", "fehu"
# The back ends whose programs keep arrays inside of functions.
INSIDE = ("c", "multicore")
# The goal.
MOST = 1.05
# The smallest peak that counts, in bytes.
SMALL = 1 << 16


# Data for programs whose files are not to be had: peak memory depends on sizes alone.
RANDOM = {"parboil/lbm/lbm.fut": "random input { [44352000]f32 }"}


def data_sets(folder, program):
    """The test blocks of a program, as far as there are files, without expected results."""
    kept, inside = [], False
    for line in open(os.path.join(folder, program), errors="replace"):
        text = line.strip()
        if text == "-- ==" or not text.startswith("--"):
            inside = text == "-- =="
            kept += ["=="] * inside
        elif inside:
            text = text[2:].strip()
            file = re.match(r"(?:\w+ )*input @ (\S+)$", text)
            is_there = not file or os.path.exists(os.path.join(folder, os.path.dirname(program), file[1]))
            if is_there and not text.startswith("output @"):
                kept.append(text)
    if not any("input" in line for line in kept) and program in RANDOM:
        kept = ["==", RANDOM[program]]
    return "\n".join(kept) + "\n"


# In the place of a server: it runs the server, which is counted.
WRAPPER = """#!/bin/sh
HEAP_OUT='{real}.heap' LD_PRELOAD='{counter}' exec '{real}' "$@"
"""


def counter(folder):
    """Compiles the library that counts."""
    source, out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heap.c"), os.path.join(folder, "heap.so")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", out, source], check=True)
    return out


def wrap(server, library):
    if os.path.exists(server):
        os.rename(server, server + ".real")
        with open(server, "w") as out:
            out.write(WRAPPER.format(real=server + ".real", counter=library))
        os.chmod(server, 0o755)


def heap(server):
    """The most memory that a server has asked for, in bytes, as far as it is known."""
    sizes = [open(path, "rb").read() for path in glob.glob(glob.escape(server + ".real.heap") + ".*")]
    return max((struct.unpack("l", size)[0] for size in sizes), default=None)


def text(size):
    return f"{size:14d}" if size is not None else f"{'-':>14}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("futhark"), parser.add_argument("folder")
    arguments(parser)
    parser.set_defaults(runs=1)
    args = parser.parse_intermixed_args()
    names = args.programs or list(programs(args.folder))
    means, over = [], []
    with tempfile.TemporaryDirectory() as tmp:
        sides = Sides(args, {PEER: args.futhark, OURS: args.fehu}, args.fehu, tmp, read=memory)
        sides.build(names)
        library = counter(tmp)
        for name in names:
            if args.backend in INSIDE:
                count_inside(sides.server(PEER, name), sides.server(WHOLE, name))
            for who in sides.compilers:
                wrap(sides.server(who, name), library)
        heaps = []
        print(f"{'program':44} {'data set':34} {'reported':>14} {'all arrays':>14} {'fehu':>14}")
        for name in names:
            if sides.late():
                sides.failed.append(f"{name} (the time was over)")
                continue
            spec = os.path.join(tmp, "data_sets")
            with open(spec, "w") as out:
                out.write(data_sets(args.folder, name))
            found = {who: sides.measure(who, name, ["--spec-file", spec]) for who in (PEER, WHOLE, OURS)}
            reported, theirs, ours = (sizes or {} for sizes in found.values())
            ratios = []
            for key in sorted({**reported, **theirs, **ours}):
                first, second, ratio = theirs.get(key, reported.get(key)), ours.get(key), None
                if first and second and max(first, second) >= SMALL:
                    ratio = second / first
                    ratios.append(ratio)
                mark = f"{ratio:8.3f}{'  <<<' if ratio > MOST else ''}" if ratio else ""
                line = f"{key[0]:44.44} {key[1]:34.34} {text(reported.get(key))} {text(first)} {text(second)} bytes{mark}"
                print(line, flush=True)
                if ratio and ratio > MOST:
                    over.append(line)
            first, second = (heap(sides.server(who, name)) for who in sides.compilers)
            if first and second:
                ratio = second / first
                mark = "  <<<" if ratio > MOST else ""
                print(f"{name:44.44} {'heap':34} {'':14} {text(first)} {text(second)} bytes{ratio:8.3f}{mark}", flush=True)
                heaps.append(ratio)
            if ratios:
                means.append(geometric(ratios))
            else:
                sides.count(name, [], {who: found[who] for who in sides.compilers})
        if means:
            print(f"geometric mean over {len(means)} programs: {geometric(means):.3f}")
        if heaps:
            print(f"heap, geometric mean over {len(heaps)} programs: {geometric(heaps):.3f}, most {max(heaps):.3f}")
        print(f"data sets over {MOST}: {len(over)}")
        for line in over:
            print(line)
        for line in sides.failed:
            print("no figures:", line)


main()
