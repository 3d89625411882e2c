"""fehu: a compiler for a small, pure, data-parallel array language, and its programs as functions of Python.

    import fehu, numpy as np
    dot = fehu.define("entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)")
    dot(np.ones(10, np.float32), np.ones(10, np.float32))

See `compile` for all that can be chosen, `Module` for what a compiled program is, and `Error` for what can go wrong.
"""

from __future__ import annotations

from typing import Any

from ._arrays import FileChunks
from ._chunks import Pieces
from ._compile import compile, cuda_devices, define, executable
from ._display import Picture, Shown, image, show
from ._dispatch import Array, Value
from ._errors import (
    ArgumentError,
    CompileError,
    CompileWarning,
    Diagnostic,
    Error,
    OutOfMemory,
    ProgramError,
    RangeError,
    Unavailable,
)
from ._module import Function, Module, Recipe, Type, Types, stubs
from ._profile import Profile
from ._progress import progress
from ._report import Report, report
from ._sequences import Later, Stream
from ._transform import grad, value_and_grad, vjp, vmap
from ._version import VERSION

__version__ = VERSION
__all__ = [
    "ArgumentError", "Array", "CompileError", "CompileWarning", "Diagnostic", "Error", "FileChunks", "Function", "Later", "Module",
    "OutOfMemory", "Picture", "Pieces", "Profile", "ProgramError", "RangeError", "Recipe", "Report", "Shown", "Stream", "Type", "Types", "Unavailable",
    "Value", "compile", "cuda_devices", "define", "executable", "grad", "image", "progress", "report", "show", "stubs", "value_and_grad", "vjp", "vmap",
]


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext fehu` does: see `fehu.notebook`."""
    from . import notebook

    notebook.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext fehu` does."""
    from . import notebook

    notebook.unload(shell)
