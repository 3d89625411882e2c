"""Work in pieces: plans, trees, values on their way; and Dask with two processes, of which some are killed."""

import dataclasses
import importlib.util
import os
import pickle
import random
import signal
import tempfile
import time
import unittest
import warnings

import numpy as np

import fehu
from fehu import partition
from fehu.partition import Entry, File

SOURCE = """
type~ acc = {n: i64, sum: f32, most: f32}
entry chunk (xs: []f32) : acc = {n = length xs, sum = f32.sum xs, most = f32.maximum xs}
entry combine (a: acc) (b: acc) : acc = {n = a.n + b.n, sum = a.sum + b.sum, most = f32.max a.most b.most}
entry finish (a: acc) : (f32, f32) = (a.sum / f32.i64 a.n, a.most)
entry minus (a: acc) (b: acc) : acc = {n = a.n - b.n, sum = a.sum, most = a.most}
entry slow (xs: []f32) : acc =
  let wasted = f32.sum (map (\\x -> loop y = x for _i < 30000i32 do f32.sin y) (take 200 xs))
  in {n = length xs + i64.f32 (0 * wasted), sum = f32.sum xs, most = f32.maximum xs}
entry slow_combine (a: acc) (b: acc) : acc =
  let wasted = f32.sum (map (\\i -> loop y = f32.i64 i for _i < 3000i32 do f32.sin y) (iota 1000))
  in {n = a.n + b.n + i64.f32 (0 * wasted), sum = a.sum + b.sum, most = f32.max a.most b.most}
entry smooth [n] (xs: [n]f32) : [n]f32 =
  tabulate n (\\i -> (xs[i64.max 0 (i - 1)] + xs[i] + xs[i64.min (n - 1) (i + 1)]) / 3)
entry scaled [n] (k: f32) (xs: [n]f32) : [n]f32 = map (* k) xs
entry rows [n][m] (xs: [n][m]f32) : [n]f32 = map f32.sum xs
entry positive (xs: []f32) : []f32 = filter (> 0) xs
entry sums [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs
entry total (xs: []f32) : f32 = f32.sum xs
entry add (a: f32) (b: f32) : f32 = a + b
entry shift [n] (before: f32) (xs: [n]f32) : [n]f32 = map (before +) xs
entry bins (size: i64) (xs: []f32) : [size]i64 =
  hist (+) 0 size (map (\\x -> i64.f32 x %% size) xs) (map (const 1) xs)
entry at (xs: []f32) : f32 = xs[6]
entry huge (xs: []f32) : []f32 = replicate (1 << 50) xs[0]
entry halves (xs: seq f32) : (seq f32, f32) = (seq.map (/ 2) xs, seq.reduce (+) 0 xs)
entry count (xs: seq f32) : i64 = seq.reduce (+) 0 (seq.map (const 1) xs)
"""


def program():
    return fehu.compile(SOURCE, "multicore", name="cluster", options={"num_threads": 1})


def in_one_process(m, blocks, combine=None):
    """What a reduction over a cluster should be, to the bit."""
    chunk, combine, finish = (Entry.of(function) for function in (m.chunk, combine or m.combine, m.finish))
    parts = [chunk.call([block]) for block in blocks]
    return finish.call([partition.reduce_tree(parts, lambda _level, _number, group: partition.fold(combine, group))])


class Partition(unittest.TestCase):
    def test_plans_have_all_rows(self):
        for rows in (0, 1, 7, 64, 1000):
            chunks = partition.plan(rows, 8, 64)
            self.assertEqual([chunk.number for chunk in chunks], list(range(len(chunks))))
            self.assertEqual([i for chunk in chunks for i in range(chunk.start, chunk.stop)], list(range(rows)))
        self.assertEqual(len(partition.plan(3, 1 << 40)), 3)

    def test_trees_combine_neighbours_in_order(self):
        for leaves in (*range(1, 30), 64, 65, 513):
            texts = [f"{i}," for i in range(leaves)]
            seen = []
            self.assertEqual(partition.reduce_tree(texts, lambda _l, _n, group: seen.append(len(group)) or "".join(group)), "".join(texts))
            self.assertLessEqual(max(seen, default=0), partition.FAN_IN)
        self.assertEqual([len(level) for level in partition.tree(513)], [65, 9, 2, 1])

    def test_modules_travel_as_texts(self):
        m = program()
        again = pickle.loads(pickle.dumps(m.combine))
        self.assertIs(again.module, m)
        self.assertNotIn(b"ELF", pickle.dumps(m))
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/lib")
            for name, text in (("lib/a.fut", 'import "../b"\ndef f (x: i32) = g x + 1'), ("b.fut", "def g (x: i32) = 10 * x")):
                with open(f"{folder}/{name}", "w") as file:
                    file.write(text)
            with open(f"{folder}/main.fut", "w") as file:
                file.write('import "lib/a"\nentry main (x: i32) = f x')
            m = fehu.compile(f"{folder}/main.fut", "c")
            self.assertEqual(sorted(name for name, _ in m.recipe.files), ["b.fut", "lib/a.fut", "main.fut"])
            # For another process, which does not have the files.
            recipe = dataclasses.replace(m.recipe, name="elsewhere")
        self.assertEqual(pickle.loads(pickle.dumps(fehu._compile.rebuild(recipe))).main(4), 41)

    def test_errors_travel(self):
        with self.assertRaises(fehu.CompileError) as caught:
            fehu.compile("entry f = g", "c")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.diagnostics), (str(caught.exception), caught.exception.diagnostics))

    def test_another_version_is_refused(self):
        recipe = dataclasses.replace(program().recipe, version="0.0.9")
        with self.assertRaisesRegex(fehu.Error, f"fehu 0.0.9.*fehu {fehu.__version__}"):
            Entry(recipe, "chunk").module()

    def test_values_are_sent_as_bytes(self):
        m = program()
        held = Entry.of(m.chunk).call([np.arange(5, dtype=np.float32)])
        sent = pickle.loads(pickle.dumps(held))
        self.assertEqual((sent.value.n, sent.value.sum, sent.value.most), (5, 10, 4))
        self.assertEqual(m.finish(sent.value), (2, 4))

    def test_any_chunks_give_the_same_integers(self):
        m, rng = program(), random.Random(3)
        xs = np.random.default_rng(1).permutation(np.arange(3000, dtype=np.float32))
        for _ in range(5):
            cuts = sorted(rng.sample(range(1, len(xs)), 20))
            mean, most = in_one_process(m, np.split(xs, cuts))
            self.assertEqual(most, 2999)
            self.assertAlmostEqual(float(mean), 1499.5, places=1)

    def test_operators_that_are_not_associative(self):
        m = program()
        parts = [Entry.of(m.chunk).call([np.full(n, 1, np.float32)]) for n in (1, 2, 4)]
        self.assertIsNone(partition.associative(Entry.of(m.combine), *parts))
        self.assertIn("minus is not associative", partition.associative(Entry.of(m.minus), *parts))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.npy"
            xs = np.arange(30, dtype=np.int32).reshape(10, 3)
            self.assertEqual(partition.write_npy(path, iter([xs[:4], xs[4:4], xs[4:]])), 10)
            self.assertEqual(np.load(path).tolist(), xs.tolist())
            file = File.npy(path)
            self.assertEqual((file.rows, file.read(3, 7).tolist()), (10, xs[3:7].tolist()))
            self.assertEqual(np.concatenate(list(file.chunks(24))).tolist(), xs.tolist())
            os.truncate(path, file.size - 5)
            with self.assertRaisesRegex(fehu.Error, f"had {file.size} bytes when the work was planned, and has {file.size - 5}"):
                file.read(0, 1)
            with self.assertRaisesRegex(fehu.Error, "no whole rows of 12"):
                File.raw(path, np.int32, (3,)).rows
            os.remove(path)
            with self.assertRaisesRegex(fehu.Error, "is not here now"):
                file.read(0, 1)
            with self.assertRaisesRegex(fehu.Error, "no files .*nothing"):
                partition.paths(f"{folder}/nothing*")

    def test_what_surroundings_do_wrong_is_tried_again(self):
        attempts = []

        def flaky():
            attempts.append(1)
            if len(attempts) < 3:
                raise OSError("stale file handle")
            return "read"

        self.assertEqual(partition.patiently(flaky, 0), "read")


@unittest.skipUnless(importlib.util.find_spec("distributed"), "Dask is not installed")
class Dask(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import dask.array as da

        import fehu.dask as fd

        cls.fd, cls.da, cls.m = fd, da, program()
        cls.client = fd.client(n_workers=2, threads_per_worker=1, silence_logs=50)
        cls.folder = tempfile.TemporaryDirectory()
        cls.x = np.random.default_rng(5).normal(size=20_000).astype(np.float32)
        cls.path = f"{cls.folder.name}/x.npy"
        np.save(cls.path, cls.x)
        cls.blocks = [cls.x[i : i + 1000] for i in range(0, len(cls.x), 1000)]

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.folder.cleanup()

    def distributed(self):
        return self.fd.from_npy(self.path, chunk_bytes=4000)

    def test_maps(self):
        fd, da, m, x = self.fd, self.da, self.m, self.distributed()
        self.assertEqual(x.numblocks, (20,))
        y = fd.map_blocks(m.scaled, np.float32(3), x)
        self.assertEqual((y.dtype, y.chunks), (np.float32, x.chunks))
        np.testing.assert_array_equal(y.compute(), 3 * self.x)
        # The neighbours' rows make the borders vanish.
        z = fd.map_blocks(m.smooth, x, depth={0: 1}, boundary="nearest")
        np.testing.assert_array_equal(z.compute(), m.smooth(self.x))
        table = da.from_array(self.x.reshape(200, 100), chunks=(30, 40))
        np.testing.assert_array_equal(fd.map_blocks(m.rows, table).compute(), m.rows(self.x.reshape(200, 100)))
        kept = fd.map_blocks(m.positive, x)
        np.testing.assert_array_equal(kept.compute(), self.x[self.x > 0])

    def test_reductions_are_the_same_to_the_bit(self):
        fd, m, x = self.fd, self.m, self.distributed()
        expected = in_one_process(m, self.blocks)
        self.assertEqual(fd.reduce(m.chunk, m.combine, x, finish=m.finish).compute(), expected)
        held = fd.reduce(m.chunk, m.combine, x).compute()
        self.assertEqual(m.finish(held.value), expected)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fd.reduce(m.chunk, m.combine, x, check=True)
            self.assertFalse([w for w in caught if w.category is fd.AssociativityWarning])
            fd.reduce(m.chunk, m.minus, x, check=True)
        self.assertIn("not associative", str([w.message for w in caught if w.category is fd.AssociativityWarning]))

    def test_scans_and_histograms(self):
        fd, m, x = self.fd, self.m, self.distributed()
        whole = self.da.from_array(np.arange(1000, dtype=np.float32) % 7, chunks=64)
        found = fd.scan(m.sums, m.total, m.add, m.shift, whole).compute()
        np.testing.assert_array_equal(found, m.sums(np.asarray(whole)))
        np.testing.assert_array_equal(fd.hist(m.bins, abs(x), size=3).compute(), m.bins(3, abs(self.x)))

    def test_sequences_are_divided_by_files(self):
        fd, m = self.fd, self.m
        import gzip

        for number in range(3):
            with gzip.open(f"{self.folder.name}/part{number}.gz", "wb") as stream:
                stream.write(self.x[: 100 * (number + 1)].tobytes())
        files = fd.files(f"{self.folder.name}/part*.gz", np.float32)
        self.assertEqual(fd.stream(m.count, files).compute(), [100, 200, 300])
        out = f"{self.folder.name}/out"
        written = fd.stream(m.halves, files, out=out).compute()
        self.assertEqual([path for path, _ in written], [f"{out}/part-{number:05}-0.npy" for number in range(3)])
        np.testing.assert_array_equal(np.load(written[2][0]), self.x[:300] / 2)
        os.truncate(files[1].path, 20)
        with self.assertRaisesRegex(fehu.Error, "partition 0.*part1.gz.*when the work was planned"):
            fd.stream(m.count, files[1:]).compute()

    def test_errors_say_where_and_are_not_tried_again(self):
        x = self.da.from_array(np.ones(22, np.float32), chunks=(10, 5, 7))
        with self.assertRaisesRegex(fehu.ProgramError, r"partition 1, rows 10 to 15: [^\0]*\[6\] out of bounds") as caught:
            self.fd.reduce(self.m.at, self.m.add, x).compute()
        error = caught.exception
        self.assertEqual((error.partition, error.rows), (1, (10, 15)))
        self.assertRegex(error.place, r":\d+:\d+")
        with self.assertRaisesRegex(fehu.OutOfMemory, r"partition \d, rows \d+ to \d+: [^\0]*chunk_bytes"):
            self.fd.map_blocks(self.m.huge, x).compute()

    def kill_when(self, started, future):
        """Kills a worker once there is a result of this function, unless everything is done by then; yields whether it was."""
        while not future.done():
            if any(str(key).startswith(started) for keys in self.client.has_what().values() for key in keys):
                os.kill(next(iter(self.client.run(os.getpid).values())), signal.SIGKILL)
                return True
            time.sleep(0.005)
        return False

    def test_workers_are_killed_during_the_map_and_while_parts_are_combined(self):
        m = self.m
        expected = in_one_process(m, self.blocks)
        future = self.client.compute(self.fd.reduce(m.slow, m.slow_combine, self.distributed(), finish=m.finish))
        self.assertTrue(self.kill_when("slow-", future))
        self.kill_when("slow_combine-", future)
        self.assertEqual(future.result(timeout=300), expected)

    def test_warm(self):
        found = self.fd.warm(self.client, self.m)
        # Programs that are compiled ahead of the first task have the threads of their worker, too.
        threads = self.client.run(lambda: partition._settings.get("num_threads"))
        self.assertEqual(threads, {worker: 1 for worker in threads})
        self.assertEqual({tuple(of) for of in found.values()}, {("cluster",)})
        wrong = fehu.compile("entry f = 1i32", "c")
        wrong.recipe = dataclasses.replace(wrong.recipe, version="0.0.9", name="old")
        with self.assertRaisesRegex(fehu.Error, "tcp://.*old.*fehu 0.0.9"):
            self.fd.warm(self.client, wrong)


if __name__ == "__main__":
    unittest.main()
