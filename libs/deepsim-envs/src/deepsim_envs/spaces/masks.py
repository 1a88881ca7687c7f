# SPDX-License-Identifier: Apache-2.0
"""Parts of observations with a special meaning: action masks and goals.

Masks follow PettingZoo: an observation is a dict with ``"action_mask"``, one integer for each value
of a discrete action, 1 if it is allowed and 0 if not. A `Discrete` action is one *choice*, a
`MultiDiscrete` action several; the mask lists the values of all choices one after the other. Goals
follow Gymnasium-Robotics: a dict with ``"achieved_goal"`` and ``"desired_goal"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

MASK = "action_mask"
GOALS = frozenset(("achieved_goal", "desired_goal"))


def choices_of(space: spaces.Space[Any]) -> tuple[int, ...]:
    """Returns the number of values of each choice; () for actions that are not discrete."""
    if isinstance(space, spaces.Discrete):
        return (int(space.n),)
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        return tuple(space.nvec.tolist())
    return ()


def has_action_mask(seen: spaces.Space[Any], acted: spaces.Space[Any]) -> bool:
    """Returns whether observations of the space `seen` hold a mask for actions of `acted`.

    Raises:
        ValueError: The mask does not fit the actions.
    """
    counts = choices_of(acted)
    mask = seen.spaces.get(MASK) if isinstance(seen, spaces.Dict) else None
    if mask is None or not counts:
        return False
    if mask.shape != (sum(counts),) or np.dtype(mask.dtype).kind not in "biu":
        raise ValueError(
            f"the observation {MASK!r} must have an integer for each of the {sum(counts)} values "
            f"of {acted}, as MultiBinary({sum(counts)}) has, got {mask}"
        )
    return True


def allowed(observations: Any, acted: spaces.Space[Any], rows: int) -> NDArray[np.bool_]:
    """Returns which values observations allow, (rows, n) bool; all if they have no mask.

    Raises:
        TypeError: The actions are not discrete.
    """
    count = sum(choices_of(acted))
    if not count:
        raise TypeError(f"only choices have masks, got actions of {acted}")
    if not isinstance(observations, Mapping) or MASK not in observations:
        return np.ones((rows, count), np.bool_)
    return np.array(observations[MASK], np.bool_).reshape(rows, count)


def forbidden_choice(mask: NDArray[Any], acted: spaces.Space[Any]) -> int | None:
    """Returns the index of the first choice without an allowed value in a mask (n,), or None."""
    parts = np.split(mask, np.cumsum(choices_of(acted))[:-1])
    return next((number for number, part in enumerate(parts) if not part.any()), None)


def sample_allowed(acted: spaces.Space[Any], observation: Any) -> Any:
    """Samples an action; if the observation has a mask, an action that the mask allows.

    Raises:
        ValueError: The mask forbids all values of a choice.
    """
    counts = choices_of(acted)
    if not counts or not isinstance(observation, Mapping) or MASK not in observation:
        return acted.sample()
    mask = np.asarray(observation[MASK]).astype(np.int8)
    if forbidden_choice(mask, acted) is not None:
        raise ValueError(f"an action mask must allow a value of each choice, got {mask.tolist()}")
    if isinstance(acted, spaces.Discrete):
        return acted.sample(mask=mask)
    return acted.sample(mask=tuple(np.split(mask, np.cumsum(counts)[:-1])))
