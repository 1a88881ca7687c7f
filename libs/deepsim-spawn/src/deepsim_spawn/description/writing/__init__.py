# SPDX-License-Identifier: Apache-2.0
"""Descriptions as SDF 1.7, the newest that Gazebo 11 reads: a module per concept, as in reading.

The poses of a description are resolved, so nothing is written `relative_to` another frame. Worlds,
models and lights import these modules for their `to_sdf()`; these name the classes in annotations
only.
"""

from __future__ import annotations

from .document import document
from .light import write_light
from .model import write_model
from .world import write_world

__all__ = ["document", "write_light", "write_model", "write_world"]
