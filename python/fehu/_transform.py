"""Derivatives and batches: new programs around an entry point, made from the language's own `vjp` and `map`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._compile import compile
from ._errors import Error
from ._module import Function

_FLOATS = ("f16", "f32", "f64")


def grad(function: Function, argnums: int | Sequence[int] = 0) -> Function:
    """The gradient of a function whose result is a float: by one argument, or by several, as a tuple.

    >>> loss = fehu.define("entry loss [n] (w: [n]f64) (x: [n]f64) : f64 = (f64.sum (map2 (*) w x) - 1) ** 2")
    >>> fehu.grad(loss)([1.0, 2.0], [3.0, 4.0])
    array([60., 80.])
    """
    return _derived(function, argnums, False)


def value_and_grad(function: Function, argnums: int | Sequence[int] = 0) -> Function:
    """The result of a function together with its gradient, of one evaluation.

    >>> loss = fehu.define("entry loss [n] (w: [n]f64) (x: [n]f64) : f64 = (f64.sum (map2 (*) w x) - 1) ** 2")
    >>> fehu.value_and_grad(loss)([1.0, 2.0], [3.0, 4.0])
    (np.float64(100.0), array([60., 80.]))
    """
    return _derived(function, argnums, True)


def differentiable(function: Function) -> list[int]:
    """The numbers of the arguments that there are derivatives by: floats, and arrays of floats."""
    types = [ty.lstrip("*") for ty in function.types.values()]
    return [i for i, ty in enumerate(types) if ty.rsplit("]", 1)[-1] in _FLOATS]


def vjp(function: Function, argnums: Sequence[int]) -> Function:
    """The vector-Jacobian product: a function of the arguments and of a cotangent of the result's type, by these arguments.

    >>> loss = fehu.define("entry loss [n] (w: [n]f64) (x: [n]f64) : f64 = (f64.sum (map2 (*) w x) - 1) ** 2")
    >>> fehu.vjp(loss, [0])([1.0, 2.0], [3.0, 4.0], 0.5)
    array([30., 40.])
    """
    params, types = list(function.types), [ty.lstrip("*") for ty in function.types.values()]
    sizes = "".join(f"[{name}]" for name in _sizes(types))
    declared = " ".join(f"({name}: {ty})" for name, ty in zip(params, types))
    by = ", ".join(params[number] for number in argnums)
    by_type = ", ".join(types[number] for number in argnums)
    body = f"vjp (\\(({by}): ({by_type})) -> {function.__name__} {_copied(function)}) ({by}) cotangent"
    definition = f"{sizes} {declared} (cotangent: {function.result.lstrip('*')}) = {body}"
    return _program(function, f"{function.__name__}_vjp", definition, "vjp")


def vmap(function: Function) -> Function:
    """The function applied to each row of its arguments: all of them have one more dimension, in front.

    >>> loss = fehu.define("entry loss [n] (w: [n]f64) (x: [n]f64) : f64 = (f64.sum (map2 (*) w x) - 1) ** 2")
    >>> fehu.vmap(loss)([[1.0, 2.0], [0.0, 0.0]], [[3.0, 4.0], [1.0, 1.0]])
    array([100.,   1.])
    """
    params, types = list(function.types), [ty.lstrip("*") for ty in function.types.values()]
    if not params:
        raise Error("a function without arguments has nothing to map over")
    sizes = "".join(f"[{name}]" for name in ["batch", *_sizes(types)])
    declared = " ".join(f"({name}: [batch]{ty})" for name, ty in zip(params, types))
    applied = f"{function.__name__} {_copied(function)}"
    if len(params) <= 5:
        number = "" if len(params) == 1 else str(len(params))
        body = f"map{number} (\\{' '.join(params)} -> {applied}) {' '.join(params)}"
    else:
        body = f"map (\\{_pairs(params)} -> {applied}) {_zip(params)}"
    return _program(function, f"{function.__name__}_vmap", f"{sizes} {declared} = {body}", "vmap")


def _zip(names: list[str]) -> str:
    """One array of pairs of pairs."""
    return names[0] if len(names) == 1 else f"(zip {names[0]} {_zip(names[1:])})"


def _pairs(names: list[str]) -> str:
    """The pattern of its elements."""
    return names[0] if len(names) == 1 else f"({names[0]}, {_pairs(names[1:])})"


def _derived(function: Function, argnums: int | Sequence[int], value: bool) -> Function:
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    params, types = list(function.types), [ty.lstrip("*") for ty in function.types.values()]
    result = function.result.lstrip("*")
    if result not in _FLOATS:
        raise Error(f"only a float has a gradient, and {function.__name__} yields {result}")
    for number in numbers:
        if not 0 <= number < len(params):
            raise Error(f"{function.__name__} has no argument number {number}")
        elem = types[number].rsplit("]", 1)[-1]
        if elem not in _FLOATS:
            raise Error(f"there is no derivative by `{params[number]}`, which is of type {types[number]}")
    sizes = "".join(f"[{name}]" for name in _sizes(types))
    declared = " ".join(f"({name}: {ty})" for name, ty in zip(params, types))
    names = [params[number] for number in numbers]
    by = names[0] if len(names) == 1 else f"({', '.join(names)})"
    by_type = types[numbers[0]] if len(names) == 1 else f"({', '.join(types[number] for number in numbers)})"
    derive = "vjp2" if value else "vjp"
    body = f"{derive} (\\({by}: {by_type}) -> {function.__name__} {_copied(function)}) {by} 1"
    name = f"{function.__name__}_{'value_and_grad' if value else 'grad'}"
    return _program(function, name, f"{sizes} {declared} = {body}", "derivative")


def _copied(function: Function) -> str:
    """Its parameters as arguments of it; those that it consumes are copies."""
    return " ".join(f"(copy {name})" if ty.startswith("*") else name for name, ty in function.types.items())


def _sizes(types: list[str]) -> list[str]:
    found: list[str] = []
    for ty in types:
        for part in ty.split("[")[1:]:
            size = part.split("]")[0]
            if size.isidentifier() and size not in found:
                found.append(size)
    return found


def _program(function: Function, name: str, definition: str, what: str) -> Function:
    module = function.module
    source = f"{module.source}\n\nentry {name} {definition}\n"
    made = compile(source, module.backend, name=f"{module.name} ({what} of {function.__name__})")
    return made[name]
