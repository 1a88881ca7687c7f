# SPDX-License-Identifier: Apache-2.0
"""What an environment remembers of an instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deepsim_sync import WorldState


@dataclass(frozen=True)
class EnvironmentState:
    """An instant between two steps; `Environment.set_state` goes back to it.

    It can be pickled, and set in another environment of the same task.

    Attributes:
        world: The world, with all behaviours and agents.
        area: What the area's `get_state` returned.
        steps: Environment steps in the episode.
        live: Names of the agents that were not done.
        no_step_because: Why no step can follow without a reset, or None.
        first_seed: Seed of the first reset, if that is still to come.
    """

    world: WorldState
    area: Any
    steps: int
    live: tuple[str, ...]
    no_step_because: str | None
    first_seed: int | None
