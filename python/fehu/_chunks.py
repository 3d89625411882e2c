"""Chunks of sequences: what iterators yield, and the columns that programs read and write.

A layout says what the elements consist of: `(dtype, rank)` for a column, where the rank counts the dimension of the sequence, and a list of
fields `(name, layout)` for tuples and records. Chunks have the same form: an array, a tuple of chunks, or a dict of them. If elements differ
in size, then a chunk is a list of elements in this form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._arrays import from_object
from ._errors import ArgumentError


def chunk(iterator: Iterator[Any], layout: Any, pieces: bool) -> list[np.ndarray] | None:
    """The columns of the next chunk that has elements, in row-major order, those of pieces after their sizes; None at the end."""
    while True:
        try:
            value = next(iterator)
        except StopIteration:
            return None
        columns = _pieces(value, layout) if pieces else _columns(value, layout)
        if len(columns[0]) > 0:
            return columns


def assemble(columns: list[np.ndarray], layout: Any, pieces: bool) -> Any:
    """A chunk of these columns, of which there is at least one element. Without a layout, it is a tuple of them."""
    if layout is None:
        layout = [(str(i), ()) for i in range(len(columns) - pieces)]
    if not pieces:
        return _form(iter(columns), layout)
    at = np.cumsum(columns[0])[:-1]
    elements = zip(*(np.split(column, at) for column in columns[1:]))
    return [_form(iter(element), layout) for element in elements]


def _form(columns: Iterator[np.ndarray], layout: Any) -> Any:
    if isinstance(layout, tuple):
        return next(columns)
    fields = {name: _form(columns, inside) for name, inside in layout}
    return tuple(fields.values()) if _is_tuple(list(fields)) else fields


def _is_tuple(names: list[str]) -> bool:
    return names == [str(i) for i in range(len(names))]


class Pieces:
    """A chunk of elements that differ in size: their sizes, and the values of all of them, which saves an array for each.

    >>> total = fehu.define("entry total (xs: seq ([]i64)) : i64 = seq.reduce (+) 0 (seq.map i64.sum xs)", "c")
    >>> total(iter([[np.arange(3), np.arange(1)], fehu.Pieces([2, 0, 1], [10, 20, 30])]))
    np.int64(63)
    """

    def __init__(self, sizes: Any, values: Any) -> None:
        self.sizes, self.values = sizes, values


def _columns(value: Any, layout: Any) -> list[np.ndarray]:
    """The columns of a chunk, all of the same length."""
    columns = list(_flat(value, layout))
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ArgumentError(f"the arrays of a chunk have different lengths: {', '.join(map(str, sorted(lengths)))}")
    return columns


def _pieces(value: Any, layout: Any) -> list[np.ndarray]:
    """The sizes of elements, and the columns of all of them together."""
    if isinstance(value, Pieces):
        sizes, columns = _column(value.sizes, "int64", 1), _columns(value.values, layout)
        if np.any(sizes < 0) or sizes.sum() != len(columns[0]):
            raise ArgumentError(f"the sizes of elements are not negative, and are {len(columns[0])} together, as there are values")
        return [sizes, *columns]
    if not isinstance(value, (list, tuple)):
        raise ArgumentError(f"expected a list of elements that differ in size, or fehu.Pieces, got {type(value).__name__}")
    elements = [_columns(element, layout) for element in value]
    sizes = np.array([len(element[0]) for element in elements], np.int64)
    try:
        return [sizes, *(np.concatenate(column) for column in zip(*elements))]
    except ValueError as error:
        raise ArgumentError(f"elements of a chunk may differ in their first dimension only: {error}") from None


def _flat(value: Any, layout: Any) -> Iterator[np.ndarray]:
    if isinstance(layout, tuple):
        yield _column(value, *layout)
        return
    names = [name for name, _ in layout]
    for (name, inside), field in zip(layout, _fields(value, names)):
        try:
            yield from _flat(field, inside)
        except ArgumentError as error:
            raise ArgumentError(f"field `{name}`: {error}") from None


def _fields(value: Any, names: list[str]) -> list[Any]:
    """The fields of a tuple or record, in order: of a dict, a structured array, a tuple, or an object with such attributes."""
    fields = value.keys() if isinstance(value, dict) else getattr(getattr(value, "dtype", None), "names", None)
    if fields is not None:
        if set(fields) != set(names):
            raise ArgumentError(f"expected chunks with the fields {', '.join(names)}, got {', '.join(map(str, fields))}")
        return [value[name] for name in names]
    if isinstance(value, (tuple, list)) and _is_tuple(names):
        if len(value) != len(names):
            raise ArgumentError(f"expected chunks that are tuples of {len(names)} arrays, got {len(value)}")
        return list(value)
    try:
        return [getattr(value, name) for name in names]
    except AttributeError:
        what = "tuples of arrays" if _is_tuple(names) else f"dicts, or objects with the attributes {', '.join(names)}"
        raise ArgumentError(f"expected chunks that are {what}, got {type(value).__name__}") from None


def _column(value: Any, dtype: str, rank: int) -> np.ndarray:
    array = value if isinstance(value, np.ndarray) else from_object(value, dtype, rank)
    if array is None or array.dtype != np.dtype(dtype) or array.ndim != rank:
        got = f"{array.dtype} with shape {array.shape}" if array is not None else type(value).__name__
        raise ArgumentError(f"expected chunks of {dtype} with {rank} dimension{'s' if rank != 1 else ''}, got {got}")
    return np.ascontiguousarray(array)
