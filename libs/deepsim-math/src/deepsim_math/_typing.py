# SPDX-License-Identifier: Apache-2.0
"""Type aliases of the signatures, for type checkers only: Python 3.8 cannot build them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .values.color import Color
from .values.coordinates import Coordinates
from .values.pose import Pose
from .values.rotation import Euler, Quaternion

FloatArray = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]
Numbers = Union[Sequence[float], NDArray[Any]]
VectorLike = Union[Coordinates, Numbers]
RotationLike = Union[Quaternion, Euler, Numbers]
PoseLike = Union[Pose, Numbers]
ColorLike = Union[Color, Numbers]

__all__ = [
    "ArrayLike",
    "BoolArray",
    "ColorLike",
    "FloatArray",
    "Numbers",
    "PoseLike",
    "RotationLike",
    "VectorLike",
]
