"""The process behind a kernel: `fehu repl --json`. What it understands is described in `crates/driver/src/repl/service.rs`."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._compile import executable
from .._errors import Error


class EngineGone(Error):
    """The process has ended, and with it all declarations."""


class Engine:
    """A session of the language, in a process of its own. One request at a time."""

    def __init__(self) -> None:
        # A group of its own: what stops the kernel does not reach it, but through us.
        self._process = subprocess.Popen(
            [executable(), "repl", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", process_group=0
        )
        self._interrupted = False
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="fehu-engine", daemon=True).start()

    def _read(self) -> None:
        # A thread reads, so that waiting for it can be interrupted by signals and by the clock.
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def request(self, **members: Any) -> Iterator[dict[str, Any]]:
        """The lines of the answer; the last one has the member `end`."""
        assert self._process.stdin is not None
        self._interrupted = False
        try:
            self._process.stdin.write(json.dumps(members) + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise EngineGone("the engine has ended") from None
        while True:
            try:
                line = self._lines.get(timeout=0.5)
            except queue.Empty:
                # A signal that comes before the evaluation begins is forgotten by the engine, so it is sent again.
                if self._interrupted:
                    self.interrupt()
                continue
            if line is None:
                raise EngineGone(f"the engine has ended with code {self._process.wait()}")
            answer: dict[str, Any] = json.loads(line)
            yield answer
            if "end" in answer:
                return

    def ask(self, **members: Any) -> dict[str, Any]:
        """The last line of the answer."""
        *_, last = self.request(**members)
        return last

    def interrupt(self) -> None:
        """Stops what is evaluated now. Can be called by the handler of a signal."""
        self._interrupted = True
        self._process.send_signal(signal.SIGINT)

    @contextmanager
    def getting_interrupts(self) -> Iterator[None]:
        """Meanwhile Ctrl-C, and what the stop button sends, stops what is evaluated, and raises nothing here."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, lambda *_: self.interrupt())
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
