# SPDX-License-Identifier: Apache-2.0
"""Type aliases of the signatures, for type checkers only: Python 3.8 cannot build them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray as NDArray  # for the modules that import these

from ._value import Row
from .values.color import Color
from .values.coordinates import Coordinates
from .values.pose import Pose
from .values.rotation import Euler, Quaternion

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # every type checker has its stubs

F = TypeVar("F", bound="np.floating[Any]", default=np.float64)

# Arrays of one float dtype, and whatever adapts to it; without such an array it is float64.
Floats = Union[
    NDArray[F],
    NDArray[np.integer[Any]],
    NDArray[np.bool_],
    Row,
    Sequence[Any],
    float,
    "np.number[Any]",
]
FloatArray = NDArray[np.float64]
Numbers = Union[Sequence[float], NDArray[Any]]
VectorLike = Union[Coordinates, Numbers]
RotationLike = Union[Quaternion, Euler, Numbers]
PoseLike = Union[Pose, Numbers]
ColorLike = Union[Color, Numbers]
