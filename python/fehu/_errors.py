"""Exceptions: what went wrong, with what to do about it where that is known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


class Error(Exception):
    """Anything that goes wrong in this package. What went wrong in a partition of a larger computation says in which one."""

    partition: int | None = None
    rows: tuple[int, int] | None = None
    file: str | None = None


@dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler, with the members of `fehu check --format=json`."""

    severity: str
    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


class CompileError(Error):
    """The program is wrong. `str()` is what the compiler says, with the places in the source; `diagnostics` the same as data."""

    def __init__(self, rendered: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(rendered)
        self.diagnostics = diagnostics


class CompileWarning(UserWarning):
    """What the compiler warns of."""


class ArgumentError(Error, TypeError):
    """An argument is not what the entry point takes: the message says what was expected and what was given."""


class RangeError(ArgumentError, OverflowError):
    """A number that the type of the parameter does not have."""


class ProgramError(Error):
    """A check of the program failed during a call. `place` is where in the source, if the message says so."""

    @property
    def message(self) -> str:
        """The message without the list of places."""
        return str(self).split("\n", 1)[0]

    @property
    def place(self) -> str | None:
        """`file.fut:line:column`, the innermost place."""
        found = re.search(r"([^\s:]*(?:\.fut|>):\d+:\d+(?:-[\d:]+)?)", str(self))
        return found.group(1) if found else None


class OutOfMemory(Error, MemoryError):
    """There was not enough memory for an array."""


class Unavailable(Error):
    """Something that this needs is not there: a device, a C compiler, the `fehu` executable."""
