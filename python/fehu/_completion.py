"""Completion inside of `%%fehu` cells, by the engine of `fehu repl`: names of the prelude, members of modules, and what the last program declares."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ._errors import Error
from .kernel.engine import Engine


class Completion:
    """A matcher for IPython. The engine is started when somebody asks for the first time."""

    def __init__(self, shell: Any, source: Callable[[], str]) -> None:
        self._source = source
        self._known: str | None = None
        self._engine: Engine | None = None
        self._completer = shell.Completer
        completer: Any = importlib.import_module("IPython.core.completer")
        self._one = completer.SimpleCompletion

        @completer.context_matcher(identifier="fehu")  # type: ignore[untyped-decorator]
        def matcher(context: Any) -> dict[str, Any]:
            return self.matches(context.full_text, context.cursor_line, context.cursor_position)

        self._matcher = matcher
        self._completer.custom_matchers.append(matcher)

    def matches(self, cell: str, line: int, column: int) -> dict[str, Any]:
        """What can stand at a place of a cell. Others are not asked if the cell is ours."""
        if not cell.startswith("%%fehu") or line == 0:
            return {"completions": []}
        at = sum(len(before) + 1 for before in cell.split("\n")[:line]) + column
        try:
            found = self._session().ask(complete=cell, at=at)
        except Error:
            self._engine = None
            return {"completions": []}
        names = [self._one(name) for name in found["candidates"]]
        return {"completions": names, "matched_fragment": cell[found["start"] : at], "suppress": True}

    def _session(self) -> Engine:
        """An engine that knows the last program."""
        source = self._source()
        if self._engine is None or self._known != source:
            self.close()
            self._engine, self._known = Engine(), source
            self._engine.ask(feed=source)
        return self._engine

    def close(self) -> None:
        """Ends the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def remove(self) -> None:
        """Completes no more."""
        self._completer.custom_matchers.remove(self._matcher)
        self.close()
