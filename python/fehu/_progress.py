"""How far something is: chunks that go by, and calls that take long."""

from __future__ import annotations

import contextvars
import importlib
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from html import escape
from types import FrameType
from typing import Any

from . import _compile, _html
from ._module import Function


class Line:
    """A line that changes: in a notebook, below the cell; at a terminal, on standard error; otherwise nowhere."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._written = False

    def update(self, text: str, share: float | None = None) -> None:
        """Shows another text, and a bar if the share of what is done is known."""
        if in_notebook():
            bar = "" if share is None else f'<progress value="{share:.3f}" max="1" style="vertical-align: middle; width: 12em"></progress> '
            bundle = {"text/html": f"<div>{bar}{_html.soft(_html.code(text))}</div>", "text/plain": text}
            display: Any = importlib.import_module("IPython.display")
            if self._handle is None:
                self._handle = display.display(bundle, raw=True, display_id=True)
            else:
                self._handle.update(bundle, raw=True)
        elif sys.stderr.isatty():
            part = "" if share is None else f"{100 * share:3.0f} % "
            sys.stderr.write(f"\r\x1b[K{part}{text}")
            sys.stderr.flush()
            self._written = True

    def close(self) -> None:
        """It will not change any more."""
        if self._written:
            sys.stderr.write("\n")


def in_notebook() -> bool:
    """Whether there is a notebook, or something else that draws more than text."""
    shell = _shell()
    return shell is not None and hasattr(shell, "kernel")


def _shell() -> Any:
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()


class progress:
    """Chunks for a program's sequence, with a line that says how many went by, how fast, and, if it is known, how many are left.

    `chunks` is what a parameter of type `seq t` takes; `total` is the number of all elements, which files and arrays know themselves.

    >>> total = fehu.define("entry total (xs: seq f64) : f64 = seq.reduce (+) 0 xs")
    >>> total(fehu.progress(np.ones(3) for _ in range(4)))
    np.float64(12.0)
    """

    def __init__(self, chunks: Iterable[Any], total: int | None = None) -> None:
        self._chunks: Iterator[Any] = iter(chunks)
        self._total = total if total is not None else getattr(chunks, "total", None)
        self._line = Line()
        self._start = self._shown = time.monotonic()
        self._elements = self._bytes = 0

    def __iter__(self) -> progress:
        return self

    def __next__(self) -> Any:
        try:
            chunk = next(self._chunks)
        except StopIteration:
            self._show()
            self._line.close()
            raise
        self._elements += len(chunk)
        self._bytes += getattr(chunk, "nbytes", 0)
        if time.monotonic() - self._shown > 0.2:
            self._show()
        return chunk

    def __getattr__(self, name: str) -> Any:
        # What can be read again can still be.
        return getattr(self._chunks, name)

    def _show(self) -> None:
        self._shown = time.monotonic()
        seconds = self._shown - self._start
        rate = self._bytes / 1e6 / seconds if seconds > 0 else 0.0
        share = min(1.0, self._elements / self._total) if self._total else None
        self._line.update(f"{self._elements:,} elements, {self._bytes / 1e6:,.1f} MB, {rate:,.0f} MB/s, {seconds:.1f} s", share)


class Watch:
    """Says which call takes how long, while a cell runs: it looks from time to time at what the main thread does, so that calls cost nothing."""

    def __init__(self, shell: Any, after: float = 1.0, every: float = 0.5) -> None:
        self._shell, self._after, self._every = shell, after, every
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def close(self) -> None:
        """Looks no more."""
        self._shell.events.unregister("pre_run_cell", self._begin)
        self._shell.events.unregister("post_run_cell", self._end)

    def _begin(self, *_: Any) -> None:
        self._stop = threading.Event()
        # Outputs belong to the cell in whose context they are made.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._look, self._stop), name="fehu-watch", daemon=True)
        self._thread.start()

    def _end(self, *_: Any) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _look(self, stop: threading.Event) -> None:
        line = Line()
        seen: tuple[int, str] | None = None
        since = 0.0
        while not stop.wait(self._every):
            frame = sys._current_frames().get(threading.main_thread().ident or 0)
            found = _doing(frame)
            now = time.monotonic()
            if found != seen:
                seen, since = found, now - self._every
            if found is not None and now - since >= self._after:
                line.update(f"{found[1]}: {now - since:.1f} s")
        line.close()


def _doing(frame: FrameType | None) -> tuple[int, str] | None:
    """The call or compilation that a thread is in: something that tells it from others, and its name."""
    while frame is not None:
        if frame.f_code is Function.__call__.__code__:
            return id(frame), str(frame.f_locals["self"].__name__)
        if frame.f_code is _compile._build.__code__:
            return id(frame), f"compiling {frame.f_locals['name']}"
        frame = frame.f_back
    return None
