#!/usr/bin/env python3
"""fehu beside the reference compiler, on programs of its benchmark repository, in one run.

    bench/peer.py FEHU FUTHARK DIR [--backend c|multicore] [--runs N] [--timeout S] [PROGRAM ...]

FEHU and FUTHARK are the two compilers, DIR a checkout of the benchmarks; without names, all programs in it that have test
blocks are taken. Both compilers use their own default flags and the same C compiler; both servers are driven by
`fehu bench`, one program after the other, so that noise hits both alike. Prints, for each data set, the medians and how
many times faster fehu is, and the geometric mean over programs (of the means of their data sets).
"""
import argparse, json, math, os, statistics, subprocess, sys, tempfile


# Times are whole microseconds: data sets that take less than this in both are shown and not counted.
SHORT = 10


def programs(folder):
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("lib", ".git") and not f.endswith("tests"))
        for name in sorted(files):
            whole = os.path.join(path, name)
            if name.endswith(".fut") and not name.endswith(("_test.fut", "_tests.fut")):
                text = open(whole, errors="replace").read()
                if "\n-- ==" in "\n" + text and "input" in text:
                    yield os.path.relpath(whole, folder)


def measure(args, program, extra, out):
    command = [args.fehu, "bench", "--backend=" + args.backend, "--runs", str(args.runs), "--no-convergence-phase", "--no-tuning",
               "--timeout", str(args.timeout), "--json", out, *extra, program]
    if os.path.exists(out):
        os.remove(out)
    try:
        subprocess.run(command, cwd=args.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=args.limit)
    except subprocess.TimeoutExpired:
        return {}
    if not os.path.exists(out):
        return {}
    times = {}
    for entry, found in json.load(open(out)).items():
        for name, data in found.get("datasets", {}).items():
            if isinstance(data, dict) and data.get("runtimes"):
                times[(entry, name)] = statistics.median(data["runtimes"])
    return times


def main():
    a = argparse.ArgumentParser()
    a.add_argument("fehu"); a.add_argument("futhark"); a.add_argument("folder")
    a.add_argument("--backend", default="c"); a.add_argument("--runs", type=int, default=5)
    a.add_argument("--timeout", type=int, default=20); a.add_argument("--limit", type=int, default=180)
    a.add_argument("programs", nargs="*", help="relative to DIR")
    args = a.parse_intermixed_args()
    args.fehu, args.futhark = os.path.abspath(args.fehu), os.path.abspath(args.futhark)
    logs, failed = [], []
    with tempfile.TemporaryDirectory() as tmp:
        for program in args.programs or programs(args.folder):
            ours = measure(args, program, [], os.path.join(tmp, "ours.json"))
            theirs = measure(args, program, ["--futhark", args.futhark], os.path.join(tmp, "theirs.json"))
            both = [key for key in ours if key in theirs]
            short = [key for key in both if theirs[key] < SHORT and ours[key] < SHORT]
            for key in short:
                print(f"{key[0]:44.44} {key[1]:34.34} {theirs[key]:12.0f} {ours[key]:12.0f} us    short", flush=True)
            both = [key for key in both if key not in short]
            if not both:
                why = "fehu" if not ours else "the peer" if not theirs else "too short" if short else "no common data"
                failed.append(f"{program} ({why})")
                continue
            ratios = [max(theirs[key], 1) / max(ours[key], 1) for key in both]
            mean = math.exp(statistics.mean(map(math.log, ratios)))
            logs.append((mean, program))
            for key, ratio in zip(both, ratios):
                print(f"{key[0]:44.44} {key[1]:34.34} {theirs[key]:12.0f} {ours[key]:12.0f} us {ratio:8.2f}x", flush=True)
    if logs:
        print(f"geometric mean over {len(logs)} programs: {math.exp(statistics.mean(math.log(r) for r, _ in logs)):.2f}x")
        for mean, program in sorted(logs)[:8]:
            print(f"  lowest: {mean:.2f}x {program}")
    for line in failed:
        print("no figures:", line)


main()
