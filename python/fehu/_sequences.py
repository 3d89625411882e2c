"""Results that are sequences: iterators of arrays, while the program runs.

The call runs on a thread of its own, with a context of its own, so that the module can be used in the meantime, and hands over a chunk when
somebody asks for one. A program may yield several sequences in step: those that are read later than others wait in memory, as in
`itertools.tee`. Whoever closes an iterator, or drops all of them, stops the program.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from ._chunks import Pieces
from ._dispatch import Value
from ._errors import ArgumentError, Error, ProgramError, locate

if TYPE_CHECKING:
    from ._module import Function, Module

# Chunks that wait while nobody asks for any.
_AHEAD = 2


class Stream:
    """A sequence that a program yields: an iterator of arrays, or of tuples or dicts of arrays if its elements are tuples or records.
    Elements that differ in size come as lists of these.

    >>> f = fehu.define("entry f (xs: seq f64) : seq f64 = seq.map (* 2) xs", "c")
    >>> [chunk.tolist() for chunk in f(np.full(n, 1.5) for n in (2, 1))]
    [[3.0, 3.0], [3.0]]
    """

    def __init__(self, run: _Run, index: int) -> None:
        self._run, self._index = run, index

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Any:
        return self._run.take(self._index)

    def close(self) -> None:
        """Stops the program, if it still runs; other results of the same call end, too."""
        self._run.close()

    def to(self, path: str | os.PathLike[str]) -> int:
        """Writes all of it to a `.npy` file, which is there under its name when it is complete. Yields the number of elements."""
        from .partition import write_npy

        return write_npy(os.fspath(path), self)


class Later:
    """A result beside sequences, which is there at the end.

    >>> f = fehu.define("entry f (xs: seq f64) : (seq f64, f64) = (seq.map (* 2) xs, seq.reduce (+) 0 xs)", "c")
    >>> doubled, total = f(iter([np.ones(3), np.ones(1)]))
    >>> float(total.result())
    4.0
    """

    def __init__(self, run: _Run, index: int | None) -> None:
        self._run, self._index = run, index

    def result(self) -> Any:
        """Waits for it: what sequences yield until then waits in memory."""
        found = self._run.finish()
        return found if self._index is None else found[self._index]


class _Run:
    """A call in progress, and what it has yielded that nobody has taken yet."""

    def __init__(self, sinks: int) -> None:
        self.chunks: list[deque[Any]] = [deque() for _ in range(sinks)]
        self.changed = threading.Condition()
        self.unread: set[int] = set()
        self.wanted = 0
        self.hungry = 0
        self.ended = self.closed = False
        self.result: Any = None
        self.error: BaseException | None = None

    def put(self, index: int, chunk: Any) -> None:
        """Called by the program."""
        with self.changed:
            if index not in self.unread and not self.closed:
                self.chunks[index].append(chunk)
                self.changed.notify_all()
            while not self.closed and not self.hungry and sum(map(len, self.chunks)) >= _AHEAD:
                self.changed.wait()
            if self.closed:
                raise Error("the sequence was closed")

    def take(self, index: int) -> Any:
        with self.changed:
            self.wait(lambda: bool(self.chunks[index]))
            if self.chunks[index]:
                self.changed.notify_all()
                return self.chunks[index].popleft()
        raise StopIteration

    def finish(self) -> Any:
        with self.changed:
            self.wait(lambda: False)
        return self.result

    def wait(self, enough: Any) -> None:
        """Waits for something, or for the end; what went wrong by then is raised."""
        self.hungry += 1
        self.changed.notify_all()
        try:
            while not self.ended and not enough():
                self.changed.wait()
        finally:
            self.hungry -= 1
        if self.ended and not enough() and self.error is not None:
            raise self.error

    def close(self) -> None:
        with self.changed:
            self.closed = True
            for chunks in self.chunks:
                chunks.clear()
            self.changed.notify_all()

    def drop(self, index: int | None) -> None:
        """Nobody has this result any more. When nobody has any, the program stops."""
        with self.changed:
            if index is not None:
                self.unread.add(index)
                self.chunks[index].clear()
            self.wanted -= 1
            self.changed.notify_all()
        if self.wanted == 0:
            self.close()


def start(function: Function, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Begins a call whose results are sequences, and yields iterators in their place."""
    sinks = function._sinks
    if not sinks:
        raise ArgumentError(f"{function.__name__} yields no sequences: {function.signature}")
    if -2 in sinks:
        raise Error(f"{function.__name__} yields a sequence deep inside of its result; yield it by itself, or as a field of a tuple")
    run = _Run(len(sinks))
    module = function.module
    own = module.fork(**dict(module.recipe.options))
    call = own[function.__name__]._call
    given = _arguments(function, args, named)
    for name, parts in call.sources:
        if all(part in given and not hasattr(given[part], "__next__") for part in parts):
            arrays = [given.pop(part) for part in parts]
            given[name] = _Whole(arrays[0] if len(arrays) == 1 else Pieces(*arrays))
    given = {name: _moved(own, arg) for name, arg in given.items()}

    def work() -> None:
        try:
            result = call.stream(run.put, (), given)
        except BaseException as error:
            if isinstance(error, ProgramError):
                locate(error, module.name, module.source)
            with run.changed:
                run.error = None if run.closed else error
                run.ended = True
                run.changed.notify_all()
        else:
            with run.changed:
                run.result, run.ended = result, True
                run.changed.notify_all()

    threading.Thread(target=work, name=f"fehu-{function.__name__}", daemon=True).start()
    streams = [Stream(run, index) for index in range(len(sinks))]
    by_field = dict(zip(sinks, streams))
    whole = sinks == [-1]
    results = streams if whole else [by_field[i] if i in by_field else Later(run, i) for i in range(function._call.fields)]
    for result in results:
        # The thread holds none of them, so it learns when nobody wants them any more.
        weakref.finalize(result, run.drop, result._index if isinstance(result, Stream) else None)
    run.wanted = len(results)
    return results[0] if whole else tuple(results)


def _arguments(function: Function, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """All arguments by name; an iterator of pieces stands for their sizes and their values."""
    both = {parts[0]: parts for _, parts in function._call.sources}
    names = iter(function.types)
    given: dict[str, Any] = {}
    for arg in args:
        name = next(names, None)
        if name is None:
            raise ArgumentError(f"{function.__name__} takes fewer arguments than {len(args)}: {function.signature}")
        given[name] = arg
        if hasattr(arg, "__next__"):
            for _ in both.get(name, ())[1:]:
                next(names)
    twice = given.keys() & named.keys()
    if twice:
        raise ArgumentError(f"{function.__name__}: the argument `{twice.pop()}` is given twice")
    return given | named


def _moved(module: Module, arg: Any) -> Any:
    """An argument for another context, to which values are copied."""
    return module.types[arg.type_name].restore(arg.store()) if isinstance(arg, Value) else arg


class _Whole:
    """A sequence in memory as the only chunk, which can be read again."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.rewind()

    def rewind(self) -> None:
        self.left = [self.array]

    def __iter__(self) -> _Whole:
        return self

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        return self.left.pop()


def array(data: bytearray, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """A column of a chunk."""
    return np.frombuffer(data, dtype).reshape(shape)
