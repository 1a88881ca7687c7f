# SPDX-License-Identifier: Apache-2.0
"""SDF 1.3 to 1.11, read as Gazebo 11 (libsdformat) reads it."""

from __future__ import annotations

from .file import read_sdf
from .frames import Frame, Scope
from .material import read_material
from .sensor import read_sensor

__all__ = ["Frame", "Scope", "read_material", "read_sdf", "read_sensor"]
