"""Gradients and batches."""

import importlib.util
import unittest

import numpy as np

import fehu

SOURCE = """
entry loss [n] (w: [n]f64) (x: [n]f64) : f64 = (f64.sum (map2 (*) w x) - 1) ** 2
entry scale (xs: []f32) (k: f32) : []f32 = map (* k) xs
entry six (a: f32) (b: f32) (c: f32) (d: f32) (e: f32) (f: f32) : f32 = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f
entry count (xs: []i32) : i64 = length xs
"""


class Transform(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = fehu.compile(SOURCE, "c", name="transform")
        cls.w, cls.x = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])

    def test_grad(self):
        w, x = self.w, self.x
        expected = 2 * (w @ x - 1) * x
        np.testing.assert_allclose(fehu.grad(self.m.loss)(w, x), expected)
        value, gradient = fehu.value_and_grad(self.m.loss)(w, x)
        np.testing.assert_allclose(value, (w @ x - 1) ** 2)
        np.testing.assert_allclose(gradient, expected)
        by_w, by_x = fehu.grad(self.m.loss, (0, 1))(w, x)
        np.testing.assert_allclose(by_w, expected)
        np.testing.assert_allclose(by_x, 2 * (w @ x - 1) * w)
        # Differences, as an outside witness.
        step = 1e-6
        for i in range(3):
            moved = w.copy()
            moved[i] += step
            slope = (self.m.loss(moved, x) - self.m.loss(w, x)) / step
            np.testing.assert_allclose(slope, expected[i], rtol=1e-4)

    def test_vmap(self):
        ws, xs = np.arange(12.0).reshape(4, 3), np.ones((4, 3))
        each = [self.m.loss(w, x) for w, x in zip(ws, xs)]
        np.testing.assert_allclose(fehu.vmap(self.m.loss)(ws, xs), each)
        scaled = fehu.vmap(self.m.scale)(np.ones((2, 5), np.float32), np.array([2, 3], np.float32))
        self.assertEqual(scaled.tolist(), [[2] * 5, [3] * 5])
        ones = np.ones(2, np.float32)
        self.assertEqual(fehu.vmap(self.m.six)(*[ones] * 6).tolist(), [21, 21])

    def test_vjp(self):
        by_xs, by_k = fehu.vjp(self.m.scale, (0, 1))(np.array([1, 2], np.float32), np.float32(3), np.array([10, 20], np.float32))
        self.assertEqual((by_xs.tolist(), by_k), ([30, 60], 50))

    @unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
    def test_jax(self):
        import jax

        import fehu.jax

        jax.config.update("jax_enable_x64", True)
        loss = fehu.jax.wrap(self.m.loss)
        expected = 2 * (self.w @ self.x - 1) * self.x
        np.testing.assert_allclose(jax.jit(loss)(self.w, self.x), (self.w @ self.x - 1) ** 2)
        np.testing.assert_allclose(jax.grad(loss)(self.w, self.x), expected)
        # In the middle of other functions.
        np.testing.assert_allclose(jax.jit(jax.grad(lambda w: 3 * loss(w * 1.0, self.x)))(self.w), 3 * expected)
        with self.assertRaisesRegex(fehu.Error, "must know the shape"):
            fehu.jax.wrap(self.m.scale)(np.ones(2, np.float32), np.float32(1))

    def test_what_has_no_gradient(self):
        with self.assertRaisesRegex(fehu.Error, "only a float has a gradient"):
            fehu.grad(self.m.count)
        with self.assertRaisesRegex(fehu.Error, "no argument number 2"):
            fehu.grad(self.m.loss, 2)


if __name__ == "__main__":
    unittest.main()
