"""From a program's text to a loaded module: runs the `fehu` executable, which keeps what it has compiled.

The executable is asked every time, because it knows which files a program imports; for a program that has not changed it takes some
milliseconds, since compiled libraries are kept under a digest of their C text (`fehu/objects` in the user's cache folder). The same text
compiled again in the same process gives the same module.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._errors import CompileError, CompileWarning, Diagnostic, Error, Unavailable
from ._module import Module, Recipe, load
from ._version import VERSION

BACKENDS = ("c", "multicore", "cuda", "opencl")
_known: dict[Any, Module] = {}
_loaded: weakref.WeakValueDictionary[Recipe, Module] = weakref.WeakValueDictionary()
_rebuilt: dict[Recipe, Module] = {}
_lock = threading.Lock()


def compile(
    source: str | os.PathLike[str],
    backend: str | None = None,
    *,
    name: str | None = None,
    entry_points: Sequence[str] = (),
    options: dict[str, int | str] | None = None,
    strict: bool = False,
    safe: bool = False,
    strict_float: bool = False,
    fast_math: bool = False,
    werror: bool = False,
) -> Module:
    """Compiles a program and loads it.

    `source` is the text of a program, or the path of a file: a `Path`, or a string without line breaks that ends in `.fut`. `backend` is
    "c", "multicore", "cuda", "opencl", or "auto", which is "cuda" if there is such a device and "multicore" otherwise; the default
    is the variable FEHU_BACKEND, or "auto". `options` are settings of the context (`num_threads`, `profiling`, `device`) and tuning
    parameters. With `strict`, arguments that would have to be copied are errors. `safe` ignores `#[unsafe]`; `strict_float` keeps the order of
    operations on floats; `fast_math` allows approximate quotients and roots, and assumes that no number is NaN or infinite; `werror` makes warnings errors.

    >>> module = fehu.compile("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)")
    >>> module.dot(np.ones(3, np.float32), np.ones(3, np.float32))
    np.float32(3.0)
    """
    backend = _backend(backend)
    path = source if isinstance(source, os.PathLike) else source if "\n" not in source and source.endswith(".fut") else None
    flags = [f"--entry-point={entry}" for entry in entry_points]
    flags += ["--safe"] * safe + ["--strict-float"] * strict_float + ["--fast-math"] * fast_math + ["--Werror"] * werror
    settings = {key: str(value) for key, value in (options or {}).items()}
    if path is not None:
        path = os.fspath(path)
        return _build(path, None, backend, name or Path(path).stem, flags, settings, strict)
    key = (source, backend, name, tuple(flags), tuple(sorted(settings.items())), strict, os.getcwd())
    with _lock:
        found = _known.get(key)
    if found is None:
        found = _build("-", str(source), backend, name or "program", flags, settings, strict)
        with _lock:
            _known[key] = found
    return found


def define(source: str, backend: str | None = None, **arguments: Any) -> Any:
    """The only entry point of a program as a function; if it has several, the module.

    A text without `entry` or `def` is an expression: `fehu.define(r"\\(xs: []f64) -> f64.sum xs")`.

    >>> dot = fehu.define("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)")
    >>> dot([1.0, 2.0], [3.0, 4.0])
    np.float32(11.0)
    """
    words = source.split()
    if not any(word in ("entry", "def", "let", "import", "module", "type") for word in words[:1]) and not any(
        line.startswith(("entry ", "def ", "#[")) for line in source.splitlines()
    ):
        source = _expression(source)
    module = compile(source, backend, **arguments)
    functions = list(module.entry_points.values())
    return functions[0] if len(functions) == 1 else module


def _expression(source: str) -> str:
    """A lambda as an entry point: its parameters are those of the entry point."""
    text = source.strip()
    if not text.startswith("\\"):
        return f"entry value = {text}"
    depth = 0
    for at, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and text.startswith("->", at):
            return f"entry f {text[1:at].strip()} =\n  {text[at + 2 :].strip()}"
    return f"entry value = {text}"


@functools.cache
def executable() -> str:
    """Where the compiler is: `FEHU`, or beside this Python, or on the path.

    >>> import os
    >>> os.path.exists(fehu.executable())
    True
    """
    named = os.environ.get("FEHU")
    beside = Path(sys.executable).with_name("fehu.exe" if os.name == "nt" else "fehu")
    found = named or (str(beside) if beside.exists() else None) or shutil.which("fehu")
    if not found:
        raise Unavailable("the `fehu` executable is not there; it is part of the package fehu-lang: reinstall that, or set FEHU to its path")
    return found


@functools.cache
def cuda_devices() -> int:
    """How many GPUs CUDA knows.

    >>> fehu.cuda_devices() >= 0
    True
    """
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    ready = library.cuInit(0) == 0 and library.cuDeviceGetCount(ctypes.byref(count)) == 0
    return count.value if ready else 0


def _backend(backend: str | None) -> str:
    backend = backend or os.environ.get("FEHU_BACKEND") or "auto"
    if backend == "auto":
        return "cuda" if cuda_devices() > 0 else "multicore"
    if backend not in BACKENDS:
        raise ValueError(f'backend must be "auto" or one of {", ".join(BACKENDS)}, got {backend!r}')
    return backend


def _run(arguments: list[str], text: str | None) -> subprocess.CompletedProcess[str]:
    command = [executable(), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", env=_environment())


def rebuild(recipe: Recipe, **options: int | str) -> Module:
    """The module that another process has described. In the process that made it, and when it was asked for before, that one."""
    if recipe.version != VERSION:
        raise Error(f"the program `{recipe.name}` comes from fehu {recipe.version}, and here is fehu {VERSION}: install the same version everywhere")
    with _lock:
        found = _rebuilt.get(recipe) or _loaded.get(recipe)
    if found is None:
        settings = {key: str(value) for key, value in options.items()} | dict(recipe.options)
        choices = recipe.backend, recipe.name, list(recipe.flags), settings, recipe.strict
        if len(recipe.files) == 1 and recipe.from_text:
            found = _build("-", recipe.files[0][1], *choices)
        else:
            with tempfile.TemporaryDirectory(prefix="fehu-") as folder:
                for name, text in recipe.files:
                    path = Path(folder, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, "utf-8")
                found = _build(str(Path(folder, recipe.files[0][0])), None, *choices)
        found.recipe = recipe
    with _lock:
        return _rebuilt.setdefault(recipe, found)


def _build(file: str, text: str | None, backend: str, name: str, flags: list[str], settings: dict[str, str], strict: bool) -> Module:
    shown = f"<{name}>"
    with tempfile.TemporaryDirectory(prefix="fehu-") as folder:
        output = os.path.join(folder, "program")
        done = _run([backend, "--library", "--shared", "-o", output, *flags, file], text)
        said = done.stderr.replace("<stdin>", shown).strip()
        if done.returncode != 0:
            if "error[c-compiler-not-found]" in said:
                raise Unavailable(f"{said}\n\npip can bring one: pip install 'fehu-lang[cc]'")
            raise CompileError(said or f"the compiler failed with code {done.returncode}", _diagnostics(file, text, shown), {shown: text or ""})
        if said:
            warnings.warn(said, CompileWarning, stacklevel=4)
        with open(output + ".json", encoding="utf-8") as stream:
            manifest = json.load(stream)
        suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
        files = _texts(file, text, manifest["sources"])
        recipe = Recipe(files, text is not None, name, backend, tuple(flags), tuple(sorted(settings.items())), strict, VERSION)
        module = load(output + suffix, manifest, recipe)
    with _lock:
        _loaded[recipe] = module
    return module


def _texts(file: str, text: str | None, sources: list[str]) -> tuple[tuple[str, str], ...]:
    """The files of a program, relative to the innermost folder that contains all of them; the program itself comes first."""
    imported = [os.path.abspath(source) for source in sources if source not in ("<stdin>", file)]
    root = os.path.abspath("program.fut" if text is not None else file)
    folder = os.path.commonpath([os.path.dirname(path) for path in (root, *imported)])
    texts = [text if text is not None else Path(file).read_text("utf-8"), *(Path(path).read_text("utf-8") for path in imported)]
    return tuple((os.path.relpath(path, folder), content) for path, content in zip((root, *imported), texts))


def _environment() -> dict[str, str]:
    """Where the compiler finds the C compiler that pip has brought for this Python, if there is no other."""
    return os.environ | {"FEHU_PYTHON": sys.executable}


def _diagnostics(file: str, text: str | None, shown: str) -> list[Diagnostic]:
    """The same messages as data."""
    done = _run(["check", "--format=json", file], text)
    found = []
    for line in done.stdout.splitlines() + done.stderr.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict) and "severity" in message:
            found.append(_diagnostic(message, shown))
    return found


def _diagnostic(message: dict[str, Any], shown: str) -> Diagnostic:
    for place in message["spans"] + [edit for fix in message["fixes"] for edit in fix["edits"]]:
        place["file"] = shown if place["file"] == "<stdin>" else place["file"]
    primary: dict[str, Any] = next((span for span in message["spans"] if span["primary"]), {})
    return Diagnostic(
        severity=message["severity"],
        code=message.get("code", ""),
        message=message.get("message", ""),
        file=primary.get("file"),
        line=primary.get("line"),
        column=primary.get("column"),
        raw=message,
    )
