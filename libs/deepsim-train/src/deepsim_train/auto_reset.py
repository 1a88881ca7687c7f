# SPDX-License-Identifier: Apache-2.0
"""Steps worlds, and resets a world within the step that ends its episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from deepsim_envs.area import Bools
from deepsim_envs.construction import JoinedEnvironment
from deepsim_envs.environment import Environment
from deepsim_envs.environment.info import own_info
from deepsim_envs.policy import OtherAgents, PolicyMaker
from deepsim_envs.results import Step
from deepsim_envs.spaces import leafwise

GameOver = Literal["all", "any"]
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
    """The infos before any reset; empty if no learning agent's episode ended."""
    seen: Sequence[Any]
    """The observations after the resets, a batch (W, A_g, ...) for each group."""
    first_infos: Infos
    """The infos after the resets; empty if no world was reset."""


class AutoReset:
    """An environment that resets a world within the step that ends its episode.

    Args:
        environment: The task.
        learning: The agents that learn, whose actions come from trainers.
        others: Makes the policy of all other agents for each episode; optional if there are none.
        game_over: Whether an episode is over when all agents that learn are done, or when any is.

    Attributes:
        environment: The task.

    Raises:
        ValueError: `game_over` is unknown, or an agent neither learns nor has a policy.
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        learning: Sequence[str],
        others: PolicyMaker | None,
        game_over: GameOver,
    ) -> None:
        if game_over not in ("all", "any"):
            raise ValueError(f"game_over must be 'all' or 'any', got {game_over!r}")
        agents = environment.agents
        left = [agent for agent in agents if agent not in learning]
        if left and others is None:
            raise ValueError(f"agents {left} belong to no policy: name one, or others=")
        self.environment = environment
        self._game_over = game_over
        self._learning = [agents.index(agent) for agent in learning]
        self._rngs = [np.random.default_rng(0) for _ in range(len(environment))]
        self._others = None if others is None else OtherAgents(environment, others, self._rngs)
        self._seen: Sequence[Any] = ()

    def reset(self, seeds: Sequence[int | None]) -> tuple[Sequence[Any], Infos]:
        """Begins an episode in all worlds; returns observations and infos.

        Args:
            seeds: The seed of each world and of its generator for `others`; None keeps both.
        """
        for world, seed in enumerate(seeds):
            if seed is not None:
                self._rngs[world] = np.random.default_rng(seed)
        self._begin(self.environment.reset_worlds(seeds), [*range(len(seeds))])
        return self._seen, self._infos()

    def step(self, actions: Mapping[str, Any], cut: Bools | None = None) -> Outcome:
        """Steps all worlds once.

        Args:
            actions: The actions of each agent that learns, (W, ...).
            cut: The worlds whose episodes this step cuts off, (W,); None for none of them.
        """
        environment = self.environment
        live = environment.live
        step = environment.step_worlds(self._completed(actions, live))
        diverged = environment.diverged
        ended = (step.terminated | step.truncated)[:, self._learning]
        if self._game_over == "any":
            goes_on = ~ended.any(axis=1)
        else:
            goes_on = (environment.live | environment.waiting)[:, self._learning].any(axis=1)
        over: Bools = ~(goes_on & np.logical_or.reduce(environment.live, axis=1))
        if cut is not None:
            over |= cut
        infos = self._infos() if ended.any() or over.any() else ()
        self._seen = step.observation
        if not over.any():
            return Outcome(step, live, over, diverged, infos, self._seen, ())
        worlds = np.flatnonzero(over)
        self._begin(environment.reset_worlds(worlds=worlds), worlds.tolist())
        return Outcome(step, live, over, diverged, infos, self._seen, self._infos())

    def get_state(self) -> dict[str, Any]:
        """Returns the state of worlds, generators and `others` between two steps.

        Raises:
            UnsupportedError: The simulator has no snapshots.
        """
        return {
            "environment": self.environment.get_state(),
            "others": None if self._others is None else self._others.get_state(),
            "rngs": [rng.bit_generator.state for rng in self._rngs],
            "seen": self._seen,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the state of worlds, generators and `others`.

        Raises:
            ValueError: The state comes from another task.
            UnsupportedError: The simulator has no snapshots.
        """
        self.environment.set_state(state["environment"])
        if self._others is not None:
            self._others.set_state(state["others"])
        for rng, own in zip(self._rngs, state["rngs"], strict=True):
            rng.bit_generator.state = own
        self._seen = state["seen"]

    def _begin(self, seen: Sequence[Any], worlds: list[int]) -> None:
        """Keeps the first observations of episodes, and makes the policies of other agents."""
        self._seen = seen
        if self._others is not None:
            self._others.begin(worlds)

    def _completed(self, actions: Mapping[str, Any], live: Bools) -> list[Any]:
        """Returns the actions of all agents, a batch for each group."""
        if self._others is None:
            return [
                leafwise(lambda *rows: np.stack(rows, axis=1), *map(actions.get, group.names))
                for group in self.environment.groups
            ]
        own = {
            name: [leafwise(lambda part, at=world: part[at], batch) for world in range(len(live))]
            for name, batch in actions.items()
        }
        return list(self._others.completed(own, live, self._seen))

    def _infos(self) -> Infos:
        info = self.environment.info()
        agents = self.environment.agents
        return [own_info(info, agents, agent) for agent in agents]


def rows_of(observation: Sequence[Any], places: Sequence[tuple[int, int]]) -> Any:
    """Returns observations as rows (W * k, ...): k agents of world 0, then of world 1, ...

    Args:
        observation: A batch (W, A_g, ...) for each group.
        places: The number of the group and the number within the group of each of the k agents.
    """
    parts = [
        leafwise(lambda part, row=row: part[:, row], observation[number]) for number, row in places
    ]
    return leafwise(lambda *own: np.stack(own, axis=1).reshape(-1, *own[0].shape[1:]), *parts)
