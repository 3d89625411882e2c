"""Notebooks: the page in `docs/`, magics, and what is drawn."""

import os
import re
import struct
import unittest
import zlib
from pathlib import Path

import nbformat
import numpy as np
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbclient import NotebookClient
from nbclient.util import run_sync

import fehu

# What is shown would differ on machines with a GPU.
os.environ.setdefault("FEHU_BACKEND", "multicore")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"


def plain(text):
    """A text without what differs from one run to the next: times, and the last digits of numbers."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    text = re.sub(r"[\d.,]+ (s|MB/s)\b", r"? \1", text)
    return re.sub(r"\d+\.\d{6,}", lambda number: f"{float(number.group()):.5g}", text)


def outcome(outputs):
    """What a cell shows, as far as it is the same in every run."""
    found = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "error":
            found.append((kind, output["ename"], plain(output["evalue"])))
        elif kind == "stream":
            found.append((kind, output["name"], plain(output["text"])))
        else:
            text = plain(output["data"]["text/plain"])
            # That something takes longer than a second depends on the machine.
            if not text.endswith(": ? s"):
                found.append((sorted(output["data"]), text))
    return found


class Page(unittest.TestCase):
    def test_the_page_is_what_it_shows(self):
        page = nbformat.read(PAGE, as_version=4)
        again = nbformat.from_dict(page)
        client = NotebookClient(again, timeout=300, kernel_name="python3")
        with client.setup_kernel():
            for index, cell in enumerate(again.cells):
                if cell.cell_type != "code":
                    continue
                expected = outcome(cell.outputs)
                with self.subTest(cell=cell.source):
                    client.execute_cell(cell, index)
                    self.assertEqual(outcome(cell.outputs), expected)
            self.stop_button(client)

    def stop_button(self, client):
        """A call that would take for ever says how long it has taken so far, and stops; the notebook goes on."""
        each = r"\i -> loop x = f64.i64 i for _k < 2000i32 do f64.sin x + 1"
        code = f'fehu.define(r"entry forever (n: i64) : f64 = f64.sum (map ({each}) (iota n))", "c")(1 << 40)'
        next_output, next_reply = run_sync(client.kc.get_iopub_msg), run_sync(client.kc.get_shell_msg)
        # Otherwise what is asked soon after the failure is not executed.
        client.kc.execute(code, stop_on_error=False)
        shown = ""
        while "forever: " not in shown:
            shown = next_output(timeout=60)["content"].get("data", {}).get("text/plain", "")
        run_sync(client.km.interrupt_kernel)()
        self.assertEqual(next_reply(timeout=60)["content"]["ename"], "KeyboardInterrupt")
        client.kc.execute("1")
        self.assertEqual(next_reply(timeout=60)["content"]["status"], "ok")


class Magics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = InteractiveShell.instance()
        cls.shell.run_line_magic("load_ext", "fehu")

    def run_cell(self, text):
        with capture_output() as captured:
            result = self.shell.run_cell(text)
        return result, captured

    def test_entry_points_are_functions(self):
        result, captured = self.run_cell("%%fehu -b c\nentry twice (x: i32) : i32 = 2 * x")
        self.assertIsNone(result.error_in_exec)
        self.assertIn("twice (x: i32) : i32", captured.outputs[0].data["text/plain"])
        self.assertEqual(self.shell.user_ns["twice"](4), 8)
        self.run_cell("%%fehu more -b c --append --time\nentry four (x: i32) : i32 = twice (twice x)")
        self.assertEqual(self.shell.user_ns["more"].four(4), 16)
        self.assertNotIn("four", self.shell.user_ns)

    def test_completion(self):
        self.run_cell("%%fehu -b c\nentry thrice (x: i32) : i32 = 3 * x")

        def complete(cell):
            with provisionalcompleter():
                return [found.text for found in self.shell.Completer.completions(cell, len(cell))]

        self.assertEqual(complete("%%fehu\nentry f (x: f32) =\n  f32.sqr"), ["sqrt"])
        self.assertEqual(complete("%%fehu --append\nentry g = thr"), ["thrice"])
        self.assertIn("thrice", complete("thri"))  # the function, by IPython itself
        self.assertNotIn("reduce_by_index", complete("reduce_by"))

    def test_expressions(self):
        self.shell.user_ns |= {"xs": np.array([1.0, 2.0, 3.0]), "k": 2}
        self.assertEqual(self.run_cell("%fehu f64.sum (take {k} {xs})")[0].result, 3)
        self.assertEqual(self.run_cell("%fehu {a = 1i32}.a")[0].result, 1)
        self.shell.user_ns["name"] = "text"
        self.assertIsInstance(self.run_cell("%fehu {name}")[0].error_in_exec, fehu.ArgumentError)

    def test_errors_and_reports(self):
        result, captured = self.run_cell("%%fehu\nentry f (x: i32) = x + y")
        self.assertIsInstance(result.error_in_exec, fehu.notebook.CellError)
        self.assertIn("unknown", captured.outputs[0].data["text/plain"])
        html = captured.outputs[0].data["text/html"]
        self.assertRegex(html, r'<span style="text-decoration: wavy underline [^"]*">y</span>')
        self.assertRegex(html, r"&lt;cell \d+&gt;:1:24")
        (line,) = result.error_in_exec._render_traceback_()
        self.assertRegex(line, r"CompileError.*:1:24: .*y")
        self.assertEqual(type(self.run_cell("%%fehu --nosuch\n")[0].error_in_exec).__name__, "UsageError")
        self.run_cell("%%fehu -b c\nentry total (xs: []f32) : f32 = f32.sum (map (* 2) xs)")
        report = self.run_cell("%fehu_report")[0].result
        self.assertIn("fused into", str(report))
        html = report._repr_html_()
        self.assertIn("<svg", html)
        self.assertNotIn(":root", html)
        # Links in pictures are an error in JupyterLab.
        self.assertNotIn("<a", html[html.index("<svg") :])
        self.assertIsInstance(self.run_cell("%fehu_report nosuch")[0].error_in_exec, fehu.ArgumentError)


class Drawn(unittest.TestCase):
    def test_values(self):
        module = fehu.compile(
            "type p = {x: f64, tags: [2]i32} entry ps (n: i64) : []p = tabulate n (\\i -> {x = f64.i64 i, tags = [1, 2]})"
            " entry one : p = {x = 1, tags = [3, 4]} type s = #a i32 | #b entry sum : s = #a 7",
            "c",
        )
        points = module.ps(100)._repr_html_()
        self.assertIn("100 elements", points)
        self.assertIn("99.0", points)
        self.assertNotIn("50.0", points)
        self.assertIn("[3 4]", module.one()._repr_html_())
        self.assertIn("#a", module.sum()._repr_html_())
        self.assertEqual(str(fehu.show(np.zeros((2, 0), np.uint8))), "[2][0]u8\n[]")
        self.assertIn("[1000]f64", fehu.show(np.zeros(1000))._repr_html_())
        self.assertIn("(3,)", str(fehu.show((3,))))

    def test_pictures(self):
        def pixels(array, **named):
            png = fehu.image(array, **named).png
            size, data = struct.unpack_from(">I", png, 33)[0], png[41:]
            return struct.unpack_from(">II", png, 16), list(zlib.decompress(data[:size]))

        self.assertEqual(pixels(np.array([[0, 255]], np.uint8)), ((2, 1), [0, 0, 255]))
        self.assertEqual(pixels(np.array([[-1.0], [1.0], [np.nan]])), ((1, 3), [0, 0, 0, 255, 0, 0]))
        self.assertEqual(pixels(np.array([[0.5, 2.0]], np.float32), low=0, high=1), ((2, 1), [0, 128, 255]))
        self.assertEqual(pixels(np.array([[True, False]])), ((2, 1), [0, 255, 0]))
        self.assertEqual(pixels(np.array([[0x00102030]], np.uint32)), ((1, 1), [0, 0x10, 0x20, 0x30]))
        self.assertEqual(pixels(np.full((1, 1, 3), 7, np.uint8)), ((1, 1), [0, 7, 7, 7]))
        for wrong in (np.zeros(3), np.zeros((2, 2, 5)), np.zeros((0, 3)), np.zeros((2, 2), complex)):
            with self.assertRaises(fehu.Error):
                fehu.image(wrong)


if __name__ == "__main__":
    unittest.main()
