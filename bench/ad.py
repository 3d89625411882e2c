#!/usr/bin/env python3
"""How much longer derivatives take than the functions themselves, beside the goals, on the programs of `bench/ad`.

    bench/ad.py FEHU [--peer FUTHARK] [--backend c|multicore|cuda|opencl] [PROGRAM ...]

The overhead is the time of an entry point `gradient`, `newton` or `NAME_gradient`, divided by that of `primal` or `NAME_primal` on the same data;
of the runs of each, the median counts. Where there is an entry point `by_hand`, which is the derivative as one writes it, the derivative is divided by that, too. With the reference compiler, its
overhead and its time of the derivative stand beside that, measured in turn with fehu's. At the end, how long compiling takes: of the gradient of GMM, divided by that of its primal, without the C compiler.
"""
import argparse, os, re, statistics, subprocess, tempfile, time
from sides import Sides, arguments, geometric, programs

# The highest overheads that we want, by program and entry point; for all other derivatives it is 3. On devices, GMM should do with 2.
GOALS = {
    ("matmul", "gradient"): 2.0, ("gmm", "gradient"): 2.5, ("dlstm", "gradient"): 2.5, ("lstm", "gradient"): 2.5, ("ode", "gradient"): 2.5,
    ("logsumexp", "gradient"): 1.8, ("kmeans", "gradient"): 1.3, ("kmeans", "newton"): 1.5, ("sparse", "gradient / by_hand"): 1.3,
    ("operators", "sum_gradient"): 1.2, ("operators", "min_gradient"): 1.5, ("operators", "product_gradient"): 2.2,
    ("operators", "linear_gradient"): 4.0, ("operators", "scan_sum_gradient"): 1.5, ("operators", "scan_linear_gradient"): 4.0,
    ("operators", "hist_sum_gradient"): 2.0, ("operators", "hist_max_gradient"): 2.0, ("operators", "hist_product_gradient"): 2.0,
    ("operators", "hist_linear_gradient"): 6.0,
    ("ba", "jacobian"): 8.0, ("hand", "simple_jacobian"): 12.0, ("hand", "complicated_jacobian"): 12.0,
    ("lbm", "gradient"): 3.0, ("rsbench", "gradient"): 3.0, ("xsbench", "gradient"): 2.0,
    # Eight directions: 1 + 1.2 n.
    ("jacobian", "forward_jacobian"): 10.6, ("jacobian", "reverse_jacobian"): 10.6, ("jacobian", "second_hessian"): 10.6,
}
OTHER = 3.0
# A derivative that is measured beside the same written by hand, too.
BY_HAND = "by_hand"


def split(key):
    """The entry point and the data set of a row."""
    entry, data = key
    return entry.rsplit(":", 1)[-1], data


def primal_of(entry):
    head = entry.rsplit("_", 1)[0] + "_" if "_" in entry else ""
    return head + "primal"


def overheads(times):
    """The overhead and the time of each derivative."""
    medians = {split(key): statistics.median(runs) for key, runs in (times or {}).items()}
    found = {}
    for (entry, data), time in medians.items():
        primal, by_hand = medians.get((primal_of(entry), data)), medians.get((BY_HAND, data))
        if primal and entry not in (primal_of(entry), BY_HAND):
            found[(entry, data)] = (time / primal, primal, time)
            if by_hand:
                found[(f"{entry} / {BY_HAND}", data)] = (time / by_hand, by_hand, time)
    return found


def compile_times(fehu, folder, tmp):
    """Seconds for the primal and for the gradient of GMM, up to C."""
    text = open(os.path.join(folder, "gmm.fut")).read()
    seconds = []
    for other in ("gradient", "primal"):
        path = os.path.join(tmp, f"without_{other}.fut")
        with open(path, "w") as out:
            out.write(re.sub(rf"(?ms)^entry {other} .*?(?=^entry|\Z)", "", text))
        runs = []
        for _ in range(3):
            start = time.monotonic()
            subprocess.run([fehu, "c", "--library", path, "-o", path[:-4]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            runs.append(time.monotonic() - start)
        seconds.append(min(runs))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("--peer", help="the reference compiler")
    parser.add_argument("--large", action="store_true", help="also the data sets that are made for GPUs")
    arguments(parser)
    args = parser.parse_intermixed_args()
    args.folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ad")
    compilers = {"fehu": args.fehu, **({"peer": args.peer} if args.peer else {})}
    names = args.programs or list(programs(args.folder))
    options = () if args.large else ("--exclude-case", "large")
    all_overheads, missed = [], []
    with tempfile.TemporaryDirectory() as tmp:
        sides = Sides(args, compilers, args.fehu, tmp)
        sides.build(names)
        if args.backend in ("cuda", "opencl"):
            sides.warm(names, options)
        print(f"{args.backend:34}{'primal us':>12}{'derivative':>12}{'overhead':>10}{'goal':>6}{'peer us':>12}{'overhead':>10}")
        for name in names:
            if sides.late():
                break
            program = os.path.splitext(os.path.basename(name))[0]
            found = {who: overheads(sides.measure(who, name, options)) for who in compilers}
            for (entry, data), (overhead, primal, own) in found["fehu"].items():
                goal = GOALS.get((program, entry), OTHER)
                if (program, args.backend) == ("gmm", "cuda"):
                    goal = 2.0
                row = f"{program + ' ' + entry:34}{primal:12.0f}{own:12.0f}{overhead:10.2f}{goal:6.1f}"
                peer = found.get("peer", {}).get((entry, data))
                row += f"{peer[2]:12.0f}{peer[0]:10.2f}" if peer else ""
                print(row + ("" if overhead <= goal else "  missed") + f"  {data[:60]}", flush=True)
                all_overheads.append(overhead)
                if overhead > OTHER:
                    missed.append(f"{program} {entry} {overhead:.2f}")
            for who in compilers:
                if not found[who]:
                    print(f"{name}: no figures of {who}", flush=True)
        if all_overheads:
            print(f"geometric mean of the overheads: {geometric(all_overheads):.2f}; more than {OTHER}: {', '.join(missed) or 'none'}")
        if "gmm.fut" in names:
            primal, gradient = compile_times(os.path.abspath(args.fehu), args.folder, tmp)
            print(f"compiling GMM up to C: primal {primal:.2f} s, gradient {gradient:.2f} s, {gradient / primal:.2f} times; the goal is 3")


main()
