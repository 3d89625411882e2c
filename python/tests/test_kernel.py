"""The kernel for the language: what Jupyter asks of every kernel, and what is ours."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jupyter_kernel_test
from jupyter_client.manager import start_new_kernel

from fehu.kernel.history import History

# A machine may be busy.
jupyter_kernel_test.TIMEOUT = 120
FOLDER = tempfile.TemporaryDirectory(prefix="fehu-kernel-test-")


def setUpModule():
    command = [sys.executable, "-m", "fehu.kernel", "install", "--prefix", FOLDER.name]
    subprocess.run(command, check=True, capture_output=True)
    os.environ["JUPYTER_PATH"] = os.path.join(FOLDER.name, "share", "jupyter")
    os.environ["FEHU_NOTEBOOK_HISTORY"] = os.path.join(FOLDER.name, "history")


def tearDownModule():
    FOLDER.cleanup()


class Kernel(jupyter_kernel_test.KernelTests):
    kernel_name = "fehu"
    language_name = "futhark"
    file_extension = ".fut"
    code_hello_world = ':string "hello, world"'
    code_stderr = "trace 1i32"
    completion_samples = [
        {"text": "f32.sqr", "matches": {"sqrt"}},
        {"text": "1 + reduce_by_index_2", "matches": {"reduce_by_index_2d"}},
        {"text": "1\n:ty", "matches": {"type"}},
    ]
    complete_code_samples = ["1 + 2", "def f x =\n  x + 1", "-- | Doc.\ndef x = 1\n\nx", ":type 1"]
    incomplete_code_samples = ["def f x =", "(1 +", "1\nlet x = 2 in"]
    invalid_code_samples = ["1 + )", "def = 1\n"]
    code_generate_error = "1i32 / 0"
    code_execute_result = [
        {"code": "1 + 2", "result": "3"},
        {"code": "1+2*3", "result": "7"},
        {"code": "def x = 5i64\n\niota x", "result": "[0, 1, 2, 3, 4]"},
        {"code": "1 + 2", "result": "3"},
        {"code": "iota 2000", "result": "[0, 1, 2, ..., 1997, 1998, 1999]"},
        {"code": "1 + 2 * 2", "result": "5"},
        {"code": "[1.5f32]", "mime": "text/html"},
    ]
    code_display_data = [{"code": ":img [[0f32, 1], [1, 0]]", "mime": "image/png"}, {"code": "1 + y", "mime": "text/html"}]
    code_inspect_sample = "reduce"
    code_history_pattern = "1?+ 2"
    supported_history_operations = ("tail", "range", "search")

    @classmethod
    def setUpClass(cls):
        cls.km, cls.kc = start_new_kernel(startup_timeout=jupyter_kernel_test.TIMEOUT, kernel_name=cls.kernel_name)

    def execute_helper(self, *args, **kwargs):
        # The helper waits for a tenth of a second for what the kernel says; a busy machine may need more.
        channel = self.kc.iopub_channel
        get = channel.get_msg
        channel.get_msg = lambda timeout=None: get(timeout=jupyter_kernel_test.TIMEOUT)
        try:
            return super().execute_helper(*args, **kwargs)
        finally:
            del channel.get_msg

    def flush_channels(self):
        """Reads all that belongs to earlier requests: up to the answer to one more. Nothing waits for time to pass."""
        asked = self.kc.kernel_info()
        for read in (self.kc.get_shell_msg, self.kc.get_iopub_msg):
            while True:
                message = read(timeout=jupyter_kernel_test.TIMEOUT)
                state = message["content"].get("execution_state", "idle")
                if message["parent_header"].get("msg_id") == asked and state == "idle":
                    break

    def test_display_data(self):
        # The second one is an error, which is drawn as well.
        for sample in self.code_display_data:
            self.flush_channels()
            _, outputs = self.execute_helper(sample["code"])
            self.assertIn(sample["mime"], outputs[0]["content"]["data"])

    def test_inspection_has_the_type_and_the_documentation(self):
        self.flush_channels()
        self.execute_helper("-- | Twice as much.\ndef twice (x: i32) = 2 * x")
        self.kc.inspect("1 + twice 3", 6)
        content = self.get_non_kernel_info_reply()["content"]
        self.assertTrue(content["found"])
        self.assertEqual(content["data"]["text/plain"], "twice : i32 -> i32\n\nTwice as much.")

    def test_errors_say_where(self):
        self.flush_channels()
        reply, outputs = self.execute_helper("def good = 1i32\n\n(good,\n unknown)")
        self.assertEqual((reply["content"]["status"], reply["content"]["ename"]), ("error", "CompileError"))
        self.assertIn("unknown", reply["content"]["evalue"])
        drawn = outputs[0]["content"]["data"]
        self.assertIn(f"[{reply['content']['execution_count']}]:4:2", drawn["text/html"])
        self.assertIn("wavy underline", drawn["text/html"])
        reply, _ = self.execute_helper("[1i32, 2][good + 6]")
        self.assertEqual(reply["content"]["ename"], "ProgramError")
        self.assertIn("[7]", reply["content"]["evalue"])

    def test_an_engine_that_has_ended_is_replaced(self):
        self.flush_channels()
        self.execute_helper(":quit")
        self.kc.complete("f32.sqr", 7)
        self.assertEqual(self.get_non_kernel_info_reply()["content"]["matches"], ["sqrt"])
        self.flush_channels()
        self.execute_helper(":quit")
        reply, _ = self.execute_helper("1")
        self.assertEqual(reply["content"]["ename"], "EngineGone")
        reply, _ = self.execute_helper("1")
        self.assertEqual(reply["content"]["status"], "ok")

    def test_interrupt(self):
        self.flush_channels()
        self.kc.execute("loop x = trace 0i64 while true do x + 1")
        # What it traces says that it runs.
        while self.kc.get_iopub_msg(timeout=60)["msg_type"] != "stream":
            pass
        self.km.interrupt_kernel()
        reply = self.kc.get_shell_msg(timeout=60)
        self.assertEqual((reply["content"]["status"], reply["content"]["ename"]), ("error", "KeyboardInterrupt"))
        self.flush_channels()
        reply, outputs = self.execute_helper("20 + 22i32")
        self.assertEqual(outputs[0]["content"]["data"]["text/plain"], "42")


class Histories(unittest.TestCase):
    def test_sessions_remember_each_other(self):
        path = Path(FOLDER.name) / "own" / "history"
        first = History(path)
        for number, text in enumerate(["1", "2", "1"], 1):
            first.add(number, text)
        path.write_text(path.read_text() + '[2, "half')
        second = History(path)
        self.assertEqual(second.session, 2)
        second.add(1, "3")
        self.assertEqual([text for *_, text in second.tail(2)], ["1", "3"])
        self.assertEqual(second.range(-1, 1, 3), [(1, 1, "1"), (1, 2, "2")])
        self.assertEqual(second.range(0, 1, None), [(2, 1, "3")])
        self.assertEqual(second.search("1", None, True), [(1, 3, "1")])


if __name__ == "__main__":
    unittest.main()
