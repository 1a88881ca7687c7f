# SPDX-License-Identifier: Apache-2.0
"""Vectors, rotations, poses, colours, rays, planes and frustums, one at a time and in batch.

The classes hold one value as immutable Python floats; the modules `vectors`, `quaternions`,
`poses`, `frustums` and `angles` do the same on arrays. SI units, radians, right-handed axes
(x forward, y left, z up), quaternions as x, y, z, w and fixed-axis roll, pitch, yaw everywhere.
"""

from . import angles, frustums, poses, quaternions, vectors
from .color import Color
from .frustum import Frustum
from .functions import cross, distance, dot, look_rotation, project, rotate
from .interpolation import clamp, lerp, lerp_angle, lerp_angle_rad, slerp
from .material import Material
from .plane import Plane
from .point import Point, Position
from .pose import Pose
from .ray import Ray
from .rotation import Euler, Quaternion
from .twist import Twist
from .vector3 import Vector3

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
    "vectors",
]
