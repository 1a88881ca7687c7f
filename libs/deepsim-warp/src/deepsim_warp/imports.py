# SPDX-License-Identifier: Apache-2.0
"""The only import of the packages warp and mujoco_warp.

Warp would print a banner and each kernel module that it loads, also into the output of commands.
"""

from __future__ import annotations

import warp as wp

wp.config.log_level = wp.LOG_WARNING

import mujoco_warp as mjw  # noqa: E402 (it would print before)
from mujoco_warp._src.collision_core import contact_material_params  # noqa: E402
from mujoco_warp._src.types import vec5  # noqa: E402

__all__ = ["contact_material_params", "mjw", "vec5", "wp"]
