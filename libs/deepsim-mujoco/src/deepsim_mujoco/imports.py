# SPDX-License-Identifier: Apache-2.0
"""The only import of the mujoco package.

``import mujoco`` loads the GL platform named by MUJOCO_GL, or GLFW, and fails if it is missing. No
GL is needed before the first picture, so it is switched off during the import. MuJoCo's warnings go
to the logger ``deepsim_mujoco``.
"""

from __future__ import annotations

import logging
import os

_platform = os.environ.get("MUJOCO_GL")
os.environ["MUJOCO_GL"] = "disable"
try:
    import mujoco
    from mujoco.batch import Batch
    from mujoco.batch import SimulationError as BatchError
finally:
    if _platform is None:
        del os.environ["MUJOCO_GL"]
    else:
        os.environ["MUJOCO_GL"] = _platform

if mujoco.get_mju_user_warning() is None:
    # Otherwise MuJoCo writes MUJOCO_LOG.TXT into the current folder.
    mujoco.set_mju_user_warning(logging.getLogger("deepsim_mujoco").warning)

__all__ = ["Batch", "BatchError", "mujoco"]
