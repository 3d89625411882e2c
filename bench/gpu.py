#!/usr/bin/env python3
"""Programs on a GPU beside times that were measured before.

    bench/gpu.py FEHU DIR TIMES.csv [--backend cuda|opencl] [--runs N] [--seconds S] [--limit S] [--only TEXT]

FEHU is the compiler, DIR a checkout of the benchmark programs, TIMES.csv a table `program,entry,dataset,microseconds`. A data set
is a file that the program's comments name (`input @ FILE`), or values and types: a type such as `[100][20]f32` stands for random
numbers of that shape. Prints a row for each line of the table (a number above 1 is a time that is shorter than the table's), the
geometric mean for each program and that of all programs, and what could not be measured. Results are not compared with anything:
that is what `fehu test` is for.
"""
import argparse, csv, gzip, math, os, re, statistics, subprocess, tempfile, threading, time
import numpy as np

TYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
         "u64": np.uint64, "f32": np.float32, "f64": np.float64, "bool": np.bool_}


def pieces(text):
    """The values and types of a data set: what blanks separate outside of brackets."""
    depth, piece = 0, ""
    for c in text + " ":
        depth += (c == "[") - (c == "]")
        if c.isspace() and depth == 0:
            if piece:
                yield piece
            piece = ""
        else:
            piece += c


def random(dims, name, rng):
    shape = [int(d) for d in re.findall(r"\d+", dims)]
    kind = TYPES[name]
    if name.startswith("f"):
        return rng.random(shape, dtype=kind)
    if name == "bool":
        return rng.random(shape) < 0.5
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max, size=shape, dtype=kind, endpoint=True)


def binary(value, name):
    code = name.rjust(4).encode()
    head = b"b" + bytes([2, value.ndim]) + code + b"".join(int(d).to_bytes(8, "little") for d in value.shape)
    return head + np.ascontiguousarray(value).tobytes()


def inputs(program, dataset, work):
    """A file with all values of a data set."""
    folder = os.path.dirname(program)
    for name in re.findall(r"@\s*(\S+)", open(program).read()):
        place = os.path.join(folder, name)
        if os.path.basename(name) == dataset and os.path.exists(place):
            if not place.endswith(".gz"):
                return place
            out = os.path.join(work, "input")
            with gzip.open(place) as source, open(out, "wb") as target:
                target.write(source.read())
            return out
    if re.search(r"\.in(\.gz)?$", dataset):
        raise ValueError("no such file")
    rng = np.random.default_rng(1)
    out = os.path.join(work, "input")
    with open(out, "wb") as target:
        for piece in pieces(dataset):
            shaped = re.fullmatch(r"((?:\[\d+\])*)([a-z]+\d*)", piece)
            if shaped and shaped[2] in TYPES:
                target.write(binary(random(shaped[1], shaped[2], rng), shaped[2]))
            else:
                target.write(piece.encode() + b"\n")
    return out


class Server:
    def __init__(self, program, limit):
        # A kernel is compiled in the call that is the first to need it.
        self.limit = limit + 60
        self.process = subprocess.Popen([os.path.abspath(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.answer()

    def answer(self):
        lines = []
        # A call that takes too long ends the server, and the case.
        timer = threading.Timer(self.limit, self.process.kill)
        timer.start()
        try:
            return self.lines(lines)
        finally:
            timer.cancel()

    def lines(self, lines):
        while (line := self.process.stdout.readline()) != "":
            if line.strip() == "%%% OK":
                break
            lines.append(line.strip())
        else:
            raise RuntimeError("the server is gone")
        if "%%% FAILURE" in lines:
            raise RuntimeError(" ".join(lines[:4])[:200])
        return lines

    def do(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return self.answer()


def forget(server, names):
    """Frees variables, those that are there."""
    for name in names:
        try:
            server.do("free", name)
        except (RuntimeError, OSError):
            pass


def measure(server, entry, path, args):
    types = [line.split(" ")[-1].lstrip("*") for line in server.do("inputs", entry)]
    names = [f"in{i}" for i in range(len(types))]
    consumed = [line.startswith("*") or " *" in line for line in server.do("inputs", entry)]
    outs = [f"out{i}" for i in range(len(server.do("outputs", entry)))]
    restore = lambda: server.do("restore", path, *(x for pair in zip(names, types) for x in pair))
    restore()
    times, start = [], time.monotonic()
    try:
        while len(times) < args.runs + 1 and (len(times) < 2 or time.monotonic() - start < args.seconds):
            lines = server.do("call", entry, *outs, *names)
            times.append(int(next(line for line in lines if line.startswith("runtime:")).split()[1]))
            server.do("free", *outs)
            if any(consumed):
                forget(server, names)
                restore()
    finally:
        forget(server, names)
    return statistics.median(times[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu"), parser.add_argument("folder"), parser.add_argument("times")
    parser.add_argument("--backend", default="cuda"), parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=3), parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=10)
    args = parser.parse_args()
    rows = {}
    for program, entry, dataset, known in list(csv.reader(open(args.times)))[1:]:
        if args.only in program:
            rows.setdefault(program, []).append((entry, dataset, float(known)))
    means, failed = {}, []
    for program, cases in rows.items():
        with tempfile.TemporaryDirectory() as work:
            binary_path = os.path.join(work, "program")
            built = subprocess.run([args.fehu, args.backend, "--server", program, "-o", binary_path], cwd=args.folder, capture_output=True, text=True)
            if built.returncode != 0:
                failed.append((program, "", built.stderr.strip().split("\n")[0][:160]))
                continue
            server, ratios = None, []
            for entry, dataset, known in cases:
                try:
                    server = server or Server(binary_path, args.limit)
                    path = inputs(os.path.join(args.folder, program), dataset, work)
                    ours = measure(server, entry, path, args)
                    ratios.append(known / max(ours, 1))
                    print(f"{program:36} {entry:20} {dataset[:44]:44} {ours:10.0f} {known:10.0f} {known / max(ours, 1):6.2f}", flush=True)
                except Exception as error:
                    failed.append((program, f"{entry} {dataset[:40]}", str(error)[:160]))
                    server = None
            if ratios:
                means[program] = math.exp(statistics.fmean(map(math.log, ratios)))
    print()
    for program, mean in means.items():
        print(f"{program:36} {mean:6.2f}")
    if means:
        print(f"geometric mean of {len(means)} programs: {math.exp(statistics.fmean(map(math.log, means.values()))):.2f}")
    for program, case, why in failed:
        print(f"not measured: {program} {case}: {why}")


if __name__ == "__main__":
    main()
