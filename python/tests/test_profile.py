"""Profiles of calls; what they look like is in the docstring of `fehu.Profile`."""

import unittest

import numpy as np

import fehu

PROGRAM = "entry f [n] (xs: [n]f64) (k: i64) : f64 = f64.sum (map (* f64.i64 k) xs)\nentry g (t: (i32, i32)) = t.0"


class Profiles(unittest.TestCase):
    def test_arguments_that_cannot_be_given(self):
        module = fehu.compile(PROGRAM, "c")
        for function, args, said in (
            (module.f, (np.ones(3),), "f takes 2 arguments, got 1"),
            (module.f, (np.ones((3, 3)), 1), "xs is a .*n.f64, which has 1 dimensions, not 2"),
            (module.g, ((1, 2),), "profiles are made with arrays and numbers"),
        ):
            with self.assertRaisesRegex(fehu.ArgumentError, said):
                function.profile(*args)


if __name__ == "__main__":
    unittest.main()
