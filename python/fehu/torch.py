"""Functions of programs in networks of PyTorch, with derivatives, which are the language's own.

    loss = fehu.torch.wrap(module.loss)
    loss(w, x).backward()

Tensors of the processor are read where they are, and results are tensors in the memory of the program; on a GPU the same holds for modules
of the back end "cuda". What is wrapped has first derivatives: a gradient of a gradient is refused, when it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ._errors import ArgumentError, Error
from ._module import Function, annotation
from ._transform import differentiable, vjp

# It need not be installed for types to be checked.
torch: Any = importlib.import_module("torch")


def wrap(function: Function, derivative: Function | None = None) -> Callable[..., Any]:
    """The function for tensors, as an operation that PyTorch differentiates: in a module, a loss, or anywhere else.

    Its result must be a float or an array of floats, if it is to be differentiated. `derivative` is an entry point that takes the same
    arguments and a cotangent of the result, and yields the cotangents of those arguments that are floats; by default, `fehu.vjp` makes it.
    """
    numbers = differentiable(function) if _is_float(function.result) else []
    names = list(function.types)
    made: list[Function] = [derivative] if derivative is not None else []

    class Gradient(torch.autograd.Function):  # type: ignore[misc]
        """The cotangents of the arguments that are floats, as an operation of its own: PyTorch knows what it depends on, and asks."""

        @staticmethod
        def forward(ctx: Any, *args_and_cotangent: Any) -> Any:
            if not made:
                made.append(vjp(function, numbers))
            return _called(made[0], args_and_cotangent)

        @staticmethod
        def backward(ctx: Any, *_: Any) -> Any:
            raise Error(f"{function.__name__} has first derivatives here, and a gradient of its gradient was asked for; write that in the program, with vjp of vjp")

    class Operation(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            ctx.save_for_backward(*(arg for arg in args if isinstance(arg, torch.Tensor)))
            ctx.others = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
            return _called(function, args)

        @staticmethod
        def backward(ctx: Any, cotangent: Any) -> Any:
            saved = iter(ctx.saved_tensors)
            args = [next(saved) if arg is None else arg for arg in ctx.others]
            found = Gradient.apply(*args, cotangent)
            by_number = dict(zip(numbers, found if isinstance(found, tuple) else (found,)))
            # Arguments that are no tensors have no gradient, and those that nobody asks for need none.
            return tuple(by_number.get(i) if asked else None for i, asked in enumerate(ctx.needs_input_grad))

    def call(*args: Any, **named: Any) -> Any:
        if named:
            args = _in_order(function, names, args, named)
        asked = [i for i, arg in enumerate(args) if isinstance(arg, torch.Tensor) and arg.requires_grad]
        if not asked or not torch.is_grad_enabled():
            return _called(function, args)
        wrong = [names[i] for i in asked if i < len(names) and i not in numbers]
        if wrong:
            raise Error(f"there is no derivative of {function.signature} by `{wrong[0]}`: detach it")
        return Operation.apply(*args)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def _in_order(function: Function, names: list[str], args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    rest = names[len(args) :]
    if set(rest) != set(named):
        raise ArgumentError(f"{function.__name__} takes {', '.join(names)}; got {len(args)} arguments, and {', '.join(named)}")
    return (*args, *(named[name] for name in rest))


def _called(function: Function, args: Any) -> Any:
    """Calls the function with tensors as they are, and with tensors without dimensions as numbers; results are tensors."""
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    types = [*function.types.values()]
    given = [_plain(arg, ty) for arg, ty in zip(args, types)] + list(args[len(types) :])
    device = next((tensor.device for tensor in tensors if tensor.dim() > 0), tensors[0].device if tensors else None)
    return _as_tensor(function(*given), device)


def _plain(arg: Any, ty: str) -> Any:
    if not isinstance(arg, torch.Tensor):
        return arg
    arg = arg.detach()
    if arg.dim() > 0 or ty.lstrip("*").startswith("["):
        return arg
    wanted = annotation(ty).removeprefix("np.")
    if str(arg.dtype).removeprefix("torch.") != wanted:
        raise ArgumentError(f"expected {ty} ({wanted}), got a tensor of {arg.dtype}; convert it with .to(torch.{wanted})")
    return arg.item()


def _as_tensor(value: Any, device: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_as_tensor(part, device) for part in value)
    if isinstance(value, torch.Tensor) or not hasattr(value, "dtype"):
        return value
    if getattr(value, "ndim", 0) == 0:
        return torch.tensor(value.item(), dtype=getattr(torch, str(value.dtype)), device=device)
    return torch.from_dlpack(value)


def _is_float(ty: str) -> bool:
    return ty.rsplit("]", 1)[-1].lstrip("*") in ("f16", "f32", "f64")
