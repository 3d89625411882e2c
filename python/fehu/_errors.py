"""Exceptions: what went wrong, with what to do about it where that is known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


class Error(Exception):
    """Anything that goes wrong in this package: all others are such. What went wrong in a partition of a larger computation says in which one.

    >>> issubclass(fehu.CompileError, fehu.Error)
    True
    """

    partition: int | None = None
    rows: tuple[int, int] | None = None
    file: str | None = None


@dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler, with the members of `fehu check --format=json`, which `raw` has.

    >>> try:
    ...     fehu.compile("entry f (x: i32) = x + y")
    ... except fehu.CompileError as error:
    ...     found = error.diagnostics[0]
    >>> found.code, found.line, found.column
    ('unknown-name', 1, 24)
    """

    severity: str
    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


class CompileError(Error):
    """The program is wrong. `str()` is what the compiler says, with the places in the source; `diagnostics` the same as data;
    notebooks can draw it.

    >>> try:
    ...     fehu.compile("entry f (x: i32) = x + y", name="mine")
    ... except fehu.CompileError as error:
    ...     print("<mine>:1:24" in str(error))
    True
    """

    def __init__(self, rendered: str, diagnostics: list[Diagnostic], sources: dict[str, str] | None = None) -> None:
        super().__init__(rendered)
        self.diagnostics = diagnostics
        self.sources = sources or {}

    def _repr_html_(self) -> str:
        from ._messages import draw

        return draw([found.raw for found in self.diagnostics], self.sources)


class CompileWarning(UserWarning):
    """What the compiler warns of.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     module = fehu.compile("entry f (x: i32) : i32 = let unused = 1i32 in x")
    >>> caught[0].category.__name__
    'CompileWarning'
    """


class ArgumentError(Error, TypeError):
    """An argument is not what the entry point takes: the message says what was expected and what was given.

    >>> dot = fehu.define("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)")
    >>> try:
    ...     dot(np.ones(3), np.ones(3))
    ... except fehu.ArgumentError as error:
    ...     print("astype(np.float32)" in str(error))
    True
    """


class RangeError(ArgumentError, OverflowError):
    """A number that the type of the parameter does not have.

    >>> twice = fehu.define("entry twice (x: u8) : u8 = 2 * x")
    >>> try:
    ...     twice(256)
    ... except fehu.RangeError as error:
    ...     print(isinstance(error, OverflowError))
    True
    """


class ProgramError(Error):
    """A check of the program failed during a call. `place` is where in the source, if the message says so.

    >>> at = fehu.define("entry at (xs: []f64) (i: i64) : f64 = xs[i]")
    >>> try:
    ...     at([1.0, 2.0], 7)
    ... except fehu.ProgramError as error:
    ...     print("out of bounds" in error.message)
    True
    """

    @property
    def message(self) -> str:
        """The message without the list of places."""
        return str(self).split("\n", 1)[0]

    @property
    def place(self) -> str | None:
        """`file.fut:line:column`, the innermost place."""
        found = re.search(r"([^\s:]*(?:\.fut|>):\d+:\d+(?:-[\d:]+)?)", str(self))
        return found.group(1) if found else None


def locate(error: ProgramError, name: str, source: str) -> None:
    """Names the program whose text was given, and adds the line of the innermost place to what tracebacks show."""
    shown = f"<{name}>"
    error.args = (str(error).replace("<stdin>", shown),)
    # `line:column-end` within a line; the column at the end is the first after it.
    found = re.search(re.escape(shown) + r":(\d+):(\d+)(-(\d+))?(?![\d:])", str(error))
    lines = source.split("\n")
    if found is None or int(found.group(1)) > len(lines):
        return
    number, start, end = int(found.group(1)), int(found.group(2)), int(found.group(4) or 0)
    before = " " * len(str(number))
    signs = " " * (start - 1) + "^" * max(1, end - start)
    error.add_note(f"{before}--> {found.group(0)}\n{before} |\n{number} | {lines[number - 1]}\n{before} | {signs}")


class OutOfMemory(Error, MemoryError):
    """There was not enough memory for an array.

    >>> issubclass(fehu.OutOfMemory, MemoryError)
    True
    """


class Unavailable(Error):
    """Something that this needs is not there: a device, a C compiler, the `fehu` executable.

    >>> issubclass(fehu.Unavailable, fehu.Error)
    True
    """
