"""Entry points over chunks, on Dask: on processes of this machine, or on the cluster that you have.

    import dask.array as da, fehu, fehu.dask as fd

    m = fehu.compile("stats.fut")     # entry chunk (xs: []f32): acc; entry combine (a: acc) (b: acc): acc; entry finish (a: acc): f64
    with fd.client():                 # processes of this machine; fd.client("tcp://host:8786"): your cluster
        x = fd.from_npy("data.npy")   # or any array of Dask
        fd.reduce(m.chunk, m.combine, x, finish=m.finish).compute()

Programs travel as texts, and each machine compiles them once, for its own processor. Arrays are cut along their first dimension. Parts are
combined in an order that only the number of chunks decides (`fehu.partition`): the result is the same to the bit for any number of workers,
and after workers were lost. What a program does wrong in a chunk is told with the chunk, and not tried again; what the surroundings do wrong
is: chunks of lost workers are computed by others, and reading is tried three times.
"""

from __future__ import annotations

import importlib
import math
import multiprocessing
import os
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import partition
from ._errors import ArgumentError, Error
from ._module import Function, Module, Recipe, numpy_name
from ._sequences import Later, Stream
from .partition import Chunk, Entry, File

# They need not be installed for types to be checked.
dask: Any = importlib.import_module("dask")
da: Any = importlib.import_module("dask.array")
distributed: Any = importlib.import_module("distributed")


class AssociativityWarning(UserWarning):
    """An operator that should be associative is not, for values that have occurred."""


# Clusters.


def client(address: str | None = None, **arguments: Any) -> Any:
    """A client of the cluster at an address, or of processes of this machine. What is computed while it is open is computed there.

    Without an address it is the one of Dask's configuration (`DASK_SCHEDULER_ADDRESS`), if there is one.
    """
    address = address or dask.config.get("scheduler-address", None)
    # Without an address, the client has a cluster of its own, which ends with it.
    return distributed.Client(address, **arguments) if address else distributed.Client(**_local(**arguments))


def LocalCluster(n_workers: int | None = None, threads_per_worker: int | None = None, *, gpus: str | int | None = None, **arguments: Any) -> Any:
    """Processes of this machine that are started again when they die. All of them together have as many threads as the machine has processors.

    With `gpus`, "all" or a number, there is one process for each device.
    """
    return distributed.LocalCluster(**_local(n_workers, threads_per_worker, gpus=gpus, **arguments))


def _local(n_workers: int | None = None, threads_per_worker: int | None = None, *, gpus: str | int | None = None, **arguments: Any) -> dict[str, Any]:
    """The arguments of Dask's own cluster of processes."""
    if gpus is not None:
        from ._compile import cuda_devices

        devices = cuda_devices() if gpus == "all" else int(gpus)
        if devices < 1:
            raise Error("there is no GPU that CUDA knows")
        n_workers = devices
        arguments["env"] = {**arguments.get("env", {}), "FEHU_GPUS": str(devices)}
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    n_workers = n_workers or processors
    threads_per_worker = threads_per_worker or max(1, processors // n_workers)
    # Losing a worker says nothing about what it was doing: chunks of a program that was compiled here do not end processes.
    dask.config.set({"distributed.scheduler.allowed-failures": 20})
    if "forkserver" in multiprocessing.get_all_start_methods():
        # Copies of a process that has imported everything already start in a fraction of the time.
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
        # Asking Dask for it sets a list of Dask's own, once.
        distributed.utils.get_mp_context().set_forkserver_preload(["distributed", "dask.array", __name__])
    # Nobody else's business, and never in somebody's way.
    arguments.setdefault("dashboard_address", "127.0.0.1:0")
    return {"n_workers": n_workers, "threads_per_worker": threads_per_worker, "processes": True, **arguments}


def warm(client: Any, *modules: Module) -> dict[str, dict[str, str]]:
    """Compiles programs on all workers before they are needed. Yields the C compiler of each worker for each program."""
    found: dict[str, dict[str, str]] = {}
    wrong: list[str] = []
    for module in modules:
        for worker, answer in client.run(_compiled, module.recipe, on_error="return").items():
            if isinstance(answer, BaseException):
                wrong.append(f"{worker}: {module.name}: {answer}")
            else:
                found.setdefault(worker, {})[module.name] = answer
    if wrong:
        raise Error("\n".join(["programs could not be compiled on all workers:", *wrong]))
    return found


def _compiled(recipe: Recipe, dask_worker: Any = None) -> str:
    # This is no task, and Dask says by this argument which worker it is.
    _surroundings(dask_worker)
    return Entry(recipe, "").module().compiler


def _surroundings(worker: Any = None) -> None:
    """What a process of a cluster may use: as many threads as Dask gives it, since its calls take turns, and its own device."""
    try:
        worker = worker or distributed.get_worker()
    except ValueError:
        return
    gpus = os.environ.get("FEHU_GPUS")
    device: dict[str, int | str] = {"device": f"#{int(worker.name) % int(gpus)}"} if gpus else {}
    partition.configure(num_threads=worker.state.nthreads, **device)


# Tasks: what runs on workers.


def _call(entry: Entry, args: Sequence[Any], chunk: Chunk | None) -> Any:
    _surroundings()
    return entry.call(args, chunk)


def _fold(combine: Entry, parts: Sequence[Any]) -> Any:
    _surroundings()
    return partition.fold(combine, parts)


def _read(file: File, chunk: Chunk) -> np.ndarray:
    return partition.patiently(lambda: file.read(chunk.start, chunk.stop))


def _task(name: str, function: Any, *args: Any) -> Any:
    """A task whose name tells what it does, so that the same work is recognised."""
    key = f"{name}-{dask.base.tokenize(function.__name__, *args)}"
    return dask.delayed(function, pure=True, traverse=False)(*args, dask_key_name=key)


def _entry(function: Function) -> Entry:
    return Entry.of(function)


# Arrays.


def from_npy(path: str | os.PathLike[str], chunk_bytes: int = partition.CHUNK_BYTES) -> Any:
    """The array of a `.npy` file that all workers can read, in chunks of rows."""
    return _from_file(File.npy(path), chunk_bytes)


def from_raw(path: str | os.PathLike[str], dtype: Any, shape: tuple[int, ...] = (), offset: int = 0, chunk_bytes: int = partition.CHUNK_BYTES) -> Any:
    """The numbers of a file that has nothing else after `offset` bytes, in chunks of rows of this shape."""
    return _from_file(File.raw(path, dtype, shape, offset), chunk_bytes)


def _from_file(file: File, chunk_bytes: int) -> Any:
    if file.path.endswith(".gz"):
        raise Error(f"{file.path} can only be read from its beginning: use `stream`")
    chunks = partition.plan(file.rows, file.row_bytes, chunk_bytes, file.path)
    blocks = [_task("read", _read, file, chunk) for chunk in chunks]
    shapes = [(chunk.stop - chunk.start, *file.shape) for chunk in chunks]
    return _array(blocks, shapes, file.dtype)


def _array(blocks: list[Any], shapes: Sequence[tuple[float, ...]], dtype: Any) -> Any:
    """An array of blocks one below the other."""
    meta = np.empty((0,) * len(shapes[0]), dtype)
    parts = [da.from_delayed(block, shape, dtype=dtype, meta=meta) for block, shape in zip(blocks, shapes)]
    return da.concatenate(parts, axis=0, allow_unknown_chunksizes=True)


def _cut(args: Sequence[Any], chunk_bytes: int | None) -> tuple[list[Chunk], list[list[Any]], list[tuple[tuple[Any, ...], ...]]]:
    """Chunks along the first dimension of all arrays of Dask among the arguments; other arguments are the same for all chunks.

    Yields the chunks, the arguments for each, and the shapes of the blocks of each array.
    """
    arrays = [arg for arg in args if isinstance(arg, da.Array)]
    if not arrays:
        raise ArgumentError("expected at least one array of Dask: see fehu.dask.from_npy and dask.array.from_array")
    first = arrays[0]
    if first.ndim == 0:
        raise ArgumentError("an array without dimensions has no chunks")
    rows = first.chunks[0]
    if chunk_bytes is not None:
        row_bytes = first.dtype.itemsize * math.prod(first.shape[1:])
        rows = tuple(chunk.stop - chunk.start for chunk in partition.plan(first.shape[0], row_bytes, chunk_bytes))
    cut: list[Any] = []
    for arg in args:
        if not isinstance(arg, da.Array):
            # Large ones are sent once.
            cut.append(dask.delayed(arg, pure=True, traverse=False) if isinstance(arg, np.ndarray) else arg)
            continue
        if arg.shape[0] != first.shape[0] and not math.isnan(first.shape[0]):
            raise ArgumentError(f"arrays that are cut together have as many rows, got {first.shape[0]} and {arg.shape[0]}")
        same = {0: rows} if not any(math.isnan(n) for n in rows) else {}
        cut.append(arg.rechunk(same | {axis: -1 for axis in range(1, arg.ndim)}))
    starts = np.concatenate([[0], np.cumsum(np.nan_to_num(rows))])
    chunks = [Chunk(i, int(starts[i]), int(starts[i + 1])) for i in range(len(rows))]
    blocks = [arg.to_delayed().ravel() if isinstance(arg, da.Array) else [arg] * len(rows) for arg in cut]
    shapes = [tuple((n, *arg.shape[1:]) for n in arg.chunks[0]) for arg in cut if isinstance(arg, da.Array)]
    return chunks, [list(of_chunk) for of_chunk in zip(*blocks)], shapes


def _sizes(ty: str) -> list[str]:
    return re.findall(r"\[([^\]]*)\]", ty)


def _result(function: Function, args: Sequence[Any], blocks: Sequence[tuple[float, ...]]) -> tuple[tuple[float, ...], str]:
    """The shape of a block of the result and its type, from the shapes of the blocks of the arguments; nan where that does not tell."""
    ty = function.result.lstrip("*")
    dtype = numpy_name(ty.rsplit("]", 1)[-1])
    if dtype is None or not ty.startswith("["):
        raise ArgumentError(f"{function.__name__} yields {ty}, which is no array of numbers; use `reduce` for other results")
    known: dict[str, float] = {}
    given = iter(blocks)
    for declared, arg in zip(function.types.values(), args):
        shape = next(given) if isinstance(arg, da.Array) else np.shape(arg)
        known |= dict(zip(_sizes(declared), shape))
    def of(size: str) -> float:
        return float(size) if size.isdigit() else known.get(size, math.nan) if size else math.nan

    return tuple(int(n) if not math.isnan(n) else n for n in map(of, _sizes(ty))), dtype


def _check_arguments(function: Function, count: int) -> None:
    if len(function.types) != count:
        raise ArgumentError(f"{function.__name__} takes {len(function.types)} arguments, got {count}: {function.signature}")


def map_blocks(function: Function, *args: Any, depth: Any = None, boundary: Any = None, chunk_bytes: int | None = None) -> Any:
    """The function of each chunk of rows, as an array of Dask. Arguments that are no arrays of Dask are the same for all chunks.

    With `depth`, as in `dask.array.map_overlap`, chunks have that many rows of their neighbours at both ends, which are cut off from
    the result; `boundary` says what is there at the ends of the array.
    """
    _check_arguments(function, len(args))
    if depth is not None:
        args = tuple(_overlapped(arg, depth, boundary) if isinstance(arg, da.Array) else arg for arg in args)
    chunks, values, shapes = _cut(args, None if depth is not None else chunk_bytes)
    entry = _entry(function)
    blocks = [_task(function.__name__, _call, entry, value, chunk) for chunk, value in zip(chunks, values)]
    results = [_result(function, args, [of[chunk.number] for of in shapes]) for chunk in chunks]
    made = _array(blocks, [shape for shape, _ in results], results[0][1])
    if depth is None:
        return made
    if any(shape != of for (shape, _), of in zip(results, shapes[0])):
        raise ArgumentError(f"with depth, the result has as many rows as the array, which {function.signature} does not tell")
    return da.overlap.trim_internal(made, _per_axis(depth, made.ndim), _per_axis(boundary or "none", made.ndim))


def _overlapped(array: Any, depth: Any, boundary: Any) -> Any:
    rows = array.rechunk({axis: -1 for axis in range(1, array.ndim)})
    return da.overlap.overlap(rows, _per_axis(depth, array.ndim), _per_axis(boundary or "none", array.ndim))


def _per_axis(value: Any, rank: int) -> dict[int, Any]:
    if isinstance(value, dict):
        rest: Any = 0 if all(isinstance(item, (int, tuple)) for item in value.values()) else "none"
        return {axis: value.get(axis, rest) for axis in range(rank)}
    return dict.fromkeys(range(rank), value)


# Reductions.


def reduce(
    chunk: Function, combine: Function, *args: Any, finish: Function | None = None, check: bool = False, fan_in: int = partition.FAN_IN, chunk_bytes: int | None = None
) -> Any:
    """Combines what `chunk` makes of each chunk: something lazy, whose `compute()` is the result.

    `combine` must be associative. `check` tries that on what the first chunks are, and warns. Without `finish`, an opaque result
    is a `fehu.partition.Held`, whose `value` is the value.
    """
    parts = _parts(chunk, args, chunk_bytes)
    operator = _entry(combine)
    if check and len(parts) >= 3:
        _check(operator, parts[:3])
    root = partition.reduce_tree(parts, lambda _level, _number, group: _task(combine.__name__, _fold, operator, group), fan_in)
    return root if finish is None else _task(finish.__name__, _call, _entry(finish), [root], None)


def _parts(chunk: Function, args: Sequence[Any], chunk_bytes: int | None) -> list[Any]:
    _check_arguments(chunk, len(args))
    chunks, values, _ = _cut(args, chunk_bytes)
    entry = _entry(chunk)
    return [_task(chunk.__name__, _call, entry, value, of) for of, value in zip(chunks, values)]


def _check(combine: Entry, parts: list[Any]) -> None:
    a, b, c = parts
    why = _task("associative", _associative, combine, a, b, c).compute()
    if why:
        warnings.warn(why, AssociativityWarning, stacklevel=3)


def _associative(combine: Entry, a: Any, b: Any, c: Any) -> str | None:
    _surroundings()
    return partition.associative(combine, a, b, c)


def scan(local: Function, chunk: Function, combine: Function, shift: Function, x: Any, *, chunk_bytes: int | None = None) -> Any:
    """A scan over all rows, as an array of Dask, in three passes: what each chunk adds up to (`chunk`), what comes before each chunk
    (by `combine`), and the scans of the chunks (`local`) with that put in front: `shift before rows`."""
    chunks, values, shapes = _cut([x], chunk_bytes)
    sums = _parts(chunk, [x], chunk_bytes)
    entry, operator, front = _entry(local), _entry(combine), _entry(shift)
    before: Any = None
    blocks = []
    for of, value, added in zip(chunks, values, sums):
        own = _task(local.__name__, _call, entry, value, of)
        blocks.append(own if before is None else _task(shift.__name__, _call, front, [before, own], of))
        before = added if before is None else _task(combine.__name__, _fold, operator, [before, added])
    results = [_result(local, [x], [shapes[0][of.number]]) for of in chunks]
    return _array(blocks, [shape for shape, _ in results], results[0][1])


def hist(bins: Function, x: Any, *, size: int | None = None, combine: Function | None = None, fan_in: int = partition.FAN_IN, chunk_bytes: int | None = None) -> Any:
    """Adds up the arrays that `bins` makes of each chunk, element by element, or by `combine`; something lazy.

    `bins` takes the rows, and `size` if it is given.
    """
    args = [x] if size is None else [x, size] if not _first_is_scalar(bins) else [size, x]
    parts = _parts(bins, args, chunk_bytes)
    if combine is not None:
        operator = _entry(combine)
        return partition.reduce_tree(parts, lambda _level, _number, group: _task(combine.__name__, _fold, operator, group), fan_in)
    return partition.reduce_tree(parts, lambda _level, _number, group: _task("add", _add, group), fan_in)


def _first_is_scalar(function: Function) -> bool:
    return not next(iter(function.types.values()), "").lstrip("*").startswith("[")


def _add(parts: Sequence[np.ndarray]) -> np.ndarray:
    total = np.array(parts[0])
    for part in parts[1:]:
        total += part
    return total


# Sequences.


def files(pattern: Any, dtype: Any = None, shape: tuple[int, ...] = ()) -> list[File]:
    """Files, by a pattern or as a list: of NumPy, or of raw numbers of a type, which may be compressed (`.gz`)."""
    found = partition.paths(pattern)
    if dtype is None:
        wrong = next((path for path in found if not path.endswith(".npy")), None)
        if wrong:
            raise ArgumentError(f"{wrong} is no file of NumPy: give the type of its numbers, dtype=")
        return [File.npy(path) for path in found]
    return [File.raw(path, dtype, shape) for path in found]


def stream(function: Function, files: Sequence[File], *args: Any, out: str | os.PathLike[str] | None = None) -> Any:
    """An entry point on sequences applied to each file: something lazy, whose `compute()` is the list of the results.

    The file is the first argument. Results that are sequences are written to files `part-NNNNN.npy` in the folder `out`, and are paths in
    the list; they are there under their names when they are complete.
    """
    entry = _entry(function)
    folder = None if out is None else os.path.abspath(out)
    parts = [_task(function.__name__, _stream, entry, file, list(args), number, folder) for number, file in enumerate(files)]
    return _task(function.__name__, list, parts)


def _stream(entry: Entry, file: File, args: list[Any], number: int, folder: str | None) -> Any:
    _surroundings()
    module = entry.module()
    def once() -> Any:
        rows = _Counted(file)
        try:
            result = module[entry.name](rows, *args)
            return _written(partition.hold(module, result), number, folder)
        except (ArgumentError, Error) as error:
            raise partition.placed(error, entry.name, Chunk(number, rows.before, rows.at, file.path)) from None

    return partition.patiently(once)


class _Counted:
    """The chunks of a file, and which rows the program has now. Can be read again."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.rewind()

    def rewind(self) -> None:
        self.before = self.at = 0
        self._chunks = self.file.chunks()

    def __iter__(self) -> _Counted:
        return self

    def __next__(self) -> np.ndarray:
        rows = next(self._chunks)
        self.before, self.at = self.at, self.at + len(rows)
        return rows


def _written(result: Any, number: int, folder: str | None) -> Any:
    parts = result if isinstance(result, tuple) else (result,)
    made: list[Any] = []
    for index, part in enumerate(parts):
        if not isinstance(part, Stream):
            made.append(part)
            continue
        if folder is None:
            raise ArgumentError("results that are sequences are written to files: give out=, a folder")
        name = f"part-{number:05}.npy" if len(parts) == 1 else f"part-{number:05}-{index}.npy"
        path = os.path.join(folder, name)
        part.to(path)
        made.append(path)
    made = [part.result() if isinstance(part, Later) else part for part in made]
    return tuple(made) if isinstance(result, tuple) else made[0]
