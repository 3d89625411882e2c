#!/usr/bin/env python3
"""What each optimisation is worth on a GPU: programs with all of them, and without one at a time.

    bench/ablations.py FEHU DIR [--backend cuda|opencl] [--runs N] [--seconds S] [--limit S] [--only TEXT]

FEHU is the compiler, DIR a checkout of the benchmark programs with their data. Prints a Markdown table: the time with all
optimisations, and the factor by which the program is slower without each (`fehu --without`); in brackets the factor that the paper
on Futhark (PLDI 2017, NVIDIA) has for it, where it has one. A dash is a program that does not run, for want of memory or time.
"""
import argparse, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gpu import Server, inputs, measure

SWITCHES = ["fusion", "in-place", "coalescing", "tiling", "short-circuiting", "host-free-loops"]
# Program, data set, and what the paper says of the switches; "-" where it did not run.
WORK = [
    ("rodinia/kmeans/kmeans.fut", "kdd_cup.in.gz", {"fusion": "1.42", "in-place": "8.3", "coalescing": "9.26"}),
    ("rodinia/lavaMD/lavaMD.fut", "10_boxes.in.gz", {"fusion": "4.55", "tiling": "1.35"}),
    ("rodinia/myocyte/myocyte.fut", "medium.in", {"fusion": "1.66", "coalescing": "4.2"}),
    ("rodinia/srad/srad.fut", "image.in.gz", {"fusion": "1.21"}),
    ("rodinia/hotspot/hotspot.fut", "360i32 [1024][1024]f32 [1024][1024]f32", {}),
    ("rodinia/nn/nn.fut", "medium.in.gz", {}),
    ("rodinia/lud/lud.fut", "512.in.gz", {}),
    ("rodinia/backprop/backprop.fut", "medium.in", {}),
    ("finpar/LocVolCalib.fut", "large.in", {"fusion": "9.4", "in-place": "1.7", "coalescing": "8.4"}),
    ("finpar/OptionPricing.fut", "large.in", {"fusion": "-", "in-place": "-", "coalescing": "8.79"}),
    ("parboil/mri-q/mri-q.fut", "large.in", {"fusion": "-", "tiling": "1.33"}),
    ("accelerate/crystal/crystal.fut", "2000 30.0f32 50 1 1.0f32", {"fusion": "10.1"}),
    ("accelerate/fluid/fluid.fut", "medium.in", {}),
    ("accelerate/mandelbrot/mandelbrot.fut", "4000 4000 -0.7f32 0f32 3.067f32 100 16f32", {}),
    ("accelerate/nbody/nbody.fut", "100000-bodies.in", {"fusion": "-", "tiling": "2.29"}),
]


def timed(program, dataset, without, args):
    """The median time in microseconds; None if there is none."""
    with tempfile.TemporaryDirectory() as work:
        server = os.path.join(work, "program")
        command = [args.fehu, args.backend, "--server", program, "-o", server, *(["--without", without] if without else [])]
        built = subprocess.run(command, cwd=args.folder, capture_output=True, text=True)
        try:
            if built.returncode != 0:
                raise RuntimeError(built.stderr.strip().split("\n")[0])
            path = inputs(os.path.join(args.folder, program), dataset, work)
            return measure(Server(server, args.limit), "main", path, args)
        except Exception as error:
            print(f"{program} without {without or 'nothing'}: {str(error)[:200]}", file=sys.stderr)
            return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("folder"), parser.add_argument("--backend", default="cuda")
    parser.add_argument("--runs", type=int, default=5), parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--limit", type=float, default=20), parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.fehu = os.path.abspath(args.fehu)
    print("| program | data | microseconds |", " | ".join(f"without {switch}" for switch in SWITCHES), "|")
    print("| --- | --- | ---: |", " | ".join("---:" for _ in SWITCHES), "|", flush=True)
    for program, dataset, paper in WORK:
        if args.only not in program:
            continue
        whole = timed(program, dataset, None, args)
        cells = []
        for switch in SWITCHES:
            time = timed(program, dataset, switch, args) if whole else None
            factor = f"{time / whole:.2f}" if time else "-"
            cells.append(factor + (f" ({paper[switch]})" if switch in paper else ""))
        shown = f"{whole:.0f}" if whole else "-"
        print(f"| {os.path.basename(program)} | {dataset} | {shown} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
