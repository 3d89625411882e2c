"""Compiled programs: their entry points as functions, and their types."""

from __future__ import annotations

import hashlib
import inspect
import json
import keyword
import operator
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _dispatch, _sequences, _threads
from ._errors import Error, ProgramError, locate

if TYPE_CHECKING:
    from ._profile import Profile

_NUMPY = {
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64",
}


@dataclass(frozen=True)
class Recipe:
    """What a module is made of: texts and choices, from which another process makes the same module for its own machine.

    >>> module = fehu.compile("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)", backend="c")
    >>> module.recipe.backend
    'c'
    """

    files: tuple[tuple[str, str], ...]
    """The program itself, then what it imports: paths, and texts."""
    from_text: bool
    """Whether the program itself was given as a text; its path is then that of a file that could be there."""
    name: str
    backend: str
    flags: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    strict: bool
    version: str

    @property
    def digest(self) -> str:
        """The same for everybody with the same program and choices."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]


class Function:
    """An entry point. Call it; `types` has the types of its parameters, and `result` that of its result, as the program writes them.

    >>> fehu.define("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)")
    <fehu function dot (xs: [n]f32) (ys: [n]f32) : f32>
    """

    def __init__(self, call: Any, described: dict[str, Any], module: Module) -> None:
        self._call = call
        self._sinks: list[int] = call.sinks
        self.__name__ = self.__qualname__ = call.name
        self.__module__ = module.name
        self.module = module
        signature = described.get("signature", {})
        names = [item["name"] for item in described["inputs"]]
        sources = signature.get("inputs") or [item["type"] for item in described["inputs"]]
        stars = ["*" if item["unique"] else "" for item in described["inputs"]]
        self.types = {name: star + ty for name, star, ty in zip(names, stars, sources)}
        self.result = ("*" if described["output"]["unique"] else "") + signature.get("output", described["output"]["type"])
        self.__annotations__ = {name: annotation(ty) for name, ty in self.types.items()} | {"return": annotation(self.result)}
        self.__signature__ = _signature(self.types, self.result)
        self.documentation: str = described.get("doc") or ""
        self.__doc__ = "\n\n".join(part for part in (self.documentation, self.signature) if part)

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self._sinks and any(hasattr(arg, "__next__") for arg in (*args, *named.values())):
            return self.stream(*args, **named)
        try:
            return self._call(*args, **named)
        except ProgramError as error:
            locate(error, self.module.name, self.module.source)
            raise

    def stream(self, *args: Any, **named: Any) -> Any:
        """Starts a call whose results are iterators of arrays where the program says `seq`, while it runs.

        Calls with an iterator do so anyway. If there are other results besides, they have a method `result()`, which waits for them.
        """
        return _sequences.start(self, args, named)

    @property
    def signature(self) -> str:
        """The type as the program writes it: `dot (xs: [n]f32) (ys: [n]f32) : f32`."""
        params = "".join(f" ({name}: {ty})" for name, ty in self.types.items())
        return f"{self.__name__}{params} : {self.result}"

    def profile(self, *args: Any, runs: int = 1, limits: bool = True) -> Profile:
        """Compiles the program once more, so that it says what takes time, calls it with these arguments, arrays and numbers, and says where the
        time went. Of several `runs`, the one with the median time is shown. With `limits` it says what limits each line, for which
        the machine is measured when it is first needed, some seconds long."""
        from ._profile import Profile

        return Profile(self, args, runs, limits)

    def submit(self, *args: Any, **named: Any) -> Future[Any]:
        """Starts a call on a thread of the module's own; what comes back is a future."""
        return self.module._executor().submit(self, *args, **named)

    def __reduce__(self) -> tuple[Any, ...]:
        return operator.getitem, (self.module, self.__name__)

    def __repr__(self) -> str:
        return f"<fehu function {self.signature}>"


def _signature(types: dict[str, str], result: str) -> inspect.Signature | None:
    try:
        params = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation(ty))
            for name, ty in types.items()
        ]
        return inspect.Signature(params, return_annotation=annotation(result))
    except ValueError:  # names that Python does not have
        return None


def numpy_name(ty: str) -> str | None:
    """What NumPy calls a primitive type; None for others."""
    return "bool" if ty == "bool" else _NUMPY.get(ty)


def annotation(ty: str) -> str:
    """A type of the program as Python writes it."""
    ty = ty.lstrip("*")
    elem = ty
    while elem.startswith("["):
        elem = elem[elem.index("]") + 1 :]
    if elem in _NUMPY or elem == "bool":
        name = f"np.{_NUMPY[elem]}" if elem != "bool" else "np.bool_"
        if elem != ty:
            return f"NDArray[{name}]"
        return name if elem != "bool" else "bool"
    if ty == "()":
        return "tuple[()]"
    if ty.startswith("(") and ty.endswith(")"):
        return f"tuple[{', '.join(annotation(part) for part in _parts(ty[1:-1]))}]"
    return "fehu.Value"


def _parts(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _is_name(text: str) -> bool:
    """Whether Python has such names."""
    return text.isidentifier() and not keyword.iskeyword(text)


def stubs(module: Module) -> str:
    """The types of a module's functions as the text of a `.pyi` file, for editors and type checkers.

    >>> module = fehu.compile("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)")
    >>> print(fehu.stubs(module).splitlines()[4])
    def dot(xs: NDArray[np.float32], ys: NDArray[np.float32]) -> np.float32:
    """
    lines = ["import fehu", "import numpy as np", "from numpy.typing import NDArray", ""]
    for function in module:
        if not _is_name(function.__name__):
            lines.append(f"# module[{function.__name__!r}] : {function.signature}")
            continue
        named = all(map(_is_name, function.types))
        params = [f"{name if named else f'x{i}'}: {annotation(ty)}" for i, (name, ty) in enumerate(function.types.items())]
        params += [] if named else ["/"]
        doc = json.dumps(function.__doc__)
        lines.append(f"def {function.__name__}({', '.join(params)}) -> {annotation(function.result)}:\n    {doc}")
    return "\n".join(lines) + "\n"


class Type:
    """An opaque type of a program. Records are made by calling it, with fields by name; sums by their constructors.

    >>> module = fehu.compile("type shape = #circle f64 | #rect f64 f64 entry area (s: shape) : f64 = match s case #circle r -> 3 * r * r case #rect a b -> a * b entry square (a: f64) : shape = #rect a a")
    >>> module.types.shape
    <fehu type shape = #circle f64 | #rect f64 f64>
    >>> module.area(module.types.shape.circle(2.0))
    np.float64(12.0)
    """

    def __init__(self, name: str, described: dict[str, Any], program: Any) -> None:
        self.name = name
        self._program = program
        record = described.get("record") or described.get("record_array") or {}
        self.fields = {item["name"]: item["type"] for item in record.get("fields", [])}
        variants = described.get("sum", {}).get("variants", [])
        self.variants = {item["name"]: tuple(item["payload"]) for item in variants}

    def __call__(self, *values: Any, **fields: Any) -> Any:
        if self.variants:
            raise Error(f"{self.name} is a sum type: use one of its constructors, {', '.join(self.variants)}")
        return self._program.make(self.name, None, fields if fields else values[0] if len(values) == 1 else values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.variants:
            raise AttributeError(f"the type {self.name} has no constructor {name}")
        return lambda *payload: self._program.make(self.name, name, payload)

    def restore(self, data: bytes) -> Any:
        """The value that `value.store()` has made these bytes of."""
        return self._program.restore(self.name, data)

    def __repr__(self) -> str:
        if self.variants:
            return f"<fehu type {self.name} = {' | '.join('#' + ' '.join((name, *types)) for name, types in self.variants.items())}>"
        if self.fields:
            return f"<fehu type {self.name} = {{{', '.join(f'{name}: {ty}' for name, ty in self.fields.items())}}}>"
        return f"<fehu type {self.name}>"


class Types(dict[str, Type]):
    """The opaque types of a program, by name or as attributes.

    >>> module = fehu.compile("type shape = #circle f64 | #rect f64 f64 entry area (s: shape) : f64 = match s case #circle r -> 3 * r * r case #rect a b -> a * b entry square (a: f64) : shape = #rect a a")
    >>> list(module.types)
    ['shape']
    """

    def __getattr__(self, name: str) -> Type:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the program has no type {name}") from None


class Module:
    """A compiled program with a context. Entry points are attributes; those whose names Python does not have are items.

    A context does one call at a time: threads that share a module wait for each other, without holding the interpreter's lock.
    `fork()` gives another context of the same program to a thread that should not wait.

    >>> fehu.compile("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)", name="example", backend="c")
    <fehu module example for c:
      dot (xs: [n]f32) (ys: [n]f32) : f32>
    """

    def __init__(self, program: Any, manifest: dict[str, Any], recipe: Recipe) -> None:
        self.name = recipe.name
        self.source = recipe.files[0][1]
        self.backend: str = manifest["backend"]
        self.compiler: str = manifest.get("c_compiler", "")
        self.manifest = manifest
        self.recipe = recipe
        self._program = program
        self._threads: ThreadPoolExecutor | None = None
        self.types = Types((ty, Type(ty, item, program)) for ty, item in manifest["types"].items() if item["kind"] == "opaque")
        self.entry_points: dict[str, Function] = {}
        for call in program.functions():
            function = Function(call, manifest["entry_points"][call.name], self)
            self.entry_points[call.name] = function
            if call.name.isidentifier() and not hasattr(type(self), call.name) and call.name not in self.__dict__:
                setattr(self, call.name, function)

    def __getitem__(self, name: str) -> Function:
        return self.entry_points[name]

    def __getattr__(self, name: str) -> Function:
        # Entry points were set; this is for type checkers, and for what is not there.
        known = ", ".join(self.__dict__.get("entry_points", ()))
        raise AttributeError(f"the program has no entry point {name}; there are: {known}")

    def __iter__(self) -> Iterator[Function]:
        return iter(self.entry_points.values())

    def __len__(self) -> int:
        return len(self.entry_points)

    @property
    def copies(self) -> int:
        """How many array arguments had to be copied so far: because of their order in memory, or to get to a device."""
        return int(self._program.copies)

    def report(self) -> dict[str, Any]:
        """What the program says about its memory, and with `profiling=1` about what took time."""
        report: dict[str, Any] = json.loads(self._program.report() or "{}")
        return report

    def fork(self, **options: int | str) -> Module:
        """The same program with a context of its own, for another thread."""
        program = self._program.fork([(name, str(value)) for name, value in options.items()])
        return Module(program, self.manifest, self.recipe)

    def __reduce__(self) -> tuple[Any, ...]:
        # As texts: other machines have other processors.
        from ._compile import rebuild

        return rebuild, (self.recipe,)

    def cancel(self) -> None:
        """Stops the call that another thread is waiting for: it raises `ProgramError`."""
        self._program.cancel()

    def _executor(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(1, thread_name_prefix=f"fehu-{self.name}")
        return self._threads

    def __repr__(self) -> str:
        lines = [f"<fehu module {self.name} for {self.backend}:"]
        lines += [f"  {function.signature}" for function in self.entry_points.values()]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        from html import escape

        from . import _html

        rows = [(_html.code(function.signature), escape(function.documentation.split("\n")[0])) for function in self]
        return f"<div><b>{escape(self.name)}</b> {_html.soft('for ' + escape(self.backend))}{_html.table((), rows)}</div>"


def load(path: str, manifest: dict[str, Any], recipe: Recipe) -> Module:
    """Loads a shared library that the compiler has made."""
    program = _dispatch.Program(path, manifest["backend"], list(recipe.options), recipe.strict, _threads.main_thread())
    return Module(program, manifest, recipe)
