"""Calls: what goes in and out, what is copied, and what happens when something is wrong."""

import ast
import functools
import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import fehu

SOURCE = """
-- | The dot product.
entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

type~ stats = {mean: f64, above: []f64}
entry stats (xs: []f64) : stats =
  let mean = f64.sum xs / f64.i64 (length xs) in {mean, above = filter (> mean) xs}
entry mean (s: stats) : f64 = s.mean

type shape = #circle f32 | #rect f32 f32
entry area (s: shape) : f32 = match s case #circle r -> 3 * r * r case #rect a b -> a * b
entry square (x: f32) : shape = #rect x x

type point = {x: f64, y: f64}
entry line (n: i64) : []point = tabulate n (\\i -> {x = f64.i64 i, y = 1})
entry sum_x (ps: []point) : f64 = f64.sum (map (.x) ps)

module counter : { type t val start : i64 -> t val next : t -> t val get : t -> i64 } =
  { type t = i64 def start (x: i64) = x def next (x: i64) = x + 1 def get (x: i64) = x }
entry start (x: i64) : counter.t = counter.start x
entry next (x: counter.t) : counter.t = counter.next x
entry get (x: counter.t) : i64 = counter.get x

entry both (xs: []i32) : ([]i32, i64) = (map (+ 1) xs, length xs)
entry same (xs: []i32) : []i32 = xs
entry tail (xs: []i32) : []i32 = drop 2 xs
entry put (xs: *[]f32) : *[]f32 = xs with [0] = 42
entry at (xs: []i32) (i: i64) : i32 = xs[i]
entry constant : []i32 = #[noinline] iota 4 |> map i32.i64
entry transposed [n][m] (xs: [n][m]f64) : [m][n]f64 = transpose xs
entry total (xs: seq f64) : f64 = seq.reduce (+) 0 xs
entry rows (xs: seq ([3]f32)) : f32 = seq.reduce (+) 0 (seq.map f32.sum xs)
entry doubled (xs: seq f64) : seq f64 = seq.map (* 2) xs
entry pairs (xs: seq f64) : (seq (f64, i32), f64) = (seq.map (\\x -> (2 * x, i32.f64 x)) xs, seq.reduce (+) 0 xs)
entry pieces (n: i64) : seq ([]i64) = seq.map (\\i -> iota i) (seq.iota n)
entry weighed (xs: seq (f64, i32)) : f64 = seq.reduce (+) 0 (seq.map (\\(x, w) -> x * f64.i32 w) xs)
entry moved (by: f32) (xs: seq {weight: i8, at: ([2]f32, f32)}) : seq {at: ([2]f32, f32), heavy: bool} =
  seq.map (\\x -> {at = (map (+ by) x.at.0, x.at.1), heavy = x.weight > 1}) xs
entry sums (xs: seq ([]i64)) : seq i64 = seq.map i64.sum xs
entry dots (scale: f32) (xs: seq ([](i64, f32))) : f32 =
  scale * seq.reduce (+) 0 (seq.map (\\x -> f32.sum (map (\\(i, v) -> f32.i64 i * v) x)) xs)
entry longer (xs: seq ([]i64)) : seq ([](i64, bool)) = seq.map (\\x -> map (\\v -> (v, v > 0)) (x ++ [0])) xs
entry chosen (xs: seq (#some f32 | #none)) : f32 = seq.reduce (+) 0 (seq.map (\\x -> match x case #some y -> y case #none -> 0) xs)
entry picked (is: seq i64) : seq i64 = seq.map (\\i -> (iota 3)[i]) is
entry large (n: i64) : []f64 = replicate n 1.5
entry long (n: i64) : f64 = f64.sum (map (\\i -> loop x = f64.i64 i for _k < 2000i32 do f64.sin x + 1) (iota n))
"""
PRIMS = "i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 bool".split()
SOURCE += "\n".join(f"entry copy_{t} (x: {t}) (xs: []{t}) : ({t}, []{t}) = (x, rotate 1 xs)" for t in PRIMS)
NUMPY = {t: t for t in PRIMS} | {"bool": "bool"}
NUMPY |= {t: t.replace("i", "int").replace("u", "u") for t in PRIMS if t[0] == "i"}
NUMPY |= {t: "uint" + t[1:] for t in PRIMS if t[0] == "u"} | {t: "float" + t[1:] for t in PRIMS if t[0] == "f"}


def address(array):
    return array.__array_interface__["data"][0]


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = fehu.compile(SOURCE, "multicore", name="calls")

    def wrong(self, error, pattern, function, *args, **named):
        with self.assertRaisesRegex(error, pattern) as caught:
            function(*args, **named)
        return caught.exception

    def test_signatures_and_docs(self):
        dot = self.m.dot
        self.assertEqual(dot.signature, "dot (xs: [n]f32) (ys: [n]f32) : f32")
        self.assertTrue(dot.__doc__.startswith("The dot product."))
        self.assertEqual(list(dot.__signature__.parameters), ["xs", "ys"])
        self.assertEqual(dot.__annotations__["xs"], "NDArray[np.float32]")
        self.assertIn("dot (xs", repr(self.m))
        stubs = ast.parse(fehu.stubs(self.m))
        self.assertEqual({f.name for f in stubs.body if isinstance(f, ast.FunctionDef)}, set(self.m.entry_points))
        self.assertIn("def dot(xs: NDArray[np.float32], ys: NDArray[np.float32]) -> np.float32:", fehu.stubs(self.m))
        with self.assertRaisesRegex(AttributeError, "no entry point nothing"):
            self.m.nothing

    def test_all_primitive_types(self):
        for t in PRIMS:
            dtype = np.dtype(NUMPY[t])
            xs = np.array([0, 1, 1], dtype)
            x, ys = self.m[f"copy_{t}"](xs[1], xs)
            self.assertEqual(ys.dtype, dtype)
            self.assertEqual(ys.tolist(), np.roll(xs, -1).tolist())
            self.assertEqual(type(x), bool if t == "bool" else dtype.type)
            self.assertEqual(x, xs[1])

    def test_nothing_is_copied(self):
        copies = self.m.copies
        xs = np.arange(6, dtype=np.int32)
        ys = self.m.same(xs)
        self.assertEqual(address(ys), address(xs))
        self.assertFalse(ys.flags.writeable)
        zs = self.m.tail(xs)
        self.assertEqual(address(zs), address(xs) + 8)
        self.assertEqual(self.m.copies, copies)
        # What a result shares lives as long as the result.
        before = sys.getrefcount(xs)
        del ys, zs
        self.assertLess(sys.getrefcount(xs), before + 1)
        view = self.m.tail(np.arange(1000, dtype=np.int32))
        gc.collect()
        self.assertEqual(view.sum(), sum(range(2, 1000)))
        fresh = self.m.large(10)
        self.assertTrue(fresh.flags.writeable)
        fresh[0] = 3
        self.assertFalse(self.m.constant().flags.writeable)

    def test_consumed_arguments_stay_what_they_are(self):
        xs = np.zeros(3, np.float32)
        self.assertEqual(self.m.put(xs).tolist(), [42, 0, 0])
        self.assertEqual(xs.tolist(), [0, 0, 0])

    def test_order_in_memory(self):
        xs = np.arange(12.0).reshape(3, 4)
        self.assertEqual(self.m.transposed(xs).tolist(), xs.T.tolist())
        copies = self.m.copies
        for strided in (np.asfortranarray(xs), xs[::-1], xs[:, ::2], xs.T):
            self.assertEqual(self.m.transposed(strided).tolist(), strided.T.tolist())
        self.assertEqual(self.m.copies, copies + 4)
        # Elements that are not aligned.
        data = np.frombuffer(b"x" + np.arange(3, dtype=np.int32).tobytes(), np.uint8)[1:].view(np.int32)
        self.assertEqual(self.m.at(data, 2), 2)
        strict = fehu.compile("entry f (xs: [][]f64) = xs[0, 0]", "c", strict=True)
        self.wrong(fehu.ArgumentError, "not contiguous.*ascontiguousarray", strict.f, xs.T)

    def test_read_only_and_empty_arrays_and_other_buffers(self):
        xs = np.arange(4, dtype=np.int32)
        xs.flags.writeable = False
        self.assertEqual(self.m.at(xs, 3), 3)
        self.assertEqual(self.m.both(np.zeros(0, np.int32))[0].shape, (0,))
        self.assertEqual(self.m.transposed(np.zeros((0, 5))).shape, (5, 0))
        self.assertEqual(self.m.both([])[1], 0)
        import array

        self.assertEqual(self.m.at(array.array("i", [5, 6]), 1), 6)
        self.assertEqual(self.m.at(memoryview(xs), 1), 1)
        self.assertEqual(self.m.at(range(3), 1), 1)

    def test_records_sums_and_opaque_values(self):
        s = self.m.stats(np.arange(10.0))
        self.assertEqual((s.mean, s.above.tolist()), (4.5, [5, 6, 7, 8, 9]))
        self.assertEqual(self.m.mean(s), 4.5)
        self.assertEqual(self.m.mean({"mean": 2.0, "above": [1.0]}), 2)
        self.assertEqual(self.m.mean(self.m.types.stats(mean=3.0, above=np.zeros(2))), 3)
        self.assertEqual(self.m.types["stats"].restore(s.store()).mean, 4.5)
        match self.m.square(2.0):
            case fehu.Value(variant="rect", payload=(a, b)):
                self.assertEqual((a, b), (2, 2))
            case other:
                self.fail(repr(other))
        self.assertEqual(self.m.area(self.m.types.shape.circle(2.0)), 12)
        c = self.m.next(self.m.next(self.m.start(5)))
        self.assertEqual(self.m.get(c), 7)
        line = self.m.line(4)
        self.assertEqual((line.shape, line.x.tolist(), line[-1].x), ((4,), [0, 1, 2, 3], 3))
        self.assertEqual(self.m.sum_x(line), 6)
        xs = np.array([1.0, 2.0])
        self.assertEqual(self.m.sum_x({"x": xs, "y": xs}), 3)
        self.assertEqual(self.m.sum_x([{"x": 1.0, "y": 2.0}, line[1]]), 2)

    def test_wrong_arguments_say_what_to_do(self):
        m, xs = self.m, np.ones(3, np.float32)
        wrong = lambda pattern, *args, **named: self.wrong(fehu.ArgumentError, pattern, *args, **named)
        wrong(r"argument `xs`: expected \[\]f32 .*float64.*astype\(np.float32\)", m.dot, xs.astype(float), xs)
        wrong(r"1 dimension.*shape \(1, 3\)", m.dot, xs[None], xs)
        wrong(r"should be \"n\", which is 3", m.dot, xs, xs[:2])
        wrong("expected .*f32.*object", m.dot, object(), xs)
        wrong("list of objects", m.dot, [object()], xs)
        wrong("no array", m.dot, [[1.0], [2.0, 3.0]], xs)
        wrong("a list of float64", m.at, [1.5], 0)
        wrong("out of bounds|too large", m.at, [2**40], 0)
        wrong(r"expected i64 \(an int, or np.int64\), got nan", m.at, [1], float("nan"))
        wrong(r"got True", m.at, [1], True)
        wrong(r"int32.*np.int64\(", m.at, [1], np.int32(0))
        self.assertIsInstance(wrong("does not have the number", m.at, [1], 2**64), OverflowError)
        wrong("missing", m.dot, xs)
        wrong("takes 2 arguments, got 3", m.dot, xs, xs, xs)
        wrong("no parameter `zs`", m.dot, xs, ys=xs, zs=xs)
        wrong("given twice", m.dot, xs, xs, xs=xs)
        wrong("field `above` is missing", m.mean, {"mean": 1.0})
        wrong("no field 'more'", m.mean, {"mean": 1.0, "above": [], "more": 1})
        wrong("expected a shape, got a stats", m.area, m.stats([1.0]))
        wrong("expected a shape", m.area, 1.0)
        wrong("byte|>f4", m.dot, xs.astype(">f4"), xs)
        self.assertEqual(m.dot(ys=xs, xs=xs), 3)

    def test_failing_programs_leave_the_module_usable(self):
        error = self.wrong(fehu.ProgramError, r"\[7\] out of bounds", self.m.at, [1, 2], 7)
        self.assertRegex(error.place, r"<calls>:\d+:\d+")
        self.assertRegex(error.__notes__[0], r"entry at \(xs: \[\]i32\) \(i: i64\) : i32 = xs\[i\]\n +\| +\^{5}$")
        self.wrong(fehu.OutOfMemory, "", self.m.large, 1 << 50)
        self.wrong(fehu.Error, "", self.m.large, -1)
        self.assertEqual(self.m.at([1, 2], 1), 2)

    def test_errors_of_the_compiler(self):
        with self.assertRaisesRegex(fehu.CompileError, r"<mine>:1:24") as caught:
            fehu.compile("entry f (x: i32) = x + y", "c", name="mine")
        (diagnostic,) = caught.exception.diagnostics
        self.assertEqual((diagnostic.code, diagnostic.line, diagnostic.column), ("unknown-name", 1, 24))
        self.wrong(fehu.CompileError, "", fehu.compile, "entry f (", "c")
        self.wrong(fehu.CompileError, "no/such", fehu.compile, "no/such.fut", "c")
        self.wrong(ValueError, "backend must be", fehu.compile, "entry f = 1", "fortran")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fehu.compile("entry f (x: i32) : i32 = let unused = 1i32 in x", "c")
        self.assertTrue(any(issubclass(w.category, fehu.CompileWarning) for w in caught))

    def test_inline_definitions(self):
        self.assertEqual(fehu.define(r"\(xs: []f64) (k: i64) -> take k (scan (+) 0 xs)", "c")([1.0, 2.0, 3.0], 2).tolist(), [1, 3])
        twice = fehu.define("entry twice (x: i32) = 2 * x", "c")
        self.assertEqual(twice(4), 8)
        self.assertIs(fehu.define("entry twice (x: i32) = 2 * x", "c"), twice)

    def test_sequences(self):
        chunks = (np.full(k, 2.0) for k in (3, 0, 1000))
        self.assertEqual(self.m.total(chunks), 2006)
        self.assertEqual(self.m.total(np.ones(5)), 5)
        self.assertEqual(self.m.rows(iter([np.ones((2, 3), np.float32), np.ones((5, 3), np.float32)])), 21)
        self.wrong(fehu.ArgumentError, "chunks of float64", self.m.total, iter([np.ones(2, np.float32)]))

        def broken():
            yield np.ones(3)
            raise KeyError("gone")

        self.wrong(KeyError, "gone", self.m.total, broken())
        self.assertEqual(self.m.total(iter([])), 0)
        folder = os.environ.get("TMPDIR", "/tmp")
        path = os.path.join(folder, f"fehu-sequence-{os.getpid()}.npy")
        np.save(path, np.arange(100000.0))
        try:
            self.assertEqual(self.m.total(fehu.FileChunks(path, bytes_each=8000)), sum(range(100000)))
        finally:
            os.remove(path)

    def test_sequences_come_out_as_iterators(self):
        m = self.m
        doubled = m.doubled(iter([np.ones(3), np.arange(4.0)]))
        self.assertEqual([chunk.tolist() for chunk in doubled], [[2, 2, 2], [0, 2, 4, 6]])
        pairs, total = m.pairs(np.arange(n, dtype=float) for n in (2, 3))
        self.assertEqual([(a.tolist(), b.tolist()) for a, b in pairs], [([0, 2], [0, 1]), ([0, 2, 4], [0, 1, 2])])
        self.assertEqual(total.result(), 4)
        # What nobody takes does not hold up the rest, and arrays in memory are one chunk.
        self.assertEqual(m.pairs.stream(np.ones(10))[1].result(), 10)
        self.assertEqual([[piece.tolist() for piece in chunk] for chunk in m.pieces.stream(3)], [[[], [0], [0, 1]]])
        # With arrays only, results are arrays.
        self.assertEqual(m.doubled(np.ones(2)).tolist(), [2, 2])

        def endless():
            while True:
                yield np.ones(1000)

        first = m.doubled(endless())
        self.assertEqual(next(first)[0], 2)
        self.assertEqual(m.at([5], 0), 5)  # the module is not busy
        first.close()
        self.assertEqual(list(first), [])
        dropped = m.doubled(endless())
        next(dropped)
        del dropped
        deadline = time.monotonic() + 60
        while any(thread.name == "fehu-doubled" for thread in threading.enumerate()):
            self.assertLess(time.monotonic(), deadline, "a program that nobody listens to goes on")
            gc.collect()
            time.sleep(0.01)

        def broken():
            yield np.ones(3)
            raise KeyError("gone")

        self.wrong(KeyError, "gone", list, m.doubled(broken()))
        self.wrong(fehu.ProgramError, "out of bounds", list, m.picked(iter([np.array([0, 7])])))
        self.wrong(fehu.ArgumentError, "chunks of float64", list, m.doubled(iter([np.ones(2, np.float32)])))
        self.wrong(fehu.ArgumentError, "yields no sequences", m.dot.stream, [1.0], [1.0])
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(m.doubled(iter([np.ones(3), np.ones(2)])).to(f"{folder}/x.npy"), 5)
            self.assertEqual(np.load(f"{folder}/x.npy").tolist(), [2] * 5)

    def test_sequences_of_tuples_and_records(self):
        m = self.m
        chunks = [(np.arange(3.0), np.array([1, 2, 3], np.int32)), (np.empty(0), np.empty(0, np.int32)), ([0.5], [4])]
        self.assertEqual(m.weighed(iter(chunks)), 10)
        self.assertEqual(m.weighed(xs=iter(chunks)), 10)
        table = np.array([(1.5, 2), (2.5, 4)], [("0", "f8"), ("1", "i4")])
        self.assertEqual(m.weighed(iter([table])), 13)
        record = {"weight": np.array([1, 2], np.int8), "at": (np.zeros((2, 2), np.float32), np.ones(2, np.float32))}
        [moved] = m.moved(1, iter([record]))
        self.assertEqual(moved["at"][0].tolist(), [[1, 1], [1, 1]])
        self.assertEqual((moved["at"][1].tolist(), moved["heavy"].tolist()), ([1, 1], [False, True]))
        [again] = m.moved(1, iter([{"weight": record["weight"], "at": moved["at"]}]))
        self.assertEqual(again["at"][0].tolist(), [[2, 2], [2, 2]])
        wrong = functools.partial(self.wrong, fehu.ArgumentError)
        wrong("different lengths: 1, 2", m.weighed, iter([([1.0], [1, 2])]))
        wrong("field `1`: expected chunks of int32 with 1 dimension, got float64", m.weighed, iter([(np.ones(1), np.ones(1))]))
        wrong("tuples of 2 arrays, got 1", m.weighed, iter([(np.ones(1),)]))
        wrong("tuples of arrays, got ndarray", m.weighed, iter([np.ones(1)]))
        wrong("with the fields at, weight, got weight", list, m.moved(1, iter([{"weight": record["weight"]}])))
        wrong("dicts, or objects with the attributes at, weight, got int", list, m.moved(1, iter([7])))
        wrong("a sequence of", m.chosen, iter([[]]))

    def test_sequences_of_arrays_that_differ_in_size(self):
        m = self.m
        chunks = [[np.arange(3), np.arange(0)], [], [[4, 5]], fehu.Pieces(np.array([1, 2]), [7, 8, 9])]
        self.assertEqual([sums.tolist() for sums in m.sums(iter(chunks))], [[3, 0], [9], [7, 17]])
        self.assertEqual([sums.tolist() for sums in m.sums(xs=iter(chunks[:1]))], [[3, 0]])
        self.assertEqual(m.sums([1, 0, 2], [5, 6, 7]).tolist(), [5, 0, 13])
        self.assertEqual([sums.tolist() for sums in m.sums.stream([1, 0, 2], xs_values=[5, 6, 7])], [[5, 0, 13]])
        self.assertEqual(list(m.sums.stream(np.zeros(0, np.int64), np.zeros(0, np.int64))), [])
        self.assertEqual(m.dots(2, iter([[([1, 2], [0.5, 1])], [([], []), ([10], [2])]])), 45)
        # What one program yields, another one reads.
        longer = list(m.longer(iter(chunks[:3])))
        self.assertEqual([[v.tolist() for v, _ in chunk] for chunk in longer], [[[0, 1, 2, 0], [0]], [[4, 5, 0]]])
        numbers = ([v for v, _ in chunk] for chunk in longer)
        self.assertEqual([sums.tolist() for sums in m.sums(numbers)], [[3, 0], [9]])
        wrong = functools.partial(self.wrong, fehu.ArgumentError)
        wrong("expected a list of elements that differ in size, or fehu.Pieces, got ndarray", list, m.sums(iter([np.arange(3)])))
        wrong("chunks of int64 with 1 dimension, got float64", list, m.sums(iter([[np.ones(3)]])))
        wrong("are 3 together", list, m.sums(iter([fehu.Pieces([1, 1], [1, 2, 3])])))
        wrong("takes 2 arguments, got 3", m.dots, 1, iter([]), [1])
        wrong("given twice", m.dots, 1, iter([]), xs=iter([]))
        wrong("the argument `xs` is missing", m.dots, 1)

    def test_results_in_tuples_can_be_written_to(self):
        more, _ = self.m.both(np.zeros(3, np.int32))
        more[0] = 7
        self.assertEqual(more.tolist(), [7, 1, 1])

    def test_a_process_survives_bad_input(self):
        m = self.m
        # Sizes that no array has.
        self.wrong(fehu.Error, "", m.large, -(2**63))
        self.wrong(fehu.OutOfMemory, "", m.large, 2**62)
        self.wrong(fehu.ArgumentError, "nan", m.large, float("nan"))
        self.wrong(fehu.ArgumentError, "inf", m.large, float("inf"))
        self.wrong(fehu.ArgumentError, "float64", m.large, np.float64(3))
        # Objects that are no arrays, and arrays that are no numbers.
        for wrong in (None, "text", b"bytes", {1}, {"a": 1}, np.array(["a"]), np.array([None]), np.ma.masked, memoryview(b"x").cast("c"), type):
            self.wrong(fehu.ArgumentError, "argument `xs`", m.at, wrong, 0)
        structured = np.zeros(2, [("x", "i4")])
        self.wrong(fehu.ArgumentError, "argument `xs`", m.at, structured, 0)
        self.wrong(fehu.ArgumentError, "argument `xs`", m.at, np.zeros(2, complex), 0)
        # One after the other in memory it is not, nor ours to write to; it is read all the same.
        shared = np.broadcast_to(np.int32(4), (5,))
        self.assertEqual(m.at(shared, 4), 4)
        self.assertEqual(m.put(np.broadcast_to(np.float32(1), (3,))).tolist(), [42, 1, 1])

        class Liar:
            def __array__(self, dtype=None, copy=None):
                return 5

        class Raiser:
            def __dlpack_device__(self):
                raise ValueError("no device")

            def __dlpack__(self, **named):
                raise ValueError("no tensor")

        for wrong in (Liar(), Raiser()):
            self.wrong(Exception, "", m.at, wrong, 0)
        self.wrong(fehu.CompileError, "", fehu.compile, "entry f (x: i32) =", "c")
        self.wrong(fehu.CompileError, "UTF-8|utf-8", fehu.compile, self.undecodable(), "c")
        self.assertEqual(m.at([1, 2], 1), 2)

    def undecodable(self):
        path = os.path.join(tempfile.mkdtemp(), "latin.fut")
        with open(path, "wb") as file:
            file.write(b"entry f = 1 -- \xe9\n")
        self.addCleanup(shutil.rmtree, os.path.dirname(path))
        return path

    def test_threads_and_futures(self):
        xs = np.ones(1000, np.float32)
        results = []

        def work():
            for _ in range(200):
                results.append(self.m.dot(xs, xs))
                self.m.stats(np.arange(10.0))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [1000] * 800)
        self.assertEqual(self.m.dot.submit(xs, xs).result(), 1000)
        self.assertEqual(self.m.fork(num_threads=1).dot(xs, xs), 1000)

    def test_the_interpreter_is_free_during_calls(self):
        counted = 0
        future = self.m.long.submit(200_000)
        while not future.done():
            counted += 1
            time.sleep(0.001)
        self.assertGreater(counted, 10)

    def test_ctrl_c(self):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.m.long(1 << 40)
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(self.m.at([1], 0), 1)


if __name__ == "__main__":
    unittest.main()
