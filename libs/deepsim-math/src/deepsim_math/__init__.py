# SPDX-License-Identifier: Apache-2.0
"""Vectors, rotations, poses, colours, rays, planes and frustums, as single values and in batch.

The classes hold single values as immutable Python floats; the modules `vectors`, `quaternions`,
`poses`, `twists` and `angles` provide the same operations on arrays. SI units, radians,
right-handed axes (x forward, y left, z up), quaternions x, y, z, w, fixed-axis roll, pitch, yaw.
"""

from . import angles, poses, quaternions, twists, vectors
from .interpolation import lerp, lerp_angle, lerp_angle_rad, slerp
from .shapes import Frustum, Plane, Ray
from .values.color import Color, Material
from .values.coordinates import Point, Position, Vector3
from .values.pose import Pose
from .values.rotation import Euler, Quaternion
from .values.twist import Twist

__version__ = "0.4.4"

__all__ = [
    "Color",
    "Euler",
    "Frustum",
    "Material",
    "Plane",
    "Point",
    "Pose",
    "Position",
    "Quaternion",
    "Ray",
    "Twist",
    "Vector3",
    "angles",
    "lerp",
    "lerp_angle",
    "lerp_angle_rad",
    "poses",
    "quaternions",
    "slerp",
    "twists",
    "vectors",
]
