"""Documents: every public name has an example, which works, and the reference is current."""

import doctest
import importlib.util
import unittest
from pathlib import Path

import numpy as np

import fehu
import fehu.notebook

REPOSITORY = Path(__file__).resolve().parents[2]


class Documents(unittest.TestCase):
    def test_examples(self):
        finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
        for name in fehu.__all__:
            with self.subTest(name):
                item = getattr(fehu, name)
                # Functions that remember results are found by what they wrap.
                item = getattr(item, "__wrapped__", item)
                examples = [test for test in finder.find(item, name, globs={"fehu": fehu, "np": np}, module=False) if test.examples]
                self.assertTrue(examples, "its docstring has no example")
                said = []
                for test in examples:
                    runner.run(test, out=said.append)
                self.assertEqual("".join(said), "")

    def test_the_reference_is_current(self):
        spec = importlib.util.spec_from_file_location("reference", REPOSITORY / "python" / "packaging" / "reference.py")
        reference = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(reference)
        written = (REPOSITORY / "docs" / "python-reference.md").read_text("utf-8")
        self.assertEqual(reference.reference(), written, "run python/packaging/reference.py")


if __name__ == "__main__":
    unittest.main()
