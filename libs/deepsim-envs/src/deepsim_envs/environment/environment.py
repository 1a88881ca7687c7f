# SPDX-License-Identifier: Apache-2.0
"""The environment: reset and step for the agents of an area."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import ArrayLike, NDArray

from deepsim_envs.area import Area, AreaInterface, Bools
from deepsim_envs.area.area import StatefulArea, declared_groups
from deepsim_envs.errors import ClosedEnvironmentError, ResetNeededError
from deepsim_envs.results import EnvironmentState, Step, StepResult
from deepsim_envs.spaces import GroupBatches, copied
from deepsim_sync import SimulationError, UnsupportedError, WorldNumbers

from .hooks import FixedUpdates, Hooks
from .info import arrays_of_info, info_by_name, own_info
from .object_area import ObjectArea
from .slots import (
    Episodes,
    actions_of_slots,
    ends_by_name,
    frozen,
    slots_of,
    spaces_by_name,
    values_by_name,
    with_joined,
)

Seed: TypeAlias = "int | Sequence[int | None] | None"
_HALFWAY = "the last {} failed halfway"
_STEP_HALFWAY = _HALFWAY.format("step")


class Environment:
    """Steps all agents of an area together, in W worlds.

    `reset_worlds` and `step_worlds` work on arrays, `reset` and `step` by name. Each agent in each
    world has a slot with a name: ``"red_car"`` in a single world, ``"red_car/3"`` in world 3 of
    several.

    An agent is live until a step reports that it is done. If the physics of a world diverges, the
    world is reset at once; its live agents are truncated, with a reward of 0 and their last valid
    observation, and the other worlds continue. All results are copies. During a step or reset, the
    environment's world is the current world (see `World`).

    Args:
        area: The task: an `Area`, or an `AreaInterface` for one world.
        frame_skip: Physics steps in one environment step.
        max_episode_steps: Environment steps after which agents are truncated; None for no limit.
        seed: Seed of the first reset if `reset` gets none.
        on_invalid: What happens if a step gives an observation that is not in its space, such as
            NaN, or a reward that is not finite: an error, or, with ``"truncate"``, a warning, and
            the world counts as diverged. The other worlds of a long training continue.

    Attributes:
        area: The task.
        world: The W worlds of the task.
        groups: The groups of agents with equal spaces; A_g is the number of agents of a group.
        agents: The names of all A agents, in the order of the groups.
        slots: The names of all slots: the agents of world 0, then those of world 1, ...
        frame_skip: Physics steps in one environment step.
        diverged: Whether the physics of each world diverged in the latest step, or it had invalid
            values, (W,) bool.
        invalid_steps: The number of steps in which each world had invalid values, (W,).

    Raises:
        TypeError: The area, an agent or a space has the wrong type.
        ValueError: The area has no agents, or `frame_skip` or `max_episode_steps` is invalid.
        UnsupportedError: An `AreaInterface` is used with several worlds.

    Example:
        `make` is the function from the `Area` example:

        >>> environment = make(worlds=2)
        >>> observation, info = environment.reset(seed=7)
        >>> list(observation)
        ['puck/0', 'puck/1']
        >>> environment.step({"puck/0": [1.0], "puck/1": [-1.0]}).reward
        {'puck/0': 0.5, 'puck/1': -0.5}
    """

    def __init__(
        self,
        area: Area | AreaInterface,
        *,
        frame_skip: int = 1,
        max_episode_steps: int | None = None,
        seed: Seed = None,
        on_invalid: Literal["raise", "truncate"] = "raise",
    ) -> None:
        if on_invalid not in ("raise", "truncate"):
            raise ValueError(f"on_invalid must be 'raise' or 'truncate', got {on_invalid!r}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be >= 1 or None, got {max_episode_steps}")
        owner = type(area).__name__
        self._objects: ObjectArea | None = None
        if isinstance(area, AreaInterface):
            self._task: Area = ObjectArea(area)
            self._objects = self._task
        elif isinstance(area, Area):
            self._task = area
        else:
            raise TypeError(f"area must be an instance of Area or AreaInterface, got {area!r}")
        if not hasattr(self._task, "world"):
            raise TypeError(f"{owner}.__init__ must call super().__init__(world)")
        self.area = area
        self.world = self._task.world
        if frame_skip < 1 or frame_skip % self.world.steps_per_tick:
            raise ValueError(
                f"frame_skip ({frame_skip}) must be > 0 and a multiple of the world's "
                f"steps_per_tick ({self.world.steps_per_tick}): a step is a whole number of ticks"
            )
        self.frame_skip = frame_skip
        self.groups = declared_groups(owner, getattr(self._task, "agents", None))
        self.agents = tuple(name for group in self.groups for name in group.names)
        worlds = len(self.world)
        slots = slots_of(self.groups, worlds)
        self._slots = {slot.name: slot for slot in slots}
        self.slots = tuple(self._slots)
        self._actions = GroupBatches("action", self.groups, worlds, owner)
        self._observations = GroupBatches("observation", self.groups, worlds, owner)
        self._episodes = Episodes(slots, worlds, max_episode_steps)
        self._hooks = Hooks(self._task, area, owner, self.agents, slots, self._episodes)
        if self._hooks.fixed_update is not None:
            self.world.trackers.add(FixedUpdates(self._hooks.fixed_update))
        self.diverged: Bools = self._episodes.nowhere
        self.invalid_steps: NDArray[np.int64] = np.zeros(worlds, np.int64)
        self._on_invalid = on_invalid
        self._seen: tuple[Any, ...] = ()
        self._first_seed = seed
        self._no_step_because: str | None = "no episode has begun"
        self._closed = False

    def __len__(self) -> int:
        """Returns the number of worlds, W."""
        return len(self.world)

    @cached_property
    def observation_space(self) -> dict[str, Space[Any]]:
        """The observation space of each slot, by name; each is a separate copy."""
        return spaces_by_name(self._slots, self.groups, "observation_space")

    @cached_property
    def action_space(self) -> dict[str, Space[Any]]:
        """The action space of each slot, by name; each is a separate copy.

        Each must be seeded on its own: ``env.action_space[name].seed(7)``.
        """
        return spaces_by_name(self._slots, self.groups, "action_space")

    @property
    def max_episode_steps(self) -> int | None:
        """Environment steps after which agents are truncated, or None."""
        return self._episodes.limit

    @property
    def steps(self) -> NDArray[np.int64]:
        """The number of environment steps in each world's episode so far, (W,); a new array."""
        return self._episodes.steps.copy()

    @property
    def live(self) -> Bools:
        """Whether each agent takes part in the episode and is not done, (W, A) bool; read-only."""
        return self._episodes.live

    @property
    def waiting(self) -> Bools:
        """Whether each agent has yet to join the episode, (W, A) bool; read-only."""
        return self._episodes.waiting

    @property
    def live_agents(self) -> tuple[str, ...]:
        """The names of the slots of live agents; the next step needs their actions."""
        return tuple(slot.name for slot in self._episodes.live_slots())

    def world_of(self, slot: str) -> int:
        """Returns the number of a slot's world."""
        return self._slots[slot].world

    # On arrays

    def reset_worlds(
        self,
        seed: Seed = None,
        worlds: ArrayLike | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, ...]:
        """Begins new episodes in all worlds, or in some of them.

        Args:
            seed: Seed of the random numbers. An int n seeds world w with n + w; a sequence has a
                seed or None for each world that is reset. Without a seed, a world continues its
                random numbers.
            worlds: The numbers of the worlds to reset, ascending; all by default.
            options: Options for the task, which has them as `reset_options` during this reset.
                ``"level"`` is the level of a curriculum, one for all worlds or one for each.

        Returns:
            The observations in all worlds: a batch (W, A_g, ...) for each group.

        Raises:
            CallbackError: An agent or the area raised an error.
            ObservationError: An observation is not in its space.
            ResetNeededError: Only some worlds are reset, but all of them need a reset first.
        """
        chosen = None if worlds is None else self._episodes.numbers(worlds)
        self._reset(seed, chosen, options)
        self._no_step_because = None
        seen: tuple[Any, ...] = copied(self._seen)
        return seen

    def step_worlds(
        self, actions: Sequence[Any], worlds: ArrayLike | None = None, *, copy: bool = True
    ) -> Step:
        """Steps all worlds, or some of them; every live agent acts once.

        Args:
            actions: A batch of actions (W, A_g, ...) for each group; rows of agents that are not
                live, or of worlds that do not step, are ignored.
            worlds: The numbers of the worlds to step, ascending; all by default.
            copy: Whether to return copies; otherwise the caller must not change the arrays.

        Raises:
            ActionError: An action is not in its space; nothing has happened.
            ResetNeededError: A world has no live agent; nothing has happened.
            CallbackError: The area, a behaviour or a tracker raised an error.
            ObservationError: An observation does not fit its space.
            ValueError: Rewards or ends have the wrong shape, or a reward is not finite.
        """
        self._require_ready()
        chosen = None if worlds is None else self._episodes.numbers(worlds)
        with self.world:
            _, reward, terminated, truncated = self._step(actions, chosen)
        self._no_step_because = None
        if not copy:
            return Step(self._seen, reward, terminated, truncated)
        return Step(copied(self._seen), reward, terminated.copy(), truncated.copy())

    def info(self, agent: str | None = None) -> dict[str, Any]:
        """Returns the area's info as arrays (W, ...); an agent's values are a dict of arrays.

        Args:
            agent: Return only the values that all agents share and those of this agent, in one
                dict.

        Raises:
            ValueError: A returned entry does not have one value for each world.
        """
        if not self._hooks.has_info:
            return {}
        with self.world:
            info = self._hooks.info()
        if agent is None:
            return arrays_of_info(info, self.agents, len(self.diverged))
        return arrays_of_info(own_info(info, self.agents, agent), (), len(self.diverged))

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the rewards for achieved goals; see `Area.compute_reward`.

        Raises:
            UnsupportedError: The task has no goals.
            CallbackError: The area raised an error.
        """
        owner, hook = type(self.area).__name__, self.area.compute_reward
        if getattr(hook, "__func__", None) is StatefulArea.compute_reward:
            raise UnsupportedError(
                f"{owner} has no goals: a task with goals has the hook compute_reward"
            )
        with self.world:
            return self.world.invoke(owner, hook, achieved_goal, desired_goal, info)

    # By name

    def reset(
        self, seed: Seed = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins new episodes in all worlds; see `reset_worlds`.

        Returns:
            The observation of each slot, and an info as in `step`.
        """
        self._reset(seed, None, options)
        slots, nobody = self._episodes.live_slots(), self._episodes.nobody
        with self.world:
            info = self._info()
        info["deepsim"], _ = ends_by_name(slots, nobody, nobody, self.diverged)
        self._no_step_because = None
        return values_by_name(self._observations, self._seen, slots), info

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Steps all worlds with live agents; every live agent acts once; see `step_worlds`.

        Agents act before the physics advances; afterwards all behaviours, or the rules of the
        area, are updated once. If a step fails halfway, the world remains usable, but a reset is
        needed before the next step.

        Args:
            action_dict: An action for the slot of every live agent, by name; actions of agents
                that are done are ignored.

        Returns:
            Observation, reward, done, last action and info, by name in the order of `slots`.

        Raises:
            ActionError: An action is missing, is for an unknown agent, or is outside its space; no
                world has moved.
        """
        slots = self._episodes.live_slots()
        self._require_ready()
        if not slots:
            raise ResetNeededError("all agents are done")
        given = actions_of_slots(action_dict, slots, self._slots, self._actions)
        waited = self._episodes.waiting
        with self.world:
            actions, earned, terminated, truncated = self._step(given, self._episodes.live_worlds())
            info = self._info()
            if self._objects is None:
                last_action = values_by_name(self._actions, actions, slots)
            else:
                last_action = self._objects.last_actions()
        self._no_step_because = None
        if waited is not self._episodes.waiting:
            slots = with_joined(self._slots, slots, waited & ~self._episodes.waiting)
        info["deepsim"], done = ends_by_name(slots, terminated, truncated, self.diverged)
        rewards = earned.tolist()
        reward = {slot.name: rewards[slot.world][slot.column] for slot in slots}
        observation = values_by_name(self._observations, self._seen, slots)
        return StepResult(observation, reward, done, last_action, info)

    # Snapshots

    def get_state(self) -> EnvironmentState:
        """Returns a snapshot of the environment between two steps, for `set_state`.

        It contains the worlds with their random numbers, behaviours and agents (see
        `World.get_state`), and the area.

        Raises:
            UnsupportedError: The simulator has no snapshots.
            CallbackError: An agent, a behaviour or the area raised an error.
        """
        self._require_open()
        terms, levels = self._hooks.terms, self._hooks.levels
        with self.world:
            return EnvironmentState(
                world=self.world.get_state(),
                area=self._hooks.get_state(),
                observation=copied(self._seen) if self._seen else None,
                steps=self.steps,
                live=self._episodes.live,
                waiting=self._episodes.waiting,
                no_step_because=self._no_step_because,
                first_seed=self._first_seed,
                reward_terms=None if terms is None else terms.get_state(),
                levels=None if levels is None else levels.get_state(),
            )

    def set_state(self, state: EnvironmentState) -> None:
        """Restores a snapshot; from then on, the same actions give the same bytes.

        Args:
            state: A result of `get_state`, from this or another environment of the same task with
                the same number of worlds.

        Raises:
            ValueError: The state belongs to another task; nothing has changed.
            UnsupportedError: The simulator has no snapshots.
            CallbackError: An agent, a behaviour or the area raised an error.
        """
        self._require_open()
        with self.world:
            self.world.set_state(state.world)
            self._no_step_because = _HALFWAY.format("set_state")
            self._hooks.set_state(state.area)
        seen = state.observation
        self._seen = () if seen is None else copied(tuple(seen))
        self.diverged = self._episodes.nowhere
        self._episodes.go_back(state.steps, state.live, state.waiting)
        if self._hooks.terms is not None:
            self._hooks.terms.set_state(state.reward_terms)
        if self._hooks.levels is not None and state.levels is not None:
            self._hooks.levels.set_state(state.levels)
        self._no_step_because = state.no_step_because
        self._first_seed = state.first_seed

    # The end

    def close(self) -> None:
        """Closes the area and its world; further calls have no effect."""
        if self._closed:
            return
        self._closed, self._no_step_because = True, "it is closed"
        try:
            with self.world:
                self._hooks.close()
        finally:
            self.world.close()

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # A reset

    def _reset(
        self, seed: Seed, worlds: WorldNumbers | None, options: Mapping[str, Any] | None
    ) -> None:
        """Resets some worlds and observes; the caller clears `_no_step_because`."""
        self._require_open()
        if worlds is not None and self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        self._no_step_because = _HALFWAY.format("reset")
        begins, stepping = self._episodes.beginning(worlds)
        task = self._task
        seed = self._first_seed if seed is None else seed
        with self.world:
            if self._hooks.levels is not None:
                self._hooks.levels.begin(seed, stepping, options)
            self.world.reset(seed, worlds)
            task.live, task.stepping = begins, stepping
            if options:
                self.area.reset_options = dict(options)
            try:
                self._hooks.reset(stepping)
                joined = self._hooks.joined_at_reset(begins)
                task.live = begins if joined is None else joined
                self.world.flush()
                self._seen = self._observe(bounds=True)
            finally:
                if options:
                    del self.area.reset_options  # back to the empty mapping of the class
            if joined is not None:
                self._observations.overwrite(self._seen, begins & ~joined)
        if self._objects is not None:
            self._objects.forget_rewards()
        if self._hooks.terms is not None:
            self._hooks.terms.begin(stepping)
        self._episodes.begin(stepping, joined)
        self.diverged = self._episodes.nowhere
        self._first_seed = None

    # A step

    def _step(
        self, given: Sequence[Any], worlds: WorldNumbers | None
    ) -> tuple[tuple[Any, ...], NDArray[np.float64], Bools, Bools]:
        """Steps some worlds inside ``with self.world``; the caller clears `_no_step_because`.

        Returns:
            The checked actions, and rewards, terminated and truncated, (W, A) each. The new
            observations are in `_seen`.
        """
        task, hooks, episodes = self._task, self._hooks, self._episodes
        live, stepping = episodes.live, episodes.all_worlds
        if worlds is not None or live is not episodes.everyone:
            live, stepping = episodes.taking_part(worlds)
        actions = self._actions.checked(given, live, bounds=True)
        if live is not episodes.everyone:
            self._actions.overwrite(actions, ~live)
        self._no_step_because = _STEP_HALFWAY
        task.live, task.stepping = live, stepping
        if hooks.terms is not None:
            hooks.terms.begin_step(stepping)
        hooks.act(actions if len(actions) > 1 else actions[0])
        self._advance(worlds)
        if worlds is None:
            episodes.steps += 1
        else:
            episodes.steps[worlds] += 1
        terminated = truncated = episodes.nobody
        joins: Bools | None = None
        if not len(task.stepping):
            reward = np.zeros(live.shape)
        else:
            if hooks.update is not None:
                hooks.update()
            self.world.cache.flush()
            if hooks.joins_later and episodes.live is not episodes.everyone:
                joins = hooks.joining(task.stepping)
            acted, task.live = task.live, task.live if joins is None else task.live | joins
            misfits: dict[int, str] | None = {} if self._on_invalid == "truncate" else None
            self._seen = self._observe(bounds=False, misfits=misfits)
            task.live = acted
            terminated, truncated = hooks.ends()
            reward = hooks.reward(misfits)
            if misfits:
                terminated = self._leave_invalid(misfits, terminated)
        if self.diverged is not episodes.nowhere:
            truncated = truncated | (live & self.diverged[:, None])
        if terminated is not episodes.nobody or truncated is not episodes.nobody:
            episodes.end(terminated | truncated)
        if joins is not None:
            episodes.join(joins)
        return actions, reward, terminated, truncated

    def _advance(self, worlds: WorldNumbers | None) -> None:
        """Ticks some worlds; a world that diverges is reset and leaves the step."""
        self.diverged = self._episodes.nowhere
        for _ in range(self.frame_skip // self.world.steps_per_tick):
            try:
                self.world.tick(worlds)
            except SimulationError as error:
                worlds = self._leave_out(error)
                if not len(worlds):
                    return

    def _leave_out(self, error: SimulationError) -> WorldNumbers:
        """Resets the worlds that diverged; returns the numbers of those that continue."""
        if not error.worlds:
            raise error
        task, numbers = self._task, np.array(error.worlds, np.intp)
        diverged = self.diverged.copy()
        diverged[numbers] = True
        self.diverged = frozen(diverged)
        task.live = frozen(task.live & ~diverged[:, None])
        task.stepping = task.stepping[~diverged[task.stepping]]
        self.world.reset(worlds=numbers)
        self._hooks.diverged(numbers)
        return task.stepping

    def _leave_invalid(self, misfits: Mapping[int, str], terminated: Bools) -> Bools:
        """Counts worlds with invalid values as diverged; returns who is terminated elsewhere."""
        numbers = sorted(misfits)
        diverged = self.diverged.copy()
        diverged[numbers] = True
        self.diverged = frozen(diverged)
        self.invalid_steps[numbers] += 1
        for number in numbers:
            warnings.warn(f"world {number} is truncated: {misfits[number]}", stacklevel=4)
        return terminated & ~diverged[:, None]

    def _observe(self, *, bounds: bool, misfits: dict[int, str] | None = None) -> tuple[Any, ...]:
        seen = self._hooks.observe()
        values = seen if len(self.groups) > 1 else (seen,)
        live = self._task.live
        checked = self._observations.checked(values, live, bounds=bounds, misfits=misfits)
        if self._seen and (misfits or live is not self._episodes.everyone):
            others = ~live  # keep their last observation
            others[list(misfits or ())] = True
            self._observations.overwrite(checked, others, self._seen)
        return checked

    # By name

    def _info(self) -> dict[str, Any]:
        """Returns the area's info by name, including the info of agents that are done."""
        slots = self._slots.values()
        return info_by_name(self._hooks.info(), slots, self.agents, len(self.diverged))

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError

    def _require_ready(self) -> None:
        if self._no_step_because is not None:
            self._require_open()
            raise ResetNeededError(self._no_step_because)
