# SPDX-License-Identifier: Apache-2.0
"""What is asked of the names and poses of models before they are spawned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deepsim_math import Pose

from .changes import checked_cells
from .entities import SCOPE, Names
from .errors import SpawnError
from .frames import WORLD_FRAMES


def checked_poses(names: Sequence[str], poses: Sequence[Pose]) -> list[Pose]:
    """Poses of new models as a simulator takes them, if their names can be used.

    Args:
        names: Of the models.
        poses: Of their frames in the world, one for each name.

    Raises:
        SpawnError: A name cannot be used.
        TypeError: A name is no str.
        ValueError: A pose is not finite, or its quaternion is zero.
    """
    for name in names:
        _check_name(name)
    rows = np.arange(len(names))
    return [*map(Pose.from_array, checked_cells(Names("models", names), "pose", rows, poses))]


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a model's name is a str, got {name!r}")
    if not name or not name.isprintable() or SCOPE in name:
        raise SpawnError(name, f"a model's name is printable, not empty, and has no {SCOPE!r}")
    if name in WORLD_FRAMES:
        raise SpawnError(name, "that is a name of the world frame")
