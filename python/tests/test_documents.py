"""Documents: every public name has an example, which works, and the reference is current."""

import ast
import doctest
import importlib.util
import os
import re
import unittest
from pathlib import Path

import numpy as np

import fehu
import fehu.notebook

# What examples show would differ on machines with a GPU.
os.environ.setdefault("FEHU_BACKEND", "multicore")
REPOSITORY = Path(__file__).resolve().parents[2]


class Documents(unittest.TestCase):
    maxDiff = None

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

    def test_the_book(self):
        """Blocks of Python in the book and the README are sessions; one that is not run says why."""
        block = re.compile(r"^(<!-- not run: .*-->\n)?```python\n(.*?)^```$", re.M | re.S)
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        pages = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs" / "book" / "src").glob("*.md"))]
        count = 0
        for page in pages:
            # These have tests of their own.
            if page.name in ("python-reference.md", "from-numpy.md"):
                continue
            with self.subTest(page.name):
                sessions = [text for reason, text in block.findall(page.read_text("utf-8")) if not reason]
                self.assertTrue(all(text.startswith(">>> ") for text in sessions), "a block begins with a prompt")
                said = []
                runner.run(parser.get_doctest("\n".join(sessions), {}, page.name, str(page), 0), out=said.append)
                self.assertEqual("".join(said), "")
                count += len(sessions)
        self.assertGreater(count, 3)

    def test_stubs_of_programs_are_current(self):
        """`typed/use.py` is checked against them by mypy."""
        folder = REPOSITORY / "python" / "tests" / "typed"
        module = fehu.compile(folder / "program.fut", "c")
        self.assertEqual(fehu.stubs(module), (folder / "program.pyi").read_text("utf-8"), "write `fehu.stubs(module)` to program.pyi")

    def test_the_stub_of_the_extension_has_all_of_it(self):
        stub = ast.parse((Path(fehu.__file__).with_name("_dispatch.pyi")).read_text("utf-8"))
        classes = {item.name: item for item in stub.body if isinstance(item, ast.ClassDef)}
        self.assertEqual(set(classes), {name for name, item in vars(fehu._dispatch).items() if isinstance(item, type)})
        for name, item in classes.items():
            stated = {member.name for member in item.body if isinstance(member, ast.FunctionDef)}
            there = vars(getattr(fehu._dispatch, name))
            # What is looked up by a slot has no entry of its own.
            self.assertEqual(stated - set(there) - {"__getattr__"}, set(), name)
            self.assertEqual({member for member in there if not member.startswith("_")} - stated, set(), name)

    def test_the_reference_is_current(self):
        spec = importlib.util.spec_from_file_location("reference", REPOSITORY / "python" / "packaging" / "reference.py")
        reference = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(reference)
        written = (REPOSITORY / "docs" / "book" / "src" / "python-reference.md").read_text("utf-8")
        self.assertEqual(reference.reference(), written, "run python/packaging/reference.py")


if __name__ == "__main__":
    unittest.main()
