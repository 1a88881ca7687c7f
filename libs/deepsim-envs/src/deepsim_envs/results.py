# SPDX-License-Identifier: Apache-2.0
"""The results of an environment: steps on arrays and by name, and snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import WorldState


class Step(NamedTuple):
    """The result of `Environment.step_worlds`, for A agents in W worlds.

    For agents that did not take part, rewards are 0, and terminated and truncated are false.

    >>> environment = make(worlds=2)
    >>> observation = environment.reset_worlds(seed=7)
    >>> step = environment.step_worlds([np.array([[[1.0]], [[-1.0]]], np.float32)])
    >>> step.reward.tolist(), step.truncated.tolist()
    ([[0.5], [-0.5]], [[False], [False]])
    """

    observation: tuple[Any, ...]
    """The observations after the step: a batch (W, A_g, ...) for each group of A_g agents."""
    reward: NDArray[np.float64]
    """The rewards, (W, A)."""
    terminated: NDArray[np.bool_]
    """Whether the step ended the agent's episode, (W, A)."""
    truncated: NDArray[np.bool_]
    """Whether the step cut the agent's episode off, for example by a time limit, (W, A)."""


class StepResult(NamedTuple):
    """The five values of ``step`` in the DeepSim paper, for the agents that were live before it.

    Agents that join in the step are included, with their first observation, a reward of 0 and no
    last action.

    These are not the five values of Gymnasium and PettingZoo, which separate termination and
    truncation. Here, `done` covers both, and `info` has the details.

    >>> environment = make()
    >>> observation, info = environment.reset(seed=7)
    >>> result = environment.step({"puck": [1.0]})
    >>> result.reward, result.done
    ({'puck': 0.5}, {'puck': False})
    """

    observation: dict[str, Any]
    """The observation of each agent after the step."""
    reward: dict[str, float]
    """The sum of each agent's rewards in the step."""
    done: dict[str, bool]
    """Whether the episode of each agent ended in the step."""
    last_action: dict[str, Any]
    """The action of each agent; an `AbstractAgent` may have replaced its own."""
    info: dict[str, Any]
    """The area's info; ``info["deepsim"]`` has ``"terminated"``, ``"truncated"`` and
    ``"diverged"``, each a dict of bool by name."""


@dataclass(frozen=True)
class EnvironmentState:
    """A snapshot of an environment between two steps, for `Environment.set_state`.

    It can be pickled, and restored in another environment of the same task with the same number of
    worlds.

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
        steps: Environment steps in the episode of each world, (W,).
        live: Whether each agent takes part and is not done, (W, A) bool.
        no_step_because: The reason why a reset is needed before the next step, or None.
        first_seed: Seed of the first reset, if there has been none yet.
        reward_terms: The values of reward terms in the latest step and in the episodes.
        waiting: Whether each agent has yet to join, (W, A) bool.
        levels: The levels of worlds, and whether each world has begun an episode.
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
