"""Two compilers on the same programs, in one run: what `peer.py`, `compare.py` and `memory.py` share.

All servers are compiled first, several at a time. Then `fehu bench` drives them, one program after the other, so that noise
hits both sides alike. Every line is printed as soon as it is known, because a machine that is borrowed may be taken back.
"""
import concurrent.futures, json, math, os, shutil, statistics, subprocess, time


# Times are whole microseconds: data sets that take less than this on both sides are shown and not counted.
SHORT = 10


def programs(folder):
    """The programs below a folder that have test blocks with inputs."""
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("lib", ".git") and not f.endswith("tests"))
        for name in sorted(files):
            whole = os.path.join(path, name)
            if name.endswith(".fut") and not name.endswith(("_test.fut", "_tests.fut")):
                text = open(whole, errors="replace").read()
                if "\n-- ==" in "\n" + text and "input" in text:
                    yield os.path.relpath(whole, folder)


def mirrored(folder, at):
    """A folder of our own with links to all files of one: servers are put beside programs, and another measurement may run."""
    for path, folders, files in os.walk(os.path.abspath(folder), followlinks=True):
        folders[:] = [name for name in folders if name != ".git"]
        own = os.path.normpath(os.path.join(at, os.path.relpath(path, folder)))
        os.makedirs(own)
        for name in files:
            os.symlink(os.path.join(path, name), os.path.join(own, name))
    return at


def arguments(parser):
    """The options that both scripts have."""
    parser.add_argument("--backend", default="c")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--timeout", type=int, default=20, help="seconds for the runs of a data set")
    parser.add_argument("--limit", type=int, default=180, help="seconds for the data sets of a program, each time that it is run")
    parser.add_argument("--compiling", type=int, default=180, help="seconds for compiling a program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many servers to compile at the same time")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin with no other program after so many")
    parser.add_argument("programs", nargs="*", help="relative to DIR")


class Sides:
    """Two compilers, with names: the first is the one that the second is compared with."""

    def __init__(self, args, compilers, driver, tmp, read=None):
        self.args, self.tmp = args, tmp
        self.read = read or times
        self.compilers = {name: os.path.abspath(path) for name, path in compilers.items()}
        self.driver = os.path.abspath(driver)
        self.folder = mirrored(args.folder, os.path.join(tmp, "programs"))
        self.start = time.monotonic()
        self.means, self.failed = [], []

    def late(self):
        return time.monotonic() - self.start > self.args.seconds

    def server(self, who, program):
        return os.path.join(self.tmp, who, program.replace(os.sep, "+") + ".server")

    def build(self, names, folder=None):
        """Compiles all programs with both compilers."""
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            for name in names:
                for who in self.compilers:
                    pool.submit(self.compile, who, name, folder or self.args.folder)
        print(f"compiled after {time.monotonic() - self.start:.0f} s", flush=True)

    def compile(self, who, program, folder):
        out = self.server(who, program)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        command = [self.compilers[who], self.args.backend, "--server", program, "-o", out]
        try:
            subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=self.args.compiling)
        except subprocess.TimeoutExpired:
            pass

    def warm(self, names, options=()):
        """Runs every program once, several at a time, so that the kernels for a device are compiled and kept before anything is measured."""
        def once(name):
            for who in self.compilers:
                self.measure(who, name, options, runs=1)
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            list(pool.map(once, names))
        print(f"kernels compiled after {time.monotonic() - self.start:.0f} s", flush=True)

    def measure(self, who, program, options=(), runs=None):
        """All times of the data sets of a program, or what else is read; none if there is no server."""
        server = self.server(who, program)
        out = server + ".json"
        if not os.path.exists(server):
            return None
        # What is not measured when the limit is reached is left out; the rest is in the file.
        command = [self.driver, "bench", "--backend=" + self.args.backend, "--skip-compilation", "--runs", str(runs or self.args.runs),
                   "--no-convergence-phase", "--no-tuning", "--timeout", str(self.args.timeout),
                   "--total-limit", str(self.args.limit), "--json", out, *options, program]
        if os.path.exists(out):
            os.remove(out)
        beside = os.path.join(self.folder, program[: -len(".fut")])
        shutil.copy(server, beside)
        try:
            subprocess.run(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           timeout=self.args.limit + self.args.timeout + 60)
        except subprocess.TimeoutExpired:
            return {}
        finally:
            os.remove(beside)
        return self.read(out) if os.path.exists(out) else {}

    def ratio(self, key, first, second, mark=""):
        """Prints a row; how many times faster the second is, unless that cannot be said."""
        ratio = None
        if first and second and max(first, second) >= SHORT:
            ratio = first / second
            row(key, first, second, f"{ratio:.2f}x", mark)
        else:
            row(key, first, second, "short" if first and second else "")
        return ratio

    def count(self, program, ratios, found):
        """The mean of a program is added to what is known, or why there is none."""
        if ratios:
            self.means.append((geometric(ratios), program))
            return
        for who, times in found.items():
            if not times:
                self.failed.append(f"{program} ({who} {'does not compile it' if times is None else 'has no times'})")
                return
        self.failed.append(f"{program} (too short)")

    def summary(self):
        if self.means:
            print(f"geometric mean over {len(self.means)} programs: {geometric([mean for mean, _ in self.means]):.3f}x")
            for mean, program in sorted(self.means)[:8]:
                print(f"  lowest: {mean:.2f}x {program}")
        for line in self.failed:
            print("no figures:", line)


def times(path):
    """The runs of each data set in a file of `fehu bench`; says why there are none, unless a file is missing."""
    found = {}
    for entry, results in json.load(open(path)).items():
        for name, data in results.get("datasets", {}).items():
            if isinstance(data, dict) and data.get("runtimes"):
                found[(entry, name)] = data["runtimes"]
            elif "No such file" not in str(data):
                print(f"{entry} {name}: {' '.join(str(data).split())[:300]}", flush=True)
    return found


def memory(path):
    """The peak memory of each data set in a file of `fehu bench`, in bytes."""
    found = {}
    for entry, results in json.load(open(path)).items():
        for name, data in results.get("datasets", {}).items():
            if isinstance(data, dict) and data.get("bytes"):
                found[(entry, name)] = max(data["bytes"].values())
    return found


def row(key, first, second, ratio, mark=""):
    def text(time):
        return f"{time:12.0f}" if time else f"{'-':>12}"
    print(f"{key[0]:44.44} {key[1]:34.34} {text(first)} {text(second)} us {ratio:>9}{mark}", flush=True)


def geometric(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def median(times):
    return statistics.median(times) if times else None
