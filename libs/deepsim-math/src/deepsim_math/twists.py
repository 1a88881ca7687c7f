# SPDX-License-Identifier: Apache-2.0
"""Arrays of twists vx, vy, vz, wx, wy, wz, shape (..., 6): the methods of Twist in batch.

Leading axes broadcast; float32 is kept when all array arguments are float32. NumPy adds and
scales twists, and `poses.transform_twists` changes their frame. A quaternion of zero length raises
ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._blocks import functions_of, run
from .formulas import motions as formulas

if TYPE_CHECKING:
    from ._typing import F, Floats, NDArray


def __dir__() -> list[str]:
    return functions_of(globals())


def rotate(q: Floats[F], twist: Floats[F]) -> NDArray[F]:
    """Rotates linear and angular velocities by quaternions `q` (..., 4); see `Twist.rotate`."""
    return run(formulas.rotate_twist, (q, twist), (4, 6), 6)


def velocity_at(twist: Floats[F], points: Floats[F]) -> NDArray[F]:
    """Returns velocities (..., 3) of the rigid bodies' points (..., 3); see `Twist.velocity_at`."""
    return run(formulas.velocity_at, (twist, points), (6, 3), 3)
