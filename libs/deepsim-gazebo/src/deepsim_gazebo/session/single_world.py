# SPDX-License-Identifier: Apache-2.0
"""Checks of world numbers: Gazebo has one world, number 0."""

from __future__ import annotations

import numpy as np

from deepsim_sync import WorldNumbers


def is_chosen(worlds: WorldNumbers | None) -> bool:
    """Returns whether the only world is among the chosen ones.

    Raises:
        ValueError: Another world is chosen.
    """
    numbers = [0] if worlds is None else np.asarray(worlds).tolist()
    if numbers not in ([], [0]):
        raise ValueError(f"Gazebo has one world, number 0, got {numbers}")
    return bool(numbers)


def check_world(world: int) -> None:
    """Checks that a world number is 0, that of the only world.

    Raises:
        ValueError: The number of the world is not 0.
    """
    if world != 0:
        raise ValueError(f"Gazebo has one world, number 0, got {world}")
