#!/usr/bin/env python3
"""The peak memory of fehu beside that of the reference compiler, on programs of its benchmark repository.

    bench/memory.py FEHU FUTHARK DIR [--backend c|multicore] [--timeout S] [--jobs N] [PROGRAM ...]

FEHU and FUTHARK are the two compilers, DIR a checkout of the benchmarks; without names, all programs in it that have test
blocks are taken. Peak memory is what servers say of themselves: arguments, results and everything in between, at the worst moment of
a run. Prints it for each data set, and how many times the memory of the reference compiler fehu needs; the goal is at most 1.05.
Data sets for which both need less than 64 KiB are shown and not counted.

The reference compiler's C programs for one thread do not count arrays that stay inside of a function, so that the comparison is not fair to fehu
there; and its servers never begin to count anew, so that it is not fair to them where a smaller data set follows a larger one. The last line of each program is therefore what the operating system has counted: the largest resident memory of the server
over all data sets, without the program itself, and with memory that is kept for later.
"""
import argparse, os, tempfile
from sides import Sides, arguments, geometric, memory, programs

# The goal.
MOST = 1.05
# The smallest peak that counts, in bytes.
SMALL = 1 << 16


# In the place of a server: it runs the server, and adds its resident memory to a file.
WRAPPER = """#!/usr/bin/env python3
import ctypes, resource, subprocess, sys
# If this process is killed, so is the server.
status = subprocess.call([{real!r}, *sys.argv[1:]], preexec_fn=lambda: ctypes.CDLL(None).prctl(1, 9))
open({out!r}, "a").write(f"{{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}}\\n")
sys.exit(status)
"""


def wrap(server):
    if os.path.exists(server):
        os.rename(server, server + ".real")
        with open(server, "w") as out:
            out.write(WRAPPER.format(real=server + ".real", out=server + ".resident"))
        os.chmod(server, 0o755)


def resident(server):
    """The resident memory of a server without the program, in bytes, as far as it is known."""
    try:
        sizes = [int(line) for line in open(server + ".resident")]
    except OSError:
        return None
    return 1024 * max(max(sizes) - os.path.getsize(server + ".real") // 1024, 0) if sizes else None


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
        sides = Sides(args, {"the peer": args.futhark, "fehu": args.fehu}, args.fehu, tmp, read=memory)
        sides.build(names)
        for name in names:
            for who in sides.compilers:
                wrap(sides.server(who, name))
        rss = []
        for name in names:
            if sides.late():
                sides.failed.append(f"{name} (the time was over)")
                continue
            found = {who: sides.measure(who, name) for who in sides.compilers}
            theirs, ours = (sizes or {} for sizes in found.values())
            ratios = []
            for key in sorted({**theirs, **ours}):
                first, second, ratio = theirs.get(key), ours.get(key), None
                if first and second and max(first, second) >= SMALL:
                    ratio = second / first
                    ratios.append(ratio)
                mark = f"{ratio:8.3f}{'  <<<' if ratio > MOST else ''}" if ratio else ""
                line = f"{key[0]:44.44} {key[1]:34.34} {text(first)} {text(second)} bytes{mark}"
                print(line, flush=True)
                if ratio and ratio > MOST:
                    over.append(line)
            first, second = (resident(sides.server(who, name)) for who in sides.compilers)
            if first and second:
                print(f"{name:44.44} {'resident':34} {text(first)} {text(second)} bytes{second / first:8.3f}", flush=True)
                rss.append(second / first)
            if ratios:
                means.append(geometric(ratios))
            else:
                sides.count(name, [], found)
        if means:
            print(f"geometric mean over {len(means)} programs: {geometric(means):.3f}")
        if rss:
            print(f"resident, geometric mean over {len(rss)} programs: {geometric(rss):.3f}")
        print(f"data sets over {MOST}: {len(over)}")
        for line in over:
            print(line)
        for line in sides.failed:
            print("no figures:", line)


main()
