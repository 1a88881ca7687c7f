# SPDX-License-Identifier: Apache-2.0
"""SDF paths of the fields of descriptions, shared by the reader and the writer of SDF."""

from __future__ import annotations

from typing import Final, TypeAlias

Tags: TypeAlias = dict[str, str]
"""Paths of elements by field name."""


def _same(*names: str, within: str = "") -> Tags:
    """Returns the tags of fields that have the same name in SDF."""
    return {name: within + name for name in names}


LIGHT: Final = _same("cast_shadows", "diffuse", "specular", "direction")
ATTENUATION: Final = _same("range", "constant", "linear", "quadratic", within="attenuation/")
SPOT: Final = _same("inner_angle", "outer_angle", "falloff", within="spot/")

MOMENTS: Final = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The elements of an inertia tensor, row by row, by their names in SDF and URDF."""
LINK: Final = _same("gravity", "kinematic")
VELOCITY_DECAY: Final = _same("linear", "angular", within="velocity_decay/")
SURFACE: Final = {
    "mu": "surface/friction/ode/mu",
    "mu2": "surface/friction/ode/mu2",
    "collide_bitmask": "surface/contact/collide_bitmask",
}
RARE_SURFACE: Final = {  # written only where it is not the default
    "torsional_mu": "surface/friction/torsional/coefficient",
    "patch_radius": "surface/friction/torsional/patch_radius",
    "rolling_mu": "surface/friction/bullet/rolling_friction",
    "velocity": "surface/velocity",  # not part of SDF; Gazebo 11 ignores it with a warning
    "restitution": "surface/bounce/restitution_coefficient",
}
BOUNCING: Final = {
    "surface/bounce/threshold": 0.0,
    "surface/contact/ode/kp": 2.5e10,
    "surface/contact/ode/kd": 1e8,
    "surface/contact/ode/max_vel": 100.0,
}
"""With these settings a ball in Gazebo 11 bounces according to its restitution, within 0.003 at
steps of 1 and 2 ms. By default nothing bounces: a bounce needs a speed of 100000 m/s, and
corrections are limited to 0.01 m/s. Without that limit, Gazebo's hard contacts return 0.75 of the
speed whatever the restitution is, so these settings also make them softer.
"""
DYNAMICS: Final = _same(
    "damping", "friction", "spring_stiffness", "spring_reference", within="dynamics/"
)

HEIGHTMAP: Final = {"size": "size", "position": "pos"}

CAMERA: Final = {
    "horizontal_fov": "horizontal_fov",
    "width": "image/width",
    "height": "image/height",
    "near": "clip/near",
    "far": "clip/far",
}
NOISE: Final = {
    **_same("mean", "stddev", "bias_mean", "bias_stddev"),
    "drift_stddev": "dynamic_bias_stddev",
    "drift_time": "dynamic_bias_correlation_time",
}
QUANTIZED: Final = _same("precision")

PHYSICS: Final = _same("max_step_size", "real_time_factor")
MUJOCO: Final = _same(
    "integrator",
    "cone",
    "impratio",
    "contact_steps",
    "contact_damping",
    "contact_impedance",
    within="mujoco/",
)
SCENE: Final = _same("ambient", "background", "shadows", within="scene/")
