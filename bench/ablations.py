#!/usr/bin/env python3
"""What each optimisation is worth on a GPU: programs with all of them, and without one at a time.

    bench/ablations.py FEHU DIR [--backend cuda|opencl] [--runs N] [--seconds S] [--limit S] [--jobs N] [--only TEXT]

FEHU is the compiler, DIR a checkout of the benchmark programs with their data. All programs are compiled first. Prints a Markdown
table: the time with all optimisations, and the factor by which the program is slower without each (`fehu --without`); in brackets the
factor that the paper on Futhark (PLDI 2017, NVIDIA) has for it, or the one on short-circuiting (A100), where they have one. A dash is
a program that does not run, for want of memory or time.
"""
import argparse, os, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gpu import Server, inputs, measure

SWITCHES = ["fusion", "in-place", "coalescing", "tiling", "short-circuiting", "host-free-loops"]
# Program, data set, and what the paper says of the switches; "-" where it did not run.
WORK = [
    ("rodinia/kmeans/kmeans.fut", "kdd_cup.in.gz", {"fusion": "1.42", "in-place": "8.3", "coalescing": "9.26"}),
    ("rodinia/lavaMD/lavaMD.fut", "10_boxes.in.gz", {"fusion": "4.55", "tiling": "1.35"}),
    ("rodinia/myocyte/myocyte.fut", "medium.in", {"fusion": "1.66", "coalescing": "4.2"}),
    ("rodinia/srad/srad.fut", "image.in.gz", {"fusion": "1.21"}),
    ("rodinia/hotspot/hotspot.fut", "360i32 [1024][1024]f32 [1024][1024]f32", {"short-circuiting": "2.05"}),
    ("rodinia/nn/nn.fut", "medium.in.gz", {"short-circuiting": "1.55"}),
    ("rodinia/lud/lud.fut", "2048.in.gz", {"short-circuiting": "1.32"}),
    ("rodinia/nw/nw.fut", "large.in.gz", {"short-circuiting": "1.31"}),
    ("rodinia/backprop/backprop.fut", "medium.in", {}),
    ("finpar/LocVolCalib.fut", "large.in", {"fusion": "9.4", "in-place": "1.7", "coalescing": "8.4", "short-circuiting": "1.08"}),
    ("finpar/OptionPricing.fut", "large.in", {"fusion": "-", "in-place": "-", "coalescing": "8.79", "short-circuiting": "1.21"}),
    ("parboil/lbm/lbm.fut", "[44352000]f32", {"short-circuiting": "1.10"}),
    ("parboil/mri-q/mri-q.fut", "large.in", {"fusion": "-", "tiling": "1.33"}),
    ("accelerate/crystal/crystal.fut", "2000 30.0f32 50 1 1.0f32", {"fusion": "10.1"}),
    ("accelerate/fluid/fluid.fut", "medium.in", {}),
    ("accelerate/mandelbrot/mandelbrot.fut", "4000 4000 -0.7f32 0f32 3.067f32 100 16f32", {}),
    ("accelerate/nbody/nbody.fut", "100000-bodies.in", {"fusion": "-", "tiling": "2.29"}),
]


def build(program, without, args, work):
    """The program without one switch, compiled; or what the compiler says against it."""
    out = os.path.join(work, f"{program.replace('/', '_')}.{without or 'whole'}")
    command = [args.fehu, args.backend, "--server", program, "-o", out, *(["--without", without] if without else [])]
    built = subprocess.run(command, cwd=args.folder, capture_output=True, text=True)
    return out if built.returncode == 0 else RuntimeError(built.stderr.strip().split("\n")[0])


def timed(program, dataset, without, built, args, work):
    """The median time in microseconds; None if there is none."""
    try:
        if isinstance(built, RuntimeError):
            raise built
        path = inputs(os.path.join(args.folder, program), dataset, work)
        server = Server(built, args.limit)
        try:
            return measure(server, "main", path, args)
        finally:
            server.process.kill()
            server.process.wait()
    except Exception as error:
        print(f"{program} without {without or 'nothing'}: {str(error)[:200]}", file=sys.stderr)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("folder"), parser.add_argument("--backend", default="cuda")
    parser.add_argument("--runs", type=int, default=100), parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--limit", type=float, default=20), parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.fehu = os.path.abspath(args.fehu)
    chosen = [(program, dataset, paper) for program, dataset, paper in WORK if args.only in program]
    with tempfile.TemporaryDirectory() as work:
        tasks = [(program, without) for program, _, _ in chosen for without in [None, *SWITCHES]]
        with ThreadPoolExecutor(args.jobs) as pool:
            built = dict(zip(tasks, pool.map(lambda task: build(*task, args, work), tasks)))
        print("| program | data | microseconds |", " | ".join(f"without {switch}" for switch in SWITCHES), "|")
        print("| --- | --- | ---: |", " | ".join("---:" for _ in SWITCHES), "|", flush=True)
        for program, dataset, paper in chosen:
            time = lambda without: timed(program, dataset, without, built[program, without], args, work)
            # Before and after the others: clocks rise.
            first, others = time(None), {}
            for switch in SWITCHES:
                others[switch] = time(switch) if first else None
            whole, cells = first and min(first, time(None) or first), []
            for switch, other in others.items():
                factor = f"{other / whole:.2f}" if other else "-"
                cells.append(factor + (f" ({paper[switch]})" if switch in paper else ""))
            shown = f"{whole:.0f}" if whole else "-"
            print(f"| {os.path.basename(program)} | {dataset} | {shown} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
