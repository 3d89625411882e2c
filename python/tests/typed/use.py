"""Calls with the types that `program.pyi` promises."""

import numpy as np
from numpy.typing import NDArray

import fehu

from . import program


def calls(xs: NDArray[np.float64], ys: NDArray[np.float32]) -> float:
    """What comes back has the type that the stub says."""
    found: fehu.Value = program.stats(xs)
    scaled, positive = program.scaled(ys, np.float32(2))
    picture: fehu.Picture = fehu.image(scaled)
    wrong = program.scaled(xs, np.float32(2))  # type: ignore[arg-type]
    total = fehu.define(r"\(xs: seq f64) -> seq.reduce (+) 0 xs")(fehu.progress([xs]))
    sizes: tuple[int, ...] = scaled.shape
    return float(found.mean) + sizes[0] + int(positive) + len(picture.png) + len(wrong) + float(total)
