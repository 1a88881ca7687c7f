# SPDX-License-Identifier: Apache-2.0
"""Steps worlds, and resets a world within the step that ends its episode."""

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
"""The info of each agent, as arrays over the worlds."""


class Outcome(NamedTuple):
    """The results of a step, and of the resets of those worlds in which it ended the episode."""

    step: Step
    """The results of the step, before any reset."""
    live: Bools
    """Whether each agent took part in the step, (W, A)."""
    over: Bools
    """Whether each world was reset after the step, (W,)."""
    diverged: Bools
    """Whether the physics of each world diverged, (W,)."""
    infos: Infos
    """The infos before any reset; empty if no agent is done."""
    seen: tuple[Any, ...]
    """The observations after the resets, a batch (W, A_g, ...) for each group."""
    first_infos: Infos
    """The infos after the resets; empty if no world was reset."""


class AutoReset:
    """An environment that resets a world within the step that ends its episode.

    Args:
        environment: The task.
        game_over: Whether an episode is over when all agents are done, or when any is.

    Raises:
        ValueError: `game_over` is unknown.
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
