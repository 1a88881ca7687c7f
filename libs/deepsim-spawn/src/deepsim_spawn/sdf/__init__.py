# SPDX-License-Identifier: Apache-2.0
"""SDF 1.3 to 1.11, read as Gazebo 11 (libsdformat) reads it."""

from __future__ import annotations

from .collision import read_friction
from .file import read_sdf
from .frames import MODEL, Frame, Scope
from .geometry import read_scale, unless_left_out
from .harmless import HARMLESS
from .joint import read_limits
from .material import read_material
from .model_folder import CONFIG, model_file, named_file, read_config
from .sensor import read_joint_sensor, read_plugin, read_sensor

__all__ = [
    "CONFIG",
    "HARMLESS",
    "MODEL",
    "Frame",
    "Scope",
    "model_file",
    "named_file",
    "read_config",
    "read_friction",
    "read_joint_sensor",
    "read_limits",
    "read_material",
    "read_plugin",
    "read_scale",
    "read_sdf",
    "read_sensor",
    "unless_left_out",
]
