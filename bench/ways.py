"""What `bench/irregular.py` and `bench/sequences.py` have in common: programs that compute the same in several ways."""
import argparse, os, sys, tempfile
from sides import Sides, arguments, geometric, median, programs

# A ratio above this is marked.
SLOWER = 1.1


def table(found, ways, other):
    """For each data set the median of each way, in the order of the test blocks."""
    rows = {}
    for (entry, data), runs in found.items():
        way = entry.split(":")[-1]
        way = other.get(way, way)
        if way in ways:
            rows.setdefault(data, {})[way] = median(runs)
    return rows


def text(time):
    return f"{time:12.0f}" if time else f"{'-':>12}"


def compare(description, folder, ways, other={}):
    """Measures the programs of a folder, and compares the first of the ways with each of the others. `other` has more names of ways."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fehu", default="fehu")
    arguments(parser)
    args = parser.parse_args()
    args.folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), folder)
    names = args.programs or list(programs(args.folder))
    first = ways[0]
    ratios, slow = {way: [] for way in ways[1:]}, []
    with tempfile.TemporaryDirectory() as tmp:
        sides = Sides(args, {"fehu": args.fehu}, args.fehu, tmp)
        sides.build(names)
        heads = " ".join(f"{first}/{way}".rjust(20) for way in ways[1:])
        print(f"{'program':16} {'data':28} " + " ".join(f"{way:>12}" for way in ways) + f" {heads}", flush=True)
        for name in names:
            if sides.late():
                sides.failed.append(f"{name} (the time was over)")
                continue
            found = sides.measure("fehu", name)
            if not found:
                sides.failed.append(f"{name} ({'does not compile' if found is None else 'has no times'})")
                continue
            for data, times in table(found, ways, other).items():
                line = f"{name:16.16} {data:28.28} " + " ".join(text(times.get(way)) for way in ways)
                for way in ratios:
                    both = times.get(first) and times.get(way)
                    ratio = times[first] / times[way] if both else None
                    line += f" {ratio:20.2f}" if ratio else f" {'-':>20}"
                    if ratio:
                        ratios[way].append(ratio)
                        if ratio > SLOWER:
                            slow.append(f"{name} {data}: {ratio:.2f} times as long as {way}")
                print(line, flush=True)
    for way, all_of_them in ratios.items():
        if all_of_them:
            print(f"{first}/{way}: geometric mean over {len(all_of_them)} data sets {geometric(all_of_them):.2f}")
    for line in slow:
        print("slower:", line)
    for line in sides.failed:
        print("no figures:", line)
    sys.exit(1 if slow or sides.failed else 0)
