"""Which thread gets signals."""

from __future__ import annotations

import threading


def main_thread() -> int:
    """The number of the main thread, as the system has it."""
    return threading.main_thread().ident or 0
