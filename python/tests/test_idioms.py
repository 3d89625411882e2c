"""docs/book/src/from-numpy.md: both sides of each idiom give the same results."""

import inspect
import re
import unittest
from pathlib import Path

import numpy as np

import fehu

PAGE = Path(__file__).resolve().parents[2] / "docs" / "book" / "src" / "from-numpy.md"
IDIOM = re.compile(r"^### (\d+)\. (.*?)\n\n```python\n(.*?)```\n```futhark\n(.*?)```", re.M | re.S)


class Idioms(unittest.TestCase):
    def test_both_sides_agree(self):
        idioms = IDIOM.findall(PAGE.read_text("utf-8"))
        self.assertEqual([int(number) for number, *_ in idioms], list(range(1, 41)))
        rng = np.random.default_rng(7)
        given = {
            "x": rng.random(9), "y": rng.random(9), "A": rng.random((4, 5)), "B": rng.random((5, 3)),
            "i": np.array([3, 1, 7, 2]), "k": 6,
        }
        module = fehu.compile("\n".join(text for *_, text in idioms), "c", name="idioms")
        for number, title, python, text in idioms:
            with self.subTest(f"{number}. {title}"):
                scope = {"np": np, **{name: getattr(value, "copy", lambda: value)() for name, value in given.items()}}
                exec(python, scope)
                function = module[re.match(r"entry (\w+)", text).group(1)]
                found = function(*(given[name] for name in inspect.signature(function).parameters))
                expected = scope["r"]
                if not isinstance(expected, tuple):
                    expected, found = (expected,), (found,)
                self.assertEqual(len(found), len(expected))
                for ours, theirs in zip(found, expected):
                    self.assertEqual(np.shape(ours), np.shape(theirs))
                    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


if __name__ == "__main__":
    unittest.main()
