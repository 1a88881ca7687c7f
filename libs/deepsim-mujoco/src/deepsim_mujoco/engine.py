# SPDX-License-Identifier: Apache-2.0
"""The one door to the mujoco package.

``import mujoco`` loads the GL platform that MUJOCO_GL names, and fails when it is missing. Nothing
here needs it, so the variable is hidden while mujoco is imported.
"""

from __future__ import annotations

import os

_platform = os.environ.pop("MUJOCO_GL", None)
try:
    import mujoco
finally:
    if _platform is not None:
        os.environ["MUJOCO_GL"] = _platform

__all__ = ["mujoco"]
