# SPDX-License-Identifier: Apache-2.0
"""Writes descriptions as SDF 1.7, the newest version that Gazebo 11 reads.

Poses are resolved, so nothing is written `relative_to` another frame. Worlds, models and lights
import these modules for their `to_sdf()`, so the modules import those classes for annotations only.
"""

from __future__ import annotations

from .document import document
from .link import write_light
from .world import write_model, write_world

__all__ = ["document", "write_light", "write_model", "write_world"]
