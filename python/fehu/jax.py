"""Functions of programs inside of JAX: under `jit`, and with derivatives, which are the language's own.

    f = fehu.jax.wrap(module.loss)
    jax.grad(f)(w, x)

The call leaves JAX (`jax.pure_callback`) and comes back with arrays on the host, so it is for work that is worth that.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ._errors import Error
from ._module import Function, numpy_name
from ._transform import differentiable, vjp

# It need not be installed for types to be checked.
jax: Any = importlib.import_module("jax")


def wrap(function: Function) -> Callable[..., Any]:
    """The function for arrays of JAX. Its result must be a scalar or an array whose sizes are those of arguments, or constants."""
    numbers = differentiable(function)
    derivative = vjp(function, numbers) if numbers and _is_float(function.result) else None

    def call(*args: Any) -> Any:
        return jax.pure_callback(_on_host(function), _result(function, args), *args)

    if derivative is None:
        return call
    wrapped: Any = jax.custom_vjp(call)

    def forward(*args: Any) -> tuple[Any, tuple[Any, ...]]:
        return call(*args), args

    def backward(args: tuple[Any, ...], cotangent: Any) -> tuple[Any, ...]:
        shapes = [jax.ShapeDtypeStruct(args[i].shape, args[i].dtype) for i in numbers]
        wanted = shapes[0] if len(numbers) == 1 else tuple(shapes)
        found = jax.pure_callback(_on_host(derivative), wanted, *args, cotangent)
        by_number = dict(zip(numbers, (found,) if len(numbers) == 1 else found))
        # Numbers that are no floats have a derivative without contents.
        return tuple(by_number.get(i, np.zeros(np.shape(arg), jax.dtypes.float0)) for i, arg in enumerate(args))

    wrapped.defvjp(forward, backward)
    result: Callable[..., Any] = wrapped
    return result


def _on_host(function: Function) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        host = [np.asarray(arg)[()] if np.ndim(arg) == 0 else np.asarray(arg) for arg in args]
        return function(*host)

    return call


def _is_float(ty: str) -> bool:
    return ty.rsplit("]", 1)[-1].lstrip("*") in ("f16", "f32", "f64")


def _result(function: Function, args: tuple[Any, ...]) -> Any:
    """The shape of the result, from those of the arguments."""
    sizes: dict[str, int] = {}
    for (name, ty), arg in zip(function.types.items(), args):
        dims = re.findall(r"\[([^\]]*)\]", ty)
        if len(dims) != np.ndim(arg):
            raise Error(f"{function.__name__}: expected {ty} for `{name}`, got {np.ndim(arg)} dimensions")
        sizes |= dict(zip(dims, np.shape(arg)))
    ty = function.result.lstrip("*")
    elem = numpy_name(ty.rsplit("]", 1)[-1])
    dims = re.findall(r"\[([^\]]*)\]", ty)
    if elem is None or any(not dim.isdigit() and not (dim and dim in sizes) for dim in dims):
        raise Error(f"{function.__name__}: JAX must know the shape of the result, which {ty} does not tell")
    return jax.ShapeDtypeStruct(tuple(int(dim) if dim.isdigit() else sizes[dim] for dim in dims), elem)
