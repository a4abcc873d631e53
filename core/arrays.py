"""Names for the types of arrays, vectors and quaternions. What an array holds and its shape are said where it is used."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int_]

# Single ones as plain tuples: x, y, z and w, x, y, z.
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
