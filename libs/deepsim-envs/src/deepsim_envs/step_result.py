# SPDX-License-Identifier: Apache-2.0
"""The results of a step: on arrays, and by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Step(NamedTuple):
    """The result of `Environment.step_worlds`, for A agents in W worlds; all arrays are new.

    Agents that did not take part earn and end nothing.
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

    Gymnasium and PettingZoo return five values of another meaning: there, termination and
    truncation are values of their own. Here, `done` is either, and `info` tells them apart.
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
