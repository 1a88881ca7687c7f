# SPDX-License-Identifier: Apache-2.0
"""Type aliases of the signatures, for type checkers only: Python 3.8 cannot build them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._coordinates import Coordinates
from .color import Color
from .rotation import Euler, Quaternion

FloatArray = NDArray[np.floating[Any]]
Numbers = Union[Sequence[float], NDArray[Any]]
VectorLike = Union[Coordinates, Numbers]
RotationLike = Union[Quaternion, Euler, Numbers]
ColorLike = Union[Color, Numbers]

__all__ = ["ArrayLike", "ColorLike", "FloatArray", "Numbers", "RotationLike", "VectorLike"]
