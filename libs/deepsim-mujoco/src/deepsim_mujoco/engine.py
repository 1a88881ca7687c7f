# SPDX-License-Identifier: Apache-2.0
"""The one door to the mujoco package.

``import mujoco`` loads the GL platform that MUJOCO_GL names, or GLFW, and fails when it is missing.
Nothing here needs one before a picture is taken, so GL is switched off while mujoco is imported.
What MuJoCo warns of goes to the logger ``deepsim_mujoco``.
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
