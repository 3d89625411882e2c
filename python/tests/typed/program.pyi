import fehu
import numpy as np
from numpy.typing import NDArray

def stats(xs: NDArray[np.float64]) -> fehu.Value:
    "The mean, and how many there are.\n\nstats (xs: [n]f64) : stats"
def scaled(xs: NDArray[np.float32], k: np.float32) -> tuple[NDArray[np.float32], bool]:
    "scaled (xs: [n][m]f32) (k: f32) : ([][]f32, bool)"
