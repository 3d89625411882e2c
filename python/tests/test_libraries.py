"""Arrays of other libraries, by DLPack: nothing is copied, and results are of the same library."""

import gc
import importlib.util
import unittest

import numpy as np

import fehu

SOURCE = """
entry tail (xs: []f32) : []f32 = drop 1 xs
entry double (xs: [][]f32) : [][]f32 = map (map (* 2)) xs
entry put (xs: *[]f32) : *[]f32 = xs with [0] = 42
"""


class Tensor:
    """An array of a library that has nothing but DLPack."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned = array, versioned

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **named):
        if named and not self.versioned:
            raise TypeError("an old library")
        return self.array.__dlpack__(**named)


class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = fehu.compile(SOURCE, "c", name="libraries")

    def test_dlpack_goes_in(self):
        xs = np.arange(5, dtype=np.float32)
        for versioned in (True, False):
            ys = self.m.tail(Tensor(xs, versioned))
            self.assertEqual(ys.__array_interface__["data"][0], xs.__array_interface__["data"][0] + 4)
            self.assertEqual(self.m.put(Tensor(xs, versioned)).tolist(), [42, 1, 2, 3, 4])
        self.assertEqual(xs[0], 0)
        ys = self.m.tail(Tensor(np.arange(1000, dtype=np.float32)))
        gc.collect()
        self.assertEqual(ys.sum(), sum(range(1000)))
        xs.flags.writeable = False
        self.assertEqual(self.m.tail(Tensor(xs)).tolist(), [1, 2, 3, 4])
        with self.assertRaisesRegex(fehu.ArgumentError, "float32"):
            self.m.tail(Tensor(np.zeros(3)))
        with self.assertRaisesRegex(fehu.ArgumentError, "1 dimension"):
            self.m.tail(Tensor(np.zeros((3, 3), np.float32)))

    def test_dlpack_goes_out(self):
        ys = self.m.double(np.ones((2, 3), np.float32))
        base = ys
        while not isinstance(base, fehu.Array):
            base = base.obj if isinstance(base, memoryview) else base.base
        self.assertEqual((base.shape, base.dtype, base.ndim, len(base)), ((2, 3), np.float32, 2, 2))
        zs = np.from_dlpack(base)
        self.assertEqual(zs.__array_interface__["data"], ys.__array_interface__["data"])
        del ys, base
        gc.collect()
        self.assertEqual(zs.tolist(), [[2, 2, 2], [2, 2, 2]])
        # A value of one program is an argument of another.
        other = fehu.compile("entry total (xs: [][]f32) : f32 = f32.sum (flatten xs)", "c")
        self.assertEqual(other.total(zs), 12)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
    def test_jax(self):
        import jax.numpy as jnp

        xs = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
        ys = self.m.double(xs)
        self.assertIn("jax", type(ys).__module__)
        self.assertEqual(ys.tolist(), (2 * xs).tolist())

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_torch(self):
        import torch

        xs = torch.arange(6, dtype=torch.float32)
        ys = self.m.tail(xs)
        self.assertIsInstance(ys, torch.Tensor)
        self.assertEqual(ys.data_ptr(), xs.data_ptr() + 4)
        zs = self.m.double(xs.reshape(2, 3))
        self.assertEqual(zs.tolist(), (2 * xs.reshape(2, 3)).tolist())


if __name__ == "__main__":
    unittest.main()
