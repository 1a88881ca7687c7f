# SPDX-License-Identifier: Apache-2.0
"""The environment: reset and step for the agents of an area."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from gymnasium.spaces import Space

from deepsim_sync import World, called

from .agent import AbstractAgent
from .area import AreaInterface
from .environment_state import EnvironmentState
from .errors import ActionError, ClosedEnvironmentError, ObservationError, ResetNeededError
from .roster import agents_by_name, shared_world
from .spaces import conform, copied, declared_spaces, require_within
from .step_result import StepResult


class Environment:
    """Steps the agents of an area together, by a fixed number of physics steps.

    An agent is live until the step that reports it as done. Every dict that a step returns has
    the agents that were live before it, in the area's order. All that is returned is a copy.

    While it steps or resets, the environment's world is the current one.

    Args:
        area: The task.
        frame_skip: Physics steps of one environment step.
        max_episode_steps: Environment steps after which agents are truncated; None for no limit.
        seed: Seed of the first reset, unless that is given its own.
        world: Where the agents live; found from them by default.

    Attributes:
        area: The task.
        world: Where it takes place.
        agents: All agents by name.
        observation_space: What each agent observes, by name.
        action_space: How each agent may act, by name. Their samples are seeded one by one, as in
            ``env.action_space[name].seed(7)``.
        frame_skip: Physics steps of one environment step.
        max_episode_steps: Environment steps after which agents are truncated, or None.
        steps: Environment steps in this episode.

    Raises:
        TypeError: The area, an agent or a space is not one.
        ValueError: The area has no agents, they live in several worlds, the spaces are those of
            other agents, or a number of steps does not fit.
    """

    def __init__(
        self,
        area: AreaInterface,
        *,
        frame_skip: int = 1,
        max_episode_steps: int | None = None,
        seed: int | None = None,
        world: World | None = None,
    ) -> None:
        if not isinstance(area, AreaInterface):
            raise TypeError(f"area must be an instance of AreaInterface, got {area!r}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be >= 1 or None, got {max_episode_steps}")
        self.area = area
        self.agents = agents_by_name(area)
        self.world = shared_world(self.agents, world)
        if frame_skip < 1 or frame_skip % self.world.steps_per_tick:
            raise ValueError(
                f"frame_skip ({frame_skip}) must be > 0 and a multiple of the world's "
                f"steps_per_tick ({self.world.steps_per_tick}): a step is a whole number of ticks"
            )
        self.observation_space: dict[str, Space[Any]] = declared_spaces(
            area, "observation_space", self.agents
        )
        self.action_space: dict[str, Space[Any]] = declared_spaces(
            area, "action_space", self.agents
        )
        self.frame_skip = frame_skip
        self.max_episode_steps = max_episode_steps
        self.steps = 0
        self._first_seed = seed
        self._live: list[AbstractAgent] = []
        self._no_step_because: str | None = "no episode has begun"
        self._closed = False

    def reset(self, seed: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins a new episode of all agents.

        The world is reset first, then the area; then every agent's `on_episode_begin` is called.

        Args:
            seed: Seed of the world's random numbers; the same seed gives the same episode. Without
                one, they go on from where they are.

        Returns:
            What each agent observes, and the info that `step` would return.

        Raises:
            CallbackError: An agent or the area raised.
            ObservationError: An observation does not lie in its space.
            TypeError, ValueError: The area's `get_info` returns no dict, or one with the key
                ``"deepsim"``.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        self._no_step_because = "the last reset failed halfway"
        with self.world:
            self.world.reset(self._first_seed if seed is None else seed)
            for agent in self.agents.values():
                agent.begin_episode()
            called(type(self.area).__name__, self.world, self.area.reset)
            for agent in self.agents.values():
                called(agent.name, self.world, agent.on_episode_begin)
            self.world.flush()
            self.steps = 0
            self._live = list(self.agents.values())
            observation = {
                agent.name: self._observation(agent, bounds=True) for agent in self._live
            }
            info = self._info(self._live)
        for agent in self._live:  # one that counts its reward as it observes has earned none yet
            agent.step_reward = agent.episode_reward = 0.0
        self._first_seed = None
        self._no_step_because = None
        return observation, info

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Has every live agent act once, and the world advance by `frame_skip` physics steps.

        Agents act before the physics advances; afterwards all behaviours are updated once. After a
        step that failed halfway the world is usable, but the next step needs a reset.

        Args:
            action_dict: An action for every live agent, by name; those of agents that are done
                are ignored.

        Returns:
            Observation, reward, done, last action and info.

        Raises:
            ActionError: An action is missing, of an unknown agent, or outside its space; nothing
                has happened to the world.
            CallbackError: A behaviour, a tracker or the area raised.
            ObservationError: An observation does not fit its space.
            TypeError, ValueError: The actions are no dict, or the area's `get_info` returns none,
                or one with the key ``"deepsim"``.
            ResetNeededError: No episode is under way.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        if self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        actions = self._checked(action_dict)
        self._no_step_because = "the last step failed halfway"
        live = self._live
        with self.world:
            for agent, action in zip(live, actions, strict=True):
                agent.last_action = action
                called(agent.name, self.world, agent.on_action_received, action)
            for _ in range(self.frame_skip // self.world.steps_per_tick):
                self.world.tick()
            self.world.behaviours.update()
            self.world.flush()
            self.steps += 1
            observation = {agent.name: self._observation(agent) for agent in live}
            if self.steps == self.max_episode_steps:
                for agent in live:
                    agent.end_episode(truncated=True)
            self._end_episodes()
            result = StepResult(
                observation,
                {agent.name: agent.take_reward() for agent in live},
                {agent.name: agent.done for agent in live},
                {agent.name: copied(agent.last_action) for agent in live},
                self._info(live),
            )
        self._live = [agent for agent in live if not result.done[agent.name]]
        self._no_step_because = None if self._live else "all agents are done"
        return result

    @property
    def live_agents(self) -> tuple[str, ...]:
        """Names of the agents that are not done, which the next step needs actions of."""
        return tuple(agent.name for agent in self._live)

    def get_state(self) -> EnvironmentState:
        """This instant between two steps, to come back to by `set_state`.

        It holds the world (`World.get_state`) with what agents and behaviours remember, random
        numbers, and what the area remembers (`AreaInterface.get_state`).

        Raises:
            UnsupportedError: The simulator cannot go back.
            CallbackError: An agent, a behaviour or the area raised.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        with self.world:
            return EnvironmentState(
                world=self.world.get_state(),
                area=called(type(self.area).__name__, self.world, self.area.get_state),
                steps=self.steps,
                live=self.live_agents,
                no_step_because=self._no_step_because,
                first_seed=self._first_seed,
            )

    def set_state(self, state: EnvironmentState) -> None:
        """Goes back to an instant: the same actions give the same bytes from there on.

        Args:
            state: What `get_state` returned, here or in another environment of the same task.

        Raises:
            ValueError: The state is one of another task; nothing has changed.
            UnsupportedError: The simulator cannot go back.
            CallbackError: An agent, a behaviour or the area raised.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        with self.world:
            self.world.set_state(state.world)
            self._no_step_because = "the last set_state failed halfway"
            called(type(self.area).__name__, self.world, self.area.set_state, state.area)
        self.steps = state.steps
        self._live = [self.agents[name] for name in state.live]
        self._no_step_because = state.no_step_because
        self._first_seed = state.first_seed

    def close(self) -> None:
        """Closes the area and its world; closing twice does no harm."""
        if self._closed:
            return
        self._closed = True
        try:
            with self.world:
                called(type(self.area).__name__, self.world, self.area.close)
        finally:
            self.world.close()

    def __enter__(self) -> Environment:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError

    def _checked(self, action_dict: Mapping[str, Any]) -> list[Any]:
        """Copies of the live agents' actions, in their spaces' types."""
        if not isinstance(action_dict, Mapping):
            raise TypeError(f"action_dict must be a dict by agent name, got {action_dict!r}")
        for name in action_dict:
            if name not in self.agents:
                known = ", ".join(self.agents)
                raise ActionError(name, f"no agent is named {name!r}: the agents are {known}")
        actions = []
        for agent in self._live:
            if agent.name not in action_dict:
                raise ActionError(
                    agent.name,
                    f"agent {agent.name!r} has no action: every agent that is not done needs one",
                )
            space, what = self.action_space[agent.name], f"action of agent {agent.name!r}"
            try:
                action = conform(space, action_dict[agent.name], what)
                require_within(space, action, what)
            except ValueError as error:
                raise ActionError(agent.name, str(error)) from None
            actions.append(action)
        return actions

    def _observation(self, agent: AbstractAgent, *, bounds: bool = False) -> Any:
        state = called(agent.name, self.world, agent.get_next_state)
        space, what = self.observation_space[agent.name], f"observation of agent {agent.name!r}"
        try:
            observation = conform(space, state, what)
            if bounds:
                require_within(space, observation, what)
        except ValueError as error:
            raise ObservationError(agent.name, str(error)) from None
        return observation

    def _end_episodes(self) -> None:
        """Calls `on_episode_end` of all agents that are done, which may end others in turn."""
        waiting = self._live
        while ended := [agent for agent in waiting if agent.done]:
            waiting = [agent for agent in waiting if agent not in ended]
            for agent in ended:
                called(agent.name, self.world, agent.on_episode_end)

    def _info(self, agents: list[AbstractAgent]) -> dict[str, Any]:
        ends = {
            "terminated": {agent.name: agent.terminated for agent in agents},
            "truncated": {agent.name: agent.truncated for agent in agents},
        }
        owner = type(self.area).__name__
        info = called(owner, self.world, self.area.get_info)
        if not isinstance(info, Mapping):
            raise TypeError(f"{owner}.get_info() must return a dict, got {info!r}")
        if "deepsim" in info:
            raise ValueError(f"{owner}.get_info() must leave the key 'deepsim' to the environment")
        return {**copied(info), "deepsim": ends}
