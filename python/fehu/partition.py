"""Work in pieces: what every engine for clusters needs, and no engine in particular. `fehu.dask` is the one for Dask.

A computation over rows that do not fit one machine is planned here, in three kinds of pieces:

* **chunks** (`plan`): ranges of rows, numbered in their order;
* a **tree** (`tree`) for what chunks are combined to. Its shape depends on the number of chunks alone, and each node combines its
  parts in the order of the chunks. So the result is the same to the bit, whoever computes which part when, and also if some is computed twice;
* **entries** (`Entry`): an entry point as texts, which each process makes a function of for its own machine, once.

Values go from one piece to the next as objects of NumPy and tuples of them; opaque values of the program are `Held`: within a process
the value itself, between processes its bytes.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ._compile import rebuild
from ._dispatch import Value
from ._errors import ArgumentError, Error, OutOfMemory, ProgramError
from ._module import Function, Module, Recipe

FAN_IN = 8
CHUNK_BYTES = 64 << 20
_ATTEMPTS = 3
_settings: dict[str, int | str] = {}
_lock = threading.Lock()
T = TypeVar("T")


# Planning.


@dataclass(frozen=True)
class Chunk:
    """Rows of something: `start` to `stop`, of a file if there is one."""

    number: int
    start: int
    stop: int
    file: str | None = None

    def __str__(self) -> str:
        where = f" of {self.file}" if self.file else ""
        return f"partition {self.number}{where}, rows {self.start} to {self.stop}"


def plan(rows: int, row_bytes: int, chunk_bytes: int = CHUNK_BYTES, file: str | None = None) -> list[Chunk]:
    """Chunks of at most so many bytes each, but at least one row, that have all rows; one chunk without rows if there are none."""
    step = max(1, chunk_bytes // max(1, row_bytes))
    starts = range(0, rows, step) if rows > 0 else range(1)
    return [Chunk(number, start, min(start + step, rows), file) for number, start in enumerate(starts)]


def tree(leaves: int, fan_in: int = FAN_IN) -> list[list[range]]:
    """The levels of a tree, from the leaves to the root: each node is the range of those nodes below that it combines."""
    if leaves < 1 or fan_in < 2:
        raise ValueError(f"a tree has leaves and combines at least two of them, got {leaves} and {fan_in}")
    levels = []
    while leaves > 1:
        levels.append([range(start, min(start + fan_in, leaves)) for start in range(0, leaves, fan_in)])
        leaves = len(levels[-1])
    return levels


def reduce_tree(parts: Sequence[T], node: Callable[[int, int, list[T]], T], fan_in: int = FAN_IN) -> T:
    """The root of the tree over parts. `node(level, number, parts)` makes a node; nodes with one part are that part."""
    for level, groups in enumerate(tree(len(parts), fan_in)):
        made = [[parts[i] for i in group] for group in groups]
        parts = [group[0] if len(group) == 1 else node(level, number, group) for number, group in enumerate(made)]
    return parts[0]


# Files.


@dataclass(frozen=True)
class File:
    """Rows of numbers in a file, as it was when the work was planned."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    """Of a row."""
    offset: int
    """Where the first row begins."""
    size: int
    """All bytes of the file, as stored."""

    @staticmethod
    def npy(path: str | os.PathLike[str]) -> File:
        """A file of NumPy, whose first dimension is that of the rows."""
        array = np.load(path, mmap_mode="r")
        if array.ndim == 0 or (array.ndim > 1 and not array.flags.c_contiguous):
            raise Error(f"{os.fspath(path)} has no rows one after the other: it is {'a scalar' if array.ndim == 0 else 'in column-major order'}")
        if array.dtype.hasobject or not array.dtype.isnative:
            raise Error(f"{os.fspath(path)} has elements of type {array.dtype}, which programs do not have")
        return File(os.path.abspath(path), array.dtype.name, array.shape[1:], int(array.offset), os.path.getsize(path))

    @staticmethod
    def raw(path: str | os.PathLike[str], dtype: Any, shape: tuple[int, ...] = (), offset: int = 0) -> File:
        """A file with nothing but numbers of a type, after `offset` bytes; a row has this shape. A name that ends in `.gz` is decompressed."""
        return File(os.path.abspath(path), np.dtype(dtype).name, tuple(shape), offset, os.path.getsize(path))

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return int(np.dtype(self.dtype).itemsize * np.prod(self.shape, dtype=np.int64))

    @property
    def rows(self) -> int:
        """How many rows there are; the last one must be complete."""
        rows, rest = divmod(self.size - self.offset, max(1, self.row_bytes))
        if rest or self.size < self.offset:
            raise Error(f"{self.path} has {self.size} bytes, which are no whole rows of {self.row_bytes} after the first {self.offset}")
        return rows

    def check(self) -> None:
        """The file must still be what was planned with."""
        try:
            size = os.path.getsize(self.path)
        except FileNotFoundError:
            raise Error(f"{self.path} was there when the work was planned, and is not here now; all workers must see the same files") from None
        if size != self.size:
            raise Error(f"{self.path} had {self.size} bytes when the work was planned, and has {size} now")

    def read(self, start: int, stop: int) -> np.ndarray:
        """Some rows, in memory of their own."""
        self.check()
        count = (stop - start) * int(np.prod(self.shape, dtype=np.int64))
        found = np.fromfile(self.path, self.dtype, count, offset=self.offset + start * self.row_bytes)
        if found.size != count:
            raise Error(f"{self.path} ends within rows {start} to {stop}")
        return found.reshape((stop - start, *self.shape))

    def chunks(self, bytes_each: int = 1 << 24) -> Iterator[np.ndarray]:
        """All rows, some at a time, for an entry point on sequences."""
        self.check()
        step = max(1, bytes_each // max(1, self.row_bytes)) * self.row_bytes
        with _open(self.path) as stream:
            stream.seek(self.offset)
            while data := stream.read(step):
                if len(data) % self.row_bytes:
                    raise Error(f"{self.path} ends within a row of {self.row_bytes} bytes")
                yield np.frombuffer(data, self.dtype).reshape((-1, *self.shape))


def _open(path: str) -> Any:
    if path.endswith(".gz"):
        import gzip

        return gzip.open(path, "rb")
    return open(path, "rb")


# Calls.


def configure(**options: int | str) -> None:
    """Settings of contexts in this process, unless a program has its own: an engine says how many threads are ours, and which device."""
    with _lock:
        _settings.update(options)


@dataclass(frozen=True)
class Entry:
    """An entry point for any process."""

    recipe: Recipe
    name: str

    @staticmethod
    def of(function: Function) -> Entry:
        """What is needed to call a function elsewhere."""
        if not isinstance(function, Function):
            raise ArgumentError(f"expected an entry point of a compiled program, got {type(function).__name__}")
        return Entry(function.module.recipe, function.__name__)

    def module(self) -> Module:
        """The program in this process; it is compiled at most once."""
        with _lock:
            known = {key: value for key, value in _settings.items() if key != "num_threads" or self.recipe.backend == "multicore"}
            return rebuild(self.recipe, **known)

    def call(self, args: Sequence[Any], chunk: Chunk | None = None) -> Any:
        """Calls it, with `Held` values in and out. What fails is told with its chunk, and is not tried again."""
        module = self.module()
        try:
            return hold(module, module[self.name](*(release(module, arg) for arg in args)))
        except (ProgramError, ArgumentError, OutOfMemory) as error:
            raise placed(error, self.name, chunk) from None


def placed(error: Error, entry: str, chunk: Chunk | None) -> Error:
    """The same error, which says where it happened."""
    if chunk is None:
        return error
    what = str(error)
    if isinstance(error, OutOfMemory):
        what += "\nSmaller chunks need less: see chunk_bytes, or rechunk the array."
    found = type(error)(f"{entry}: {chunk}: {what}")
    found.partition, found.rows, found.file = chunk.number, (chunk.start, chunk.stop), chunk.file
    return found


def patiently(work: Callable[[], T], pause: float = 0.1) -> T:
    """Does something that may fail because of the surroundings, up to three times: a network file system, for example."""
    for attempt in range(1, _ATTEMPTS):
        try:
            return work()
        except (FileNotFoundError, PermissionError, IsADirectoryError):
            raise
        except OSError:
            time.sleep(pause * attempt)
    return work()


# Values on their way.


class Held:
    """An opaque value: in the process that has made it that value, in others its bytes, until it is asked for."""

    def __init__(self, recipe: Recipe, type_name: str, value: Value | None, data: bytes | None) -> None:
        self.recipe, self.type_name = recipe, type_name
        self._value, self._data = value, data

    @property
    def value(self) -> Value:
        """The value, in the program of this process."""
        if self._value is None:
            assert self._data is not None
            self._value = rebuild(self.recipe).types[self.type_name].restore(self._data)
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        if self._data is None:
            assert self._value is not None
            self._data = self._value.store()
        return Held, (self.recipe, self.type_name, None, self._data)

    def __repr__(self) -> str:
        return f"<held {self.type_name}>"


def hold(module: Module, value: Any) -> Any:
    """A result, in a form that can be sent."""
    if isinstance(value, tuple):
        return tuple(hold(module, part) for part in value)
    return Held(module.recipe, value.type_name, value, None) if isinstance(value, Value) else value


def release(module: Module, value: Any) -> Any:
    """A value that was sent, as an argument."""
    if isinstance(value, (tuple, list)):
        return tuple(release(module, part) for part in value)
    return value.value if isinstance(value, Held) else value


def fold(combine: Entry, parts: Sequence[Any]) -> Any:
    """Combines parts from the left to the right."""
    result = parts[0]
    for part in parts[1:]:
        result = combine.call((result, part))
    return result


# Promises.


def difference(a: Any, b: Any, tolerance: float = 1e-3) -> str | None:
    """Why two results are not the same, if they are not; floats may differ by the order of operations."""
    if isinstance(a, Held) and isinstance(b, Held):
        return difference(a.value, b.value, tolerance)
    if isinstance(a, tuple) and isinstance(b, tuple):
        found = (difference(x, y, tolerance) for x, y in zip(a, b))
        return f"{a} and {b}" if len(a) != len(b) else next((why for why in found if why), None)
    if isinstance(a, Value) and isinstance(b, Value):
        if a._fields and "[]" not in a.type_name:
            return difference(tuple(a._asdict().values()), tuple(b._asdict().values()), tolerance)
        return None if a.store() == b.store() else f"{a!r} and {b!r}"
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape:
        return f"arrays of the shapes {x.shape} and {y.shape}"
    same = np.isclose(x, y, rtol=tolerance, atol=0, equal_nan=True) if x.dtype.kind == "f" else x == y
    if bool(np.all(same)):
        return None
    at = np.unravel_index(int(np.argmin(same)), x.shape)
    return f"{x[at]} and {y[at]}" + (f" at {[int(i) for i in at]}" if at else "")


def associative(combine: Entry, a: Any, b: Any, c: Any) -> str | None:
    """Why an operator is not associative for three values, if it is not."""
    left = combine.call((combine.call((a, b)), c))
    right = combine.call((a, combine.call((b, c))))
    why = difference(left, right)
    return f"{combine.name} is not associative: (a b) c and a (b c) are {why}" if why else None


def paths(pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """The files of a pattern in the order of their names, or a list of files as it is."""
    import glob

    if not isinstance(pattern, (str, os.PathLike)):
        return [os.path.abspath(path) for path in pattern]
    found = sorted(glob.glob(os.fspath(pattern)))
    if not found:
        raise Error(f"there are no files {os.fspath(pattern)}")
    return [os.path.abspath(path) for path in found]


def write_npy(path: str, chunks: Iterator[np.ndarray]) -> int:
    """Writes arrays one after the other to a file of NumPy, which is there under its name when it is complete. Yields the number of rows."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}.part"
    rows, header = 0, None
    try:
        with open(temporary, "wb") as stream:
            for piece in chunks:
                piece = np.ascontiguousarray(piece)
                if header is None:
                    header = (piece.dtype, piece.shape[1:])
                    _header(stream, header, 0)
                rows += len(piece)
                stream.write(piece.data if piece.size else b"")
            header = header or (np.dtype("f8"), ())
            stream.seek(0)
            _header(stream, header, rows)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)
    return rows


def _header(stream: Any, header: tuple[np.dtype[Any], tuple[int, ...]], rows: int) -> None:
    """The header of a file of NumPy, which leaves room for all numbers of rows, so that it can be written again."""
    dtype, shape = header
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (rows, *shape)}
    np.lib.format.write_array_header_1_0(stream, described)
