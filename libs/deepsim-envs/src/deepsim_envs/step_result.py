# SPDX-License-Identifier: Apache-2.0
"""What a step of an environment returns."""

from __future__ import annotations

from typing import Any, NamedTuple


class StepResult(NamedTuple):
    """The five values of the paper's ``step``, for the agents that were live before it.

    Gymnasium and PettingZoo return five values of another meaning: there, termination and
    truncation are values of their own. Here, `done` is either, and `info` tells them apart.
    """

    observation: dict[str, Any]
    """What each agent observes after the step; its last observation if it is done."""
    reward: dict[str, float]
    """The sum of what each agent earned in the step."""
    done: dict[str, bool]
    """Whether the episode of each agent ended in the step."""
    last_action: dict[str, Any]
    """What each agent did: the action that it was given, unless the agent changed it."""
    info: dict[str, Any]
    """The area's information; ``info["deepsim"]`` holds ``"terminated"`` and ``"truncated"``,
    each a dict of bool by agent."""
