"""Calls: what goes in and out, what is copied, and what happens when something is wrong."""

import ast
import gc
import os
import signal
import sys
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
