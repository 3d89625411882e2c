"""Where the time of a call goes, line by line: `fehu profile`, as text, as data and as a page."""

from __future__ import annotations

import html
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._compile import _run
from ._errors import ArgumentError, Error

if TYPE_CHECKING:
    from ._module import Function


class Profile:
    """Where the time of a call went: `str()` is the table, `data` the same as data, `page` an HTML page; notebooks show it.

    >>> dot = fehu.define("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)", "c")
    >>> found = dot.profile(np.ones(1000, np.float32), np.ones(1000, np.float32), limits=False)
    >>> [line["line"] for line in found.data["lines"]]
    [1]
    """

    def __init__(self, function: Function, args: tuple[Any, ...], runs: int, limits: bool) -> None:
        recipe = function.module.recipe
        with tempfile.TemporaryDirectory(prefix="fehu-") as name:
            folder = Path(name)
            for file, text in recipe.files:
                path = folder / "program" / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            (folder / "arguments").write_bytes(_arguments(function, args))
            command = ["profile", "--backend", recipe.backend, "-e", function.__name__, "--runs", str(runs), "--input", str(folder / "arguments")]
            command += ["--json", str(folder / "data"), "--html", str(folder / "page")]
            command += [flag for flag in recipe.flags if flag in ("--strict-float", "--fast-math")] + ["--no-calibration"] * (not limits)
            program = str(folder / "program" / recipe.files[0][0])
            done = _run([*command, program], None)
            if not (folder / "data").exists():
                raise Error(done.stderr.strip() or f"`fehu profile` failed with code {done.returncode}")
            texts = [done.stdout, *((folder / kind).read_text("utf-8") for kind in ("data", "page"))]
            table, data, page = (text.replace(program, recipe.name) for text in texts)
        self._table = table.strip()
        self.data: dict[str, Any] = json.loads(data)
        self.page = page

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page)}" style="width: 100%; height: 40em; border: 0"></iframe>'


def _arguments(function: Function, args: tuple[Any, ...]) -> bytes:
    """Arguments as a program reads them, in binary."""
    import numpy as np

    from ._module import numpy_name

    if len(args) != len(function.types):
        raise ArgumentError(f"{function.__name__} takes {len(function.types)} arguments, got {len(args)}")
    out = b""
    for (name, written), value in zip(function.types.items(), args):
        ty = written.lstrip("*")
        elem = ty[ty.rfind("]") + 1 :]
        kind = numpy_name(elem)
        if kind is None:
            raise ArgumentError(f"profiles are made with arrays and numbers; {name} is a {ty}")
        array = np.ascontiguousarray(value, dtype=np.dtype(kind).newbyteorder("<")).reshape(np.shape(value))
        if array.ndim != ty.count("["):
            raise ArgumentError(f"{name} is a {ty}, which has {ty.count('[')} dimensions, not {array.ndim}")
        head = bytes([ord("b"), 2, array.ndim]) + f"{elem:>4}".encode()
        out += head + np.array(array.shape, "<i8").tobytes() + array.tobytes()
    return out
