"""Names for the types of arrays, vectors and quaternions. What an array holds and its shape are said where it is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int_]

# Single ones as plain tuples: x, y, z and w, x, y, z.
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
