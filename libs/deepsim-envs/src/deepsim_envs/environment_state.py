# SPDX-License-Identifier: Apache-2.0
"""Snapshots of an environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import WorldState


@dataclass(frozen=True)
class EnvironmentState:
    """An instant between two steps; `Environment.set_state` goes back to it.

    It can be pickled, and set in another environment of the same task with as many worlds.

    Attributes:
        world: The world, with all behaviours and agents.
        area: The result of the area's `get_state`.
        observation: The latest observations, or None before the first reset.
        steps: (W,) environment steps in the episode of each world.
        live: (W, A) bool, the agents that are not done.
        no_step_because: Why no step can follow without a reset, or None.
        first_seed: Seed of the first reset, if that is still to come.
        reward_terms: What reward terms gave in the latest step and in the episodes.
    """

    world: WorldState
    area: Any
    observation: Sequence[Any] | None
    steps: NDArray[np.int64]
    live: NDArray[np.bool_]
    no_step_because: str | None
    first_seed: int | Sequence[int | None] | None
    reward_terms: NDArray[np.float64] | None = None
