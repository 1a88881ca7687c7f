# SPDX-License-Identifier: Apache-2.0
"""Steps worlds, and resets within a step those whose episodes are over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from deepsim_envs.area import Bools
from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.results import Step
from deepsim_envs.viewing import own_info

Infos = Sequence[Mapping[str, Any]]
"""The info of each agent, as arrays over worlds."""


class Outcome(NamedTuple):
    """A step of all worlds, and the reset of those whose episodes it ended."""

    step: Step
    live: Bools
    """(W, A), the agents that took part in the step."""
    over: Bools
    """(W,), the worlds that were reset after it."""
    diverged: Bools
    """(W,), the worlds whose physics diverged."""
    infos: Infos
    """As of the end of the step; empty where no agent is done."""
    seen: tuple[Any, ...]
    """Observations after the resets, a batch for each group."""
    first_infos: Infos
    """As of the resets; empty where no world was reset."""


class AutoReset:
    """An environment whose worlds are reset within the step that ends their episodes.

    Args:
        environment: The task.
        game_over: Whether an episode is over when all agents are done, or when any is.

    Raises:
        ValueError: `game_over` is neither.
    """

    def __init__(
        self, environment: Environment | JoinedEnvironment, game_over: Literal["all", "any"]
    ) -> None:
        if game_over not in ("all", "any"):
            raise ValueError(f"game_over must be 'all' or 'any', got {game_over!r}")
        self._environment = environment
        self._game_over = game_over

    def reset(self, seeds: Sequence[int | None] | None) -> tuple[tuple[Any, ...], Infos]:
        """Begins an episode in all worlds; returns observations and infos."""
        return self._environment.reset_worlds(seeds), self._infos()

    def step(self, actions: Sequence[Any]) -> Outcome:
        """Steps all worlds once.

        Args:
            actions: A batch (W, A_g, ...) for each group.
        """
        live = self._environment.live
        step = self._environment.step_worlds(actions)
        diverged = self._environment.diverged
        done = step.terminated | step.truncated
        over: Bools = (
            np.logical_or.reduce(done, axis=1)
            if self._game_over == "any"
            else ~np.logical_or.reduce(self._environment.live, axis=1)
        )
        infos = self._infos() if done.any() else ()
        if not over.any():
            return Outcome(step, live, over, diverged, infos, step.observation, ())
        seen = self._environment.reset_worlds(worlds=np.flatnonzero(over))
        return Outcome(step, live, over, diverged, infos, seen, self._infos())

    def _infos(self) -> Infos:
        info = self._environment.info()
        agents = self._environment.agents
        return [own_info(info, agents, agent) for agent in agents]
