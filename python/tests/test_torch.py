"""Functions in networks of PyTorch: gradients agree with differences, nothing is copied, and what cannot be done is refused."""

import importlib.util
import unittest

import numpy as np

import fehu

SOURCE = """
entry loss [n] (w: [n]f64) (x: [n]f64) : f64 = (f64.sum (map2 (*) w x) - 1) ** 2
entry layer [n][m][k] (w: [m][k]f64) (b: [m]f64) (x: [n][k]f64) : [n][m]f64 =
  map (\\row -> map2 (\\ws c -> f64.tanh (c + f64.sum (map2 (*) ws row))) w b) x
entry scaled [n] (k: f64) (times: i64) (x: [n]f64) : [n]f64 = map (\\v -> k * k * v * f64.i64 times) x
entry count [n] (x: [n]f64) (i: [n]i64) : i64 = n + i64.sum i + i64.f64 (f64.sum x)
"""

KMEANS = """
-- | Centres of k clusters after some steps, and the points themselves.
entry kmeans [n][d] (points: [n][d]f32) (k: i64) (steps: i32) : ([k][d]f32, [n][d]f32) =
  let distance (a: [d]f32) (b: [d]f32) = f32.sum (map2 (\\x y -> (x - y) * (x - y)) a b)
  let centres =
    loop centres = map (\\i -> points[i * n / k]) (iota k) for _step < steps do
      let near p = (.1) (reduce (\\(a, i) (b, j) -> if a < b || (a == b && i < j) then (a, i) else (b, j)) (f32.inf, k)
                                (zip (map (distance p) centres) (iota k)))
      let members = map near points
      let counts = hist (+) 0 k members (map (const 1i64) members)
      let sums = hist (map2 (+)) (replicate d 0) k members points
      in map2 (\\s c -> map (/ f32.i64 (i64.max 1 c)) s) sums counts
  in (centres, points)
"""


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class Torch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import torch

        import fehu.torch

        cls.torch, cls.m = torch, fehu.compile(SOURCE, "c", name="torch")
        torch.manual_seed(1)

    def tensor(self, *shape):
        return self.torch.randn(shape, dtype=self.torch.float64, requires_grad=True)

    def test_gradients_agree_with_differences(self):
        torch, m = self.torch, self.m
        check = torch.autograd.gradcheck
        self.assertTrue(check(fehu.torch.wrap(m.loss), (self.tensor(4), self.tensor(4))))
        self.assertTrue(check(fehu.torch.wrap(m.layer), (self.tensor(3, 2), self.tensor(3), self.tensor(5, 2))))
        self.assertTrue(check(lambda k, x: fehu.torch.wrap(m.scaled)(k, 3, x), (self.tensor(), self.tensor(3))))
        # Gradients that are not contiguous arrive, too.
        self.assertTrue(check(lambda w, b, x: fehu.torch.wrap(m.layer)(w, b, x).T.sum(1), (self.tensor(3, 2), self.tensor(3), self.tensor(5, 2))))

    def test_it_stands_in_a_network(self):
        torch, layer = self.torch, fehu.torch.wrap(self.m.layer)

        class Layer(torch.nn.Module):
            def __init__(self, ins, outs):
                super().__init__()
                self.w = torch.nn.Parameter(torch.randn(outs, ins, dtype=torch.float64) / ins)
                self.b = torch.nn.Parameter(torch.zeros(outs, dtype=torch.float64))

            def forward(self, x):
                return layer(self.w, self.b, x)

        class Plain(Layer):
            def forward(self, x):
                return torch.tanh(x @ self.w.T + self.b)

        x = torch.linspace(-1, 1, 20, dtype=torch.float64)[:, None]
        y = x**3
        losses = []
        for kind in (Layer, Plain):
            torch.manual_seed(2)
            net = torch.nn.Sequential(kind(1, 8), torch.nn.Linear(8, 8).double(), kind(8, 1))
            steps = torch.optim.Adam(net.parameters(), 0.05)
            for _ in range(30):
                steps.zero_grad()
                loss = ((net(x) - y) ** 2).mean()
                loss.backward()
                steps.step()
            losses.append(loss.item())
        self.assertLess(losses[0], 0.1)
        self.assertAlmostEqual(*losses, places=9)

    def test_what_cannot_be_differentiated(self):
        torch, m = self.torch, self.m
        x = self.tensor(3)
        (gradient,) = torch.autograd.grad(fehu.torch.wrap(m.loss)(x, self.tensor(3).detach()), x, create_graph=True)
        with self.assertRaisesRegex(fehu.Error, "gradient of its gradient"):
            gradient.sum().backward()
        count = fehu.torch.wrap(m.count)
        with self.assertRaisesRegex(fehu.Error, "no derivative of count .* by `x`"):
            count(x, torch.ones(3, dtype=torch.int64))
        self.assertEqual(int(count(torch.ones(3, dtype=torch.float64), torch.ones(3, dtype=torch.int64))), 9)
        with self.assertRaisesRegex(fehu.ArgumentError, "float32"):
            fehu.torch.wrap(m.loss)(x.float(), x)
        with self.assertRaisesRegex(fehu.ArgumentError, r"to\(torch.float64\)"):
            fehu.torch.wrap(m.scaled)(torch.tensor(1.0), 2, x)

    def test_kmeans_of_numpy_and_of_torch(self):
        torch = self.torch
        m = fehu.compile(KMEANS, "multicore", name="kmeans", strict=True)
        points = np.random.default_rng(3).normal(size=(20_000, 4)).astype(np.float32)
        tensor = torch.from_dlpack(points) if hasattr(points, "__dlpack__") else torch.from_numpy(points)
        centres, same = m.kmeans(points, 5, 7)
        theirs, shared = m.kmeans(tensor, 5, 7)
        self.assertIsInstance(theirs, torch.Tensor)
        self.assertEqual(theirs.tolist(), centres.tolist())
        address = points.__array_interface__["data"][0]
        self.assertEqual((same.__array_interface__["data"][0], tensor.data_ptr(), shared.data_ptr()), (address,) * 3)
        self.assertEqual(m.copies, 0)


if __name__ == "__main__":
    unittest.main()
