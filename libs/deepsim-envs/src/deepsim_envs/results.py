# SPDX-License-Identifier: Apache-2.0
"""Results of an environment: steps on arrays and by name, and snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import WorldState


class Step(NamedTuple):
    """The result of `Environment.step_worlds`, for A agents in W worlds; all arrays are new.

    Agents that did not take part earn and end nothing.

    >>> environment = make(worlds=2)
    >>> observation = environment.reset_worlds(seed=7)
    >>> step = environment.step_worlds([np.array([[[1.0]], [[-1.0]]], np.float32)])
    >>> step.reward.tolist(), step.truncated.tolist()
    ([[0.5], [-0.5]], [[False], [False]])
    """

    observation: tuple[Any, ...]
    """A batch for each group of agents, (W, A_g, ...), after the step."""
    reward: NDArray[np.float64]
    """(W, A)."""
    terminated: NDArray[np.bool_]
    """(W, A): the step ended the agent's episode."""
    truncated: NDArray[np.bool_]
    """(W, A): the step cut the agent's episode off, as a time limit does."""


class StepResult(NamedTuple):
    """The five values of the paper's ``step``, for the agents that were live before it.

    An agent that joins in the step is among them too, with its first observation, a reward of 0 and
    no last action.

    Gymnasium and PettingZoo return five values of another meaning: there, termination and
    truncation are separate. Here, `done` is either, and `info` has both.

    >>> environment = make()
    >>> observation, info = environment.reset(seed=7)
    >>> result = environment.step({"puck": [1.0]})
    >>> result.reward, result.done
    ({'puck': 0.5}, {'puck': False})
    """

    observation: dict[str, Any]
    """The observation of each agent after the step; the last one of an agent that is done."""
    reward: dict[str, float]
    """The sum of each agent's rewards in the step."""
    done: dict[str, bool]
    """Whether the episode of each agent ended in the step."""
    last_action: dict[str, Any]
    """The action that each agent was given, unless the agent changed it."""
    info: dict[str, Any]
    """The area's information; ``info["deepsim"]`` holds ``"terminated"``, ``"truncated"`` and
    ``"diverged"``, each a dict of bool by name."""


@dataclass(frozen=True)
class EnvironmentState:
    """An instant between two steps; `Environment.set_state` goes back to it.

    It can be pickled, and set in another environment of the same task with as many worlds.

    >>> environment = make()
    >>> observation, info = environment.reset(seed=7)
    >>> state = environment.get_state()
    >>> first = environment.step({"puck": [1.0]}).reward
    >>> environment.set_state(state)
    >>> environment.step({"puck": [1.0]}).reward == first
    True

    Attributes:
        world: The world, with all behaviours and agents.
        area: The result of the area's `get_state`.
        observation: The latest observations, or None before the first reset.
        steps: (W,) environment steps in the episode of each world.
        live: (W, A) bool, the agents that are not done.
        no_step_because: Why no step can follow without a reset, or None.
        first_seed: Seed of the first reset, if that is still to come.
        reward_terms: The values of reward terms in the latest step and in the episodes.
        waiting: (W, A) bool, the agents that have yet to join.
        levels: The levels of worlds, and which of them have begun an episode.
    """

    world: WorldState
    area: Any
    observation: Sequence[Any] | None
    steps: NDArray[np.int64]
    live: NDArray[np.bool_]
    no_step_because: str | None
    first_seed: int | Sequence[int | None] | None
    reward_terms: NDArray[np.float64] | None = None
    waiting: NDArray[np.bool_] | None = None
    levels: tuple[NDArray[np.int64], NDArray[np.bool_]] | None = None
