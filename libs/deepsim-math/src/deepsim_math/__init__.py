# SPDX-License-Identifier: Apache-2.0
"""Vectors, rotations, poses, colours, rays, planes and frustums, as single values and in batch.

The classes hold single values as immutable Python floats; the modules `vectors`, `quaternions`,
`poses`, `twists`, `frustums` and `angles` provide the same operations on arrays. SI units, radians,
right-handed axes (x forward, y left, z up), quaternions x, y, z, w, fixed-axis roll, pitch, yaw.
"""

from . import angles, frustums, poses, quaternions, twists, vectors
from .functions import cross, distance, dot, look_rotation, project, rotate
from .interpolation import clamp, lerp, lerp_angle, lerp_angle_rad, slerp
from .shapes.frustum import Frustum
from .shapes.plane import Plane
from .shapes.ray import Ray
from .values.color import Color
from .values.coordinates import Point, Position, Vector3
from .values.material import Material
from .values.pose import Pose
from .values.rotation import Euler, Quaternion
from .values.twist import Twist

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
    "clamp",
    "cross",
    "distance",
    "dot",
    "frustums",
    "lerp",
    "lerp_angle",
    "lerp_angle_rad",
    "look_rotation",
    "poses",
    "project",
    "quaternions",
    "rotate",
    "slerp",
    "twists",
    "vectors",
]
