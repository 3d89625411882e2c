"""What the extension module leaves to Python: conversions that are rare, and other libraries."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import numpy as np

from ._errors import ArgumentError


def from_object(value: Any, dtype: str, rank: int) -> np.ndarray | None:
    """Lists, and what has only `__array__`, as an array of exactly this type; None if it is no array at all.

    Numbers of a list have no type of their own, so they get the one that is expected, if it has them.
    """
    wanted = np.dtype(dtype)
    if isinstance(value, (str, bytes, dict, set)) or (
        not isinstance(value, (list, tuple, range)) and not hasattr(value, "__array__")
    ):
        return None
    if not isinstance(value, (list, tuple, range)):
        return np.ascontiguousarray(np.asarray(value))
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"expected {rank}-dimensional {dtype}, got a list that is no array: {error}") from None
    if found.dtype == object:
        raise ArgumentError(f"expected {rank}-dimensional {dtype}, got a list of objects, or of numbers that are too large")
    if found.size == 0:
        return np.zeros(found.shape if found.ndim == rank else (0,) * rank, wanted)
    kinds = {"b": "b", "i": "iu", "u": "iu", "f": "fiu"}
    if found.dtype.kind not in kinds[wanted.kind]:
        raise ArgumentError(f"expected {rank}-dimensional {dtype}, got a list of {found.dtype}")
    try:
        return np.array(value, wanted, order="C")
    except (OverflowError, ValueError) as error:
        raise ArgumentError(f"expected {rank}-dimensional {dtype}: {error}") from None


def contiguous(value: Any) -> Any:
    """A copy in row-major order, of the same library."""
    if hasattr(value, "contiguous"):
        return value.contiguous()
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
        return np.require(value, requirements=["C", "A"]).copy() if isinstance(value, np.ndarray) else np.array(value, order="C")
    module = type(value).__module__.split(".")[0]
    return sys.modules[module].ascontiguousarray(value)


def like(array: Any, library: str) -> Any:
    """An array of ours as one of another library, which shares its memory."""
    module = importlib.import_module({"jax": "jax.numpy"}.get(library, library))
    if library == "cupy":
        # By `__cuda_array_interface__`, which all of its versions know, also for arrays that are read-only.
        return module.asarray(array)
    try:
        return module.from_dlpack(array)
    except BufferError:
        # A version that does not know read-only arrays.
        if library != "torch":
            return module.asarray(array.numpy())
        dtype = getattr(module, str(array.dtype))
        if array.size == 0:
            return module.empty(array.shape, dtype=dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that writing to it is not allowed
            return module.frombuffer(array, dtype=dtype).reshape(array.shape)


class FileChunks:
    """The elements of a file, some at a time: a `.npy` file, or raw numbers of a type. Can be read again.

    >>> import os, tempfile
    >>> total = fehu.define("entry total (xs: seq f64) : f64 = seq.reduce (+) 0 xs")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "xs.npy")
    ...     np.save(path, np.ones(1000))
    ...     total(fehu.FileChunks(path, bytes_each=800))
    np.float64(1000.0)
    """

    def __init__(self, path: Any, dtype: Any = None, shape: tuple[int, ...] = (), bytes_each: int = 1 << 24) -> None:
        if dtype is None:
            self._array = np.load(path, mmap_mode="r")
        else:
            flat = np.memmap(path, dtype, mode="r")
            self._array = flat.reshape((-1, *shape))
        row = max(1, self._array[:1].nbytes)
        self._step = max(1, bytes_each // row)
        self._at = 0
        # How many elements there are, for those who say how far it is.
        self.total = len(self._array)

    def __iter__(self) -> FileChunks:
        return self

    def __next__(self) -> np.ndarray:
        if self._at >= len(self._array):
            raise StopIteration
        piece = np.asarray(self._array[self._at : self._at + self._step])
        self._at += self._step
        return piece

    def rewind(self) -> None:
        """Begins again: programs may read a sequence more than once."""
        self._at = 0
