# SPDX-License-Identifier: Apache-2.0
"""What a collider may be attached to."""

from __future__ import annotations

from typing import Protocol

from deepsim_math import Pose


class PoseSource(Protocol):
    """Anything that has a pose in the world frame: a transform, a body, a test double."""

    @property
    def pose(self) -> Pose:
        """Pose in the world frame, read anew by each query."""
