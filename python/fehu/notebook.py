"""fehu in notebooks and in IPython: `%load_ext fehu`.

| | |
| --- | --- |
| `%%fehu [NAME] [-b BACKEND] [--append] [--report] [--time]` | the cell is a program: its entry points become functions of the notebook, or with NAME those of a module; `--append` goes on with the program of the cell before |
| `%fehu EXPR` | the value of an expression, in which `{x}` is the variable `x` of the notebook |
| `%fehu_report [NAME]` | what the optimiser made of the last program, or of that of a module or function |

What is wrong with a program is drawn below the cell, and Tab completes names in it. Calls that take longer than a second say so, and the stop button stops them.
"""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
import time
import warnings
from typing import Any, NoReturn

import numpy as np

from . import _display, _messages
from ._compile import _diagnostics, compile
from ._completion import Completion
from ._errors import ArgumentError, CompileError, CompileWarning, Diagnostic
from ._module import Function, Module
from ._progress import Watch
from ._report import report


class CellError(CompileError):
    """The program of a cell is wrong; its messages have been drawn below the cell, so the traceback is one line.

    >>> issubclass(fehu.notebook.CellError, fehu.CompileError)
    True
    """

    def _render_traceback_(self) -> list[str]:
        found = self.diagnostics[0] if self.diagnostics else None
        if found is None:
            return [str(self)]
        place = f"{found.file}:{found.line}:{found.column}: " if found.file else ""
        return [f"\x1b[31mCompileError\x1b[0m: {place}{found.message}"]


class Extension:
    """The magics of one shell. `%load_ext fehu` makes one."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.module: Module | None = None
        magic: Any = importlib.import_module("IPython.core.magic")
        shell.register_magic_function(self._cell, "cell", "fehu")

        # Braces are ours, and not IPython's.
        @magic.no_var_expand  # type: ignore[untyped-decorator]
        def expression(line: str) -> Any:
            """The value of an expression, in which `{x}` is the variable `x` of the notebook: `%fehu f64.sum {xs}`."""
            return self.expression(line)

        shell.register_magic_function(expression, "line", "fehu")
        shell.register_magic_function(self.report, "line", "fehu_report")
        self._watch = Watch(shell)
        self._completion = Completion(shell, lambda: self.module.source if self.module else "")

    def close(self) -> None:
        """Takes the magics away."""
        self._watch.close()
        self._completion.remove()
        for kind, name in (("cell", "fehu"), ("line", "fehu"), ("line", "fehu_report")):
            self.shell.magics_manager.magics[kind].pop(name, None)

    def _cell(self, line: str, cell: str) -> None:
        """The cell is a program: its entry points become functions of the notebook. `%%fehu -h` says more."""
        options = _cell_options().parse_args(shlex.split(line))
        if options.help:
            print(_cell_options().format_help())
            return
        source = cell
        if options.append and self.module is not None:
            source = f"{self.module.source}\n{cell}"
        name = options.name or self._name()
        start = time.monotonic()
        self.module = module = self._compile(source, name, options.backend)
        seconds = time.monotonic() - start
        if options.name:
            self.shell.user_ns[options.name] = module
        else:
            self.shell.user_ns |= {name: f for name, f in module.entry_points.items() if name.isidentifier()}
        self._display(module)
        if options.time:
            self._display(f"compiled in {seconds:.2f} s by {module.compiler or 'nothing'}, for {module.backend}")
        if options.report:
            self._display(report(module))

    def expression(self, line: str) -> Any:
        """The value of an expression, in which `{x}` is the variable `x` of the notebook: `%fehu f64.sum {xs}`."""
        given: dict[str, Any] = {}

        def parameter(found: re.Match[str]) -> str:
            name = found.group(1)
            if name not in self.shell.user_ns:
                return found.group(0)
            given[name] = self.shell.user_ns[name]
            return name

        body = re.sub(r"\{([A-Za-z_]\w*)\}", parameter, line.strip())
        params = "".join(f" ({name}: {_type_of(name, value)})" for name, value in given.items())
        module = self._compile(f"entry value{params} =\n  {body}\n", self._name(), None)
        return module["value"](*given.values())

    def report(self, line: str) -> Any:
        """What the optimiser made of the last program, or of that of a module or function."""
        name = line.strip()
        program = self.shell.user_ns.get(name) if name else self.module
        if not isinstance(program, (Module, Function)):
            said = f"{name} is no module and no function of fehu" if name else "there is no program yet; a cell that begins with %%fehu is one"
            raise ArgumentError(said)
        return report(program)

    def _compile(self, source: str, name: str, backend: str | None) -> Module:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                module = compile(source, backend, name=name)
            except CompileError as error:
                self._display(Messages(str(error), error.diagnostics, error.sources))
                raise CellError(str(error), error.diagnostics, error.sources) from None
        for warning in caught:
            if isinstance(warning.message, CompileWarning):
                shown = f"<{name}>"
                self._display(Messages(str(warning.message), _diagnostics("-", source, shown), {shown: source}))
            else:
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        return module

    def _name(self) -> str:
        # Versions of IPython disagree about when they count a cell; its text has been noted in all of them.
        return f"cell {len(self.shell.user_ns.get('In', [''])) - 1}"

    def _display(self, value: Any) -> None:
        display: Any = importlib.import_module("IPython.display")
        if isinstance(value, str):
            display.display({"text/plain": value}, raw=True)
        else:
            display.display(value)


class Messages:
    """Messages of the compiler: text, and HTML in which the places are underlined."""

    def __init__(self, text: str, diagnostics: list[Diagnostic], sources: dict[str, str]) -> None:
        self._text, self._diagnostics, self._sources = text, diagnostics, sources

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return _messages.draw([found.raw for found in self._diagnostics], self._sources)


class _Options(argparse.ArgumentParser):
    """Options of a magic; what is wrong with them does not end the process."""

    def error(self, message: str) -> NoReturn:
        usage: Any = importlib.import_module("IPython.core.error")
        raise usage.UsageError(f"{message}\n{self.format_usage()}")


def _cell_options() -> _Options:
    options = _Options(prog="%%fehu", add_help=False, description="The cell is a program.")
    options.add_argument("name", nargs="?", help="a name for the module; without one, entry points become functions of the notebook")
    options.add_argument("-b", "--backend", help='"c", "multicore", "cuda", "opencl" or "auto"')
    options.add_argument("-a", "--append", action="store_true", help="go on with the program of the cell before")
    options.add_argument("-r", "--report", action="store_true", help="show what the optimiser made of it")
    options.add_argument("-t", "--time", action="store_true", help="show how long compilation took")
    options.add_argument("-h", "--help", action="store_true", help="show this")
    return options


def _type_of(name: str, value: Any) -> str:
    """The type of a parameter for a Python value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "i64"
    if isinstance(value, float) and not isinstance(value, np.floating):
        return "f64"
    found = _display.type_name(np.asarray(value) if isinstance(value, (list, tuple)) else value)
    if found is None:
        raise ArgumentError(f"`{name}` is no number and no array, but of type {type(value).__name__}")
    return re.sub(r"\[\d+\]", "[]", found)


_extensions: dict[int, Extension] = {}


def load(shell: Any) -> None:
    """What `%load_ext fehu` does."""
    if id(shell) not in _extensions:
        _extensions[id(shell)] = Extension(shell)


def unload(shell: Any) -> None:
    """What `%unload_ext fehu` does."""
    extension = _extensions.pop(id(shell), None)
    if extension is not None:
        extension.close()
