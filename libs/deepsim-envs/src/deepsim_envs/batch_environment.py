# SPDX-License-Identifier: Apache-2.0
"""The environment of many worlds: reset and step for the agents of a batch area."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from gymnasium.spaces import Space
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from deepsim_sync import WorldsState, called

from .batch_area import BatchArea, Bools, Chosen, Judgement
from .batch_values import checked_actions, require_plain, world_values
from .errors import ActionError, ClosedEnvironmentError, ObservationError, ResetNeededError
from .spaces import conform, declared_spaces, require_within

T = TypeVar("T")


class BatchStepResult(NamedTuple):
    """What a step of many worlds returns; worlds that did not step earn and end nothing."""

    observation: dict[str, NDArray[Any]]
    """What each agent observes after the step, (W, ...), also in worlds that did not step."""
    reward: dict[str, NDArray[np.float64]]
    """What each agent earned in the step, (W,)."""
    terminated: dict[str, Bools]
    """Whether the step ended the episode of each agent, (W,)."""
    truncated: dict[str, Bools]
    """Whether it was cut off by the limit of steps, (W,)."""


@dataclass(frozen=True)
class BatchEnvironmentState:
    """An instant between two steps; `BatchEnvironment.set_state` goes back to it.

    Attributes:
        worlds: The worlds.
        area: What the area's `get_state` returned.
        steps: Environment steps in the episode of each world, (W,).
        live: The agents that were not done, (W, A).
        no_step_because: Why no step can follow without a reset, or None.
    """

    worlds: WorldsState
    area: Any
    steps: NDArray[np.int64]
    live: Bools
    no_step_because: str | None


class BatchEnvironment:
    """Steps the agents of a batch area together, in all worlds or in some.

    It is to `BatchArea` what `Environment` is to `AreaInterface`: an agent is live until the step
    that reports it as done, and each world gives the bits that it would give alone.

    Args:
        area: The task.
        frame_skip: Physics steps of one environment step.
        max_episode_steps: Environment steps after which agents are truncated; None for no limit.

    Attributes:
        area: The task.
        worlds: Where it takes place.
        agents: Names of all agents.
        observation_space: What each agent observes in one world, by name.
        action_space: How each agent may act in one world, by name.
        frame_skip: Physics steps of one environment step.
        max_episode_steps: Environment steps after which agents are truncated, or None.
        steps: Environment steps in the episode of each world, (W,).

    Raises:
        TypeError: The area is none, or a space has parts.
        ValueError: The area has no agents, the spaces are those of other agents, or a number of
            steps does not fit.
    """

    def __init__(
        self,
        area: BatchArea,
        *,
        frame_skip: int = 1,
        max_episode_steps: int | None = None,
    ) -> None:
        if not isinstance(area, BatchArea):
            raise TypeError(f"area must be an instance of BatchArea, got {area!r}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be >= 1 or None, got {max_episode_steps}")
        self.area = area
        self.worlds = area.worlds
        self.agents = tuple(area.agents)
        if not self.agents:
            raise ValueError(f"{type(area).__name__} has no agents")
        if frame_skip < 1 or frame_skip % self.worlds.steps_per_tick:
            raise ValueError(
                f"frame_skip ({frame_skip}) must be > 0 and a multiple of the worlds' "
                f"steps_per_tick ({self.worlds.steps_per_tick}): a step is a whole number of ticks"
            )
        self.observation_space = declared_spaces(area, "observation_space", self.agents)
        self.action_space = declared_spaces(area, "action_space", self.agents)
        for name in self.agents:
            require_plain(self.observation_space[name], f"observation space of agent {name!r}")
            require_plain(self.action_space[name], f"action space of agent {name!r}")
        count = len(self.worlds)
        self._batched: dict[str, Space[Any]] = {
            name: batch_space(space, count) for name, space in self.observation_space.items()
        }
        self.frame_skip = frame_skip
        self.max_episode_steps = max_episode_steps
        self.steps = np.zeros(count, dtype=np.int64)
        self._live = np.zeros((count, len(self.agents)), dtype=np.bool_)
        self._no_step_because: str | None = "no episode has begun"
        self._closed = False

    def __len__(self) -> int:
        """How many worlds there are."""
        return len(self.worlds)

    def live(self, agent: str) -> Bools:
        """The worlds where an agent is not done, (W,); a copy."""
        return self._live[:, self.agents.index(agent)].copy()

    def reset(
        self, chosen: Chosen | None = None, seeds: Sequence[int | None] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Begins a new episode in some worlds.

        Args:
            chosen: The worlds; all of them by default.
            seeds: Of the random numbers of each chosen world, or None, with which they go on.

        Returns:
            What each agent observes now, in all worlds.

        Raises:
            CallbackError: The area raised.
            ObservationError: An observation does not lie in its space.
            ResetNeededError: Some worlds are chosen, and all need a reset.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        if chosen is None:
            chosen = np.arange(len(self))
        elif self._no_step_because is not None and len(chosen) < len(self):
            raise ResetNeededError(self._no_step_because)
        self._no_step_because = "the last reset failed halfway"
        self.worlds.reset(chosen, seeds)
        self._called(self.area.reset, chosen)
        self.worlds.flush()
        self.steps[chosen] = 0
        self._live[chosen] = True
        observation = self.observe()
        for name, values in observation.items():
            space = self.observation_space[name]
            for number in chosen.tolist():
                what = f"observation of agent {name!r} in world {number}"
                self._fit(name, require_within, space, values[number], what)
        self._no_step_because = None
        return observation

    def step(self, actions: Mapping[str, Any], chosen: Chosen | None = None) -> BatchStepResult:
        """Has every live agent of some worlds act once, and these worlds advance.

        Args:
            actions: A batch of actions (W, ...) for every agent, by name; those of agents that are
                done, or of worlds that do not step, are ignored.
            chosen: The worlds that step; all of them by default.

        Raises:
            ActionError: An action is missing or outside its space; no world has moved.
            ResetNeededError: A world has no live agent; no world has moved.
            CallbackError: The area raised.
            ObservationError: An observation does not fit its space.
            TypeError: The area's judge returns no pair.
            ValueError: That has another shape, or a reward that is no finite number.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        if self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        stepping = np.ones(len(self), dtype=np.bool_)
        if chosen is None:
            chosen = np.arange(len(self))
        else:
            stepping[:] = False
            stepping[chosen] = True
        live = self._live & stepping[:, None]
        over = np.flatnonzero(stepping & ~live.any(axis=1))
        if len(over):
            raise ResetNeededError(f"all agents of worlds {over.tolist()} are done")
        checked = self._checked(actions, live)
        self._no_step_because = "the last step failed halfway"
        self._called(self.area.act, checked, live)
        for _ in range(self.frame_skip // self.worlds.steps_per_tick):
            self.worlds.tick(
                lambda delta, now: self._called(self.area.fixed_update, delta, now, live), chosen
            )
        judgement = self._judged(live)
        self.worlds.flush()
        self.steps[chosen] += 1
        observation = self.observe()
        terminated = judgement.terminated & live
        truncated = np.zeros_like(terminated)
        if self.max_episode_steps is not None:
            late = (self.steps == self.max_episode_steps) & stepping
            truncated = live & ~terminated & late[:, None]
        reward = np.where(live, judgement.reward, 0.0)
        self._live &= ~(terminated | truncated)
        self._no_step_because = None
        return BatchStepResult(
            observation,
            self._by_agent(reward),
            self._by_agent(terminated),
            self._by_agent(truncated),
        )

    def observe(self) -> dict[str, NDArray[Any]]:
        """What each agent observes now, (W, ...); a step and a reset return it too.

        Raises:
            CallbackError: The area raised.
            ObservationError: An observation does not fit its space.
        """
        seen = self._called(self.area.observe)
        observation = {}
        for name in self.agents:
            if name not in seen:
                raise ObservationError(name, f"agent {name!r} has no observation")
            what = f"observation of agent {name!r} in all worlds"
            observation[name] = self._fit(name, conform, self._batched[name], seen[name], what)
        return observation

    def info(self, agent: str) -> dict[str, NDArray[Any]]:
        """What is worth knowing for an agent now, an array (W, ...) by name.

        Raises:
            CallbackError: The area raised.
            ValueError: An entry has not one value for each world.
        """
        found = self._called(self.area.get_info)
        shared = {name: value for name, value in found.items() if name not in self.agents}
        entries = {**shared, **found.get(agent, {})}
        return {
            name: world_values(value, len(self), f"info {name!r}")
            for name, value in entries.items()
        }

    def get_state(self) -> BatchEnvironmentState:
        """This instant between two steps, to come back to by `set_state`.

        Raises:
            UnsupportedError: The simulator cannot go back.
            CallbackError: The area raised.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        return BatchEnvironmentState(
            worlds=self.worlds.get_state(),
            area=self._called(self.area.get_state),
            steps=self.steps.copy(),
            live=self._live.copy(),
            no_step_because=self._no_step_because,
        )

    def set_state(self, state: BatchEnvironmentState) -> None:
        """Goes back to an instant: the same actions give the same bytes from there on.

        Args:
            state: What `get_state` returned, here or in another environment of the same task with
                as many worlds.

        Raises:
            ValueError: The state is one of another task, or of another number of worlds.
            UnsupportedError: The simulator cannot go back.
            CallbackError: The area raised.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        self.worlds.set_state(state.worlds)
        self._no_step_because = "the last set_state failed halfway"
        self._called(self.area.set_state, state.area)
        self.steps[:] = state.steps
        self._live[:] = state.live
        self._no_step_because = state.no_step_because

    def close(self) -> None:
        """Closes the area and its worlds; closing twice does no harm."""
        if self._closed:
            return
        self._closed = True
        try:
            self._called(self.area.close)
        finally:
            self.worlds.close()

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError

    def _checked(self, actions: Mapping[str, Any], live: Bools) -> dict[str, NDArray[Any]]:
        for name in actions:
            if name not in self.agents:
                known = ", ".join(self.agents)
                raise ActionError(name, f"no agent is named {name!r}: the agents are {known}")
        checked = {}
        for column, name in enumerate(self.agents):
            if name not in actions:
                raise ActionError(name, f"agent {name!r} has no actions")
            space = self.action_space[name]
            checked[name] = checked_actions(name, space, actions[name], live[:, column])
        return checked

    def _judged(self, live: Bools) -> Judgement:
        judged = self._called(self.area.judge, live)
        owner = f"{type(self.area).__name__}.judge"
        if not isinstance(judged, tuple) or len(judged) != len(Judgement._fields):
            raise TypeError(f"{owner}() must return a Judgement, got {judged!r}")
        reward = _table(judged[0], np.float64, live.shape, f"reward of {owner}")
        terminated = _table(judged[1], np.bool_, live.shape, f"terminated of {owner}")
        if not np.isfinite(reward[live]).all():
            world, agent = np.argwhere(live & ~np.isfinite(reward))[0]
            raise ValueError(
                f"reward of agent {self.agents[agent]!r} in world {world} must be finite, "
                f"got {reward[world, agent]}"
            )
        return Judgement(reward, terminated)

    def _by_agent(self, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
        return {name: values[:, column].copy() for column, name in enumerate(self.agents)}

    def _fit(self, name: str, check: Callable[..., T], *args: Any) -> T:
        try:
            return check(*args)
        except ValueError as error:
            raise ObservationError(name, str(error)) from None

    def _called(self, hook: Callable[..., T], *args: Any) -> T:
        return called(type(self.area).__name__, self.worlds, hook, *args)


def _table(values: Any, dtype: Any, shape: tuple[int, ...], what: str) -> NDArray[Any]:
    """Something by world and agent, as an array."""
    try:
        table: NDArray[Any] = np.asarray(values, dtype)
    except (TypeError, ValueError):  # words, or rows of several lengths
        table = np.empty(0)
    if table.shape != shape:
        raise ValueError(f"{what} must have shape {shape}, got {values!r}")
    return table
