"""What takes too long for `./test`: more failures of clusters, and the C compiler that pip brings, on a machine without one.

    python python/tests/thorough.py          with fehu-lang[dask,cc] installed
"""

import importlib.util
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import test_cluster

import fehu
import fehu.dask as fd


class Failures(unittest.TestCase):
    def setUp(self):
        self.m = test_cluster.program()
        self.x = np.random.default_rng(7).normal(size=120_000).astype(np.float32)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/x.npy"
        np.save(self.path, self.x)
        self.expected = test_cluster.in_one_process(self.m, np.split(self.x, 120))

    def reduction(self, chunk_bytes=4000):
        m = self.m
        return fd.reduce(m.slow, m.slow_combine, fd.from_npy(self.path, chunk_bytes), finish=m.finish)

    def test_three_workers_lose_one_again_and_again(self):
        with fd.client(n_workers=3, threads_per_worker=1, silence_logs=50) as client:
            future = client.compute(self.reduction())
            killed = 0
            while not future.done() and killed < 6:
                time.sleep(0.5)
                pids = list(client.run(os.getpid, on_error="ignore").values())
                if pids and not future.done():
                    os.kill(random.choice(pids), signal.SIGKILL)
                    killed += 1
            self.assertGreater(killed, 0)
            self.assertEqual(future.result(timeout=300), self.expected)

    def test_any_number_of_workers_gives_the_same_bits(self):
        for workers in (1, 2, 3):
            with fd.client(n_workers=workers, threads_per_worker=1):
                self.assertEqual(self.reduction().compute(), self.expected)

    def test_two_clients_at_once(self):
        with fd.LocalCluster(2, 1) as cluster:
            address, results = cluster.scheduler_address, []
            clients = [fd.client(address, set_as_default=False) for _ in range(2)]
            threads = [threading.Thread(target=lambda c=c: results.append(c.compute(self.reduction()).result())) for c in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(results, [self.expected] * 2)
            for client in clients:
                client.close()

    def test_a_lost_scheduler_ends_the_run(self):
        with fd.client(n_workers=1, threads_per_worker=1, silence_logs=50) as client:
            future = client.compute(self.reduction())
            time.sleep(0.5)
            client.cluster.close()
            with self.assertRaises(Exception) as caught:
                future.result(timeout=60)
            self.assertNotIsInstance(caught.exception, TimeoutError)


@unittest.skipUnless(importlib.util.find_spec("ziglang"), "fehu-lang[cc] is not installed")
class NoCompiler(unittest.TestCase):
    def test_an_empty_path(self):
        script = "import fehu; m = fehu.compile('entry f (x: i32) = x + 1'); print(m.f(41), m.compiler)"
        with tempfile.TemporaryDirectory() as folder:
            environment = {"PATH": folder, "HOME": folder}
            done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        self.assertRegex(done.stdout + done.stderr, "^42 .*-m ziglang cc")


if __name__ == "__main__":
    unittest.main()
