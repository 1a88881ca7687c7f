# SPDX-License-Identifier: Apache-2.0
"""Actions and observations of many worlds, brought to the types of their space."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space
from numpy.typing import NDArray

from .errors import ActionError
from .spaces import conform, require_within

Bools = NDArray[np.bool_]


def require_plain(space: Space[Any], what: str) -> None:
    """Refuses a space whose members are no single array.

    Raises:
        TypeError: It is another kind.
    """
    if not isinstance(space, (Box, Discrete, MultiBinary, MultiDiscrete)):
        raise TypeError(
            f"{what} must be a Box, Discrete, MultiBinary or MultiDiscrete in many worlds at once, "
            f"got {space}"
        )


def checked_actions(agent: str, space: Space[Any], actions: Any, needed: Bools) -> NDArray[Any]:
    """A copy of a batch of actions in the type of their space, (W, ...).

    Args:
        agent: Whose they are.
        space: Of one world.
        actions: One for each world.
        needed: (W,) whose actions count; those of all others are not looked at.

    Raises:
        ActionError: There are more or fewer than worlds, or one does not lie in the space; the
            message names the world.
    """
    worlds = len(needed)
    try:
        given = len(actions)
    except TypeError:
        raise ActionError(
            agent, f"{worlds} worlds take {worlds} actions, got {actions!r}"
        ) from None
    if given != worlds:
        raise ActionError(agent, f"{worlds} worlds take {worlds} actions, got {given}")
    if isinstance(space, Box) and space.dtype.kind == "f" and isinstance(actions, np.ndarray):
        batch = _checked_floats(space, actions, needed)
        if batch is not None:
            return batch
    checked = np.zeros((worlds, *(space.shape or ())), dtype=space.dtype)
    for number in np.flatnonzero(needed).tolist():
        what = f"action of world {number}"
        try:
            checked[number] = conform(space, actions[number], what)
            require_within(space, checked[number], what)
        except ValueError as error:
            raise ActionError(agent, str(error)) from None
    return checked


def _checked_floats(space: Box, actions: NDArray[Any], needed: Bools) -> NDArray[Any] | None:
    """All at once; None if one may be wrong, which the slow way then says."""
    if actions.dtype.kind not in "fiu" or actions.shape != (len(needed), *space.shape):
        return None
    with np.errstate(over="ignore"):
        batch: NDArray[Any] = actions.astype(space.dtype)
    within = (batch >= space.low) & (batch <= space.high)
    fine = within.reshape(len(needed), -1).all(axis=1) | ~needed
    return batch if fine.all() else None


def world_values(value: Any, worlds: int, what: str) -> NDArray[Any]:
    """A copy of an array with an entry for each world.

    Raises:
        ValueError: It has another length.
    """
    array = np.array(value)
    if array.shape[:1] != (worlds,):
        raise ValueError(f"{what} must have shape ({worlds}, ...), got {array.shape}")
    # Gymnasium keeps texts as objects.
    return array.astype(object) if array.dtype.kind in "US" else array
