#!/usr/bin/env python3
"""fehu beside the reference compiler, on programs of its benchmark repository, in one run.

    bench/peer.py FEHU FUTHARK DIR [--backend c|multicore] [--runs N] [--timeout S] [--jobs N] [PROGRAM ...]

FEHU and FUTHARK are the two compilers, DIR a checkout of the benchmarks; without names, all programs in it that have test
blocks are taken. Both compilers use their own default flags and the same C compiler. All servers are compiled first, N
at a time, and then driven by `fehu bench`, one program after the other, so that noise hits both alike. Prints, for each
data set, the medians and how many times faster fehu is, and the geometric mean over programs (of the means of their data
sets). Where there is no time, a line says why, unless a file is missing.
"""
import argparse, concurrent.futures, json, math, os, shutil, statistics, subprocess, tempfile, time


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


def build(args, compiler, program, server):
    command = [compiler, args.backend, "--server", program, "-o", server]
    try:
        subprocess.run(command, cwd=args.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=args.limit)
    except subprocess.TimeoutExpired:
        pass


def measure(args, program, server, out):
    if not os.path.exists(server):
        return None
    command = [args.fehu, "bench", "--backend=" + args.backend, "--skip-compilation", "--runs", str(args.runs),
               "--no-convergence-phase", "--no-tuning", "--timeout", str(args.timeout), "--json", out, program]
    if os.path.exists(out):
        os.remove(out)
    beside = os.path.join(args.folder, program[: -len(".fut")])
    shutil.copy(server, beside)
    try:
        subprocess.run(command, cwd=args.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=args.limit)
    except subprocess.TimeoutExpired:
        return {}
    finally:
        os.remove(beside)
    if not os.path.exists(out):
        return {}
    times = {}
    for entry, found in json.load(open(out)).items():
        for name, data in found.get("datasets", {}).items():
            if isinstance(data, dict) and data.get("runtimes"):
                times[(entry, name)] = statistics.median(data["runtimes"])
            elif "No such file" not in str(data):
                print(f"{entry} {name}: {' '.join(str(data).split())[:300]}", flush=True)
    return times


def row(key, theirs, ours, ratio):
    def text(time):
        return f"{time:12.0f}" if time else f"{'-':>12}"
    print(f"{key[0]:44.44} {key[1]:34.34} {text(theirs)} {text(ours)} us {ratio:>9}", flush=True)


def compare(program, ours, theirs, logs, failed):
    """Prints the rows of a program; its mean, or why there is none, is added to what is known."""
    ratios = []
    for key in sorted({**(theirs or {}), **(ours or {})}):
        a, b = (theirs or {}).get(key), (ours or {}).get(key)
        if a and b and (a >= SHORT or b >= SHORT):
            ratios.append(a / b)
            row(key, a, b, f"{a / b:.2f}x")
        else:
            row(key, a, b, "short" if a and b else "")
    if ratios:
        logs.append((math.exp(statistics.mean(map(math.log, ratios))), program))
        return
    for name, found in (("fehu", ours), ("the peer", theirs)):
        if not found:
            failed.append(f"{program} ({name} {'does not compile it' if found is None else 'has no times'})")
            return
    failed.append(f"{program} (too short)")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("fehu"); a.add_argument("futhark"); a.add_argument("folder")
    a.add_argument("--backend", default="c"); a.add_argument("--runs", type=int, default=5)
    a.add_argument("--timeout", type=int, default=20, help="seconds for the runs of a data set")
    a.add_argument("--limit", type=int, default=180, help="seconds for a program, compiling and running")
    a.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many servers to compile at the same time")
    a.add_argument("--seconds", type=float, default=math.inf, help="begin with no other program after so many")
    a.add_argument("programs", nargs="*", help="relative to DIR")
    args = a.parse_intermixed_args()
    args.fehu, args.futhark = os.path.abspath(args.fehu), os.path.abspath(args.futhark)
    start = time.monotonic()
    names = args.programs or list(programs(args.folder))
    logs, failed = [], []
    with tempfile.TemporaryDirectory() as tmp:
        servers = {(name, who): os.path.join(tmp, f"{k}.{who}") for k, name in enumerate(names) for who in ("ours", "theirs")}
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for (name, who), server in servers.items():
                pool.submit(build, args, args.fehu if who == "ours" else args.futhark, name, server)
        for name in names:
            if time.monotonic() - start > args.seconds:
                failed.append(f"{name} (the time was over)")
                continue
            ours, theirs = (measure(args, name, servers[(name, who)], os.path.join(tmp, "times.json")) for who in ("ours", "theirs"))
            compare(name, ours, theirs, logs, failed)
    if logs:
        print(f"geometric mean over {len(logs)} programs: {math.exp(statistics.mean(math.log(r) for r, _ in logs)):.2f}x")
        for mean, program in sorted(logs)[:8]:
            print(f"  lowest: {mean:.2f}x {program}")
    for line in failed:
        print("no figures:", line)


main()
