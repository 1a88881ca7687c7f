# SPDX-License-Identifier: Apache-2.0
"""The environment: reset and step for the agents of an area."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cached_property, partial
from types import TracebackType
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import ArrayLike, NDArray

from deepsim_envs.area import Area, AreaInterface, Bools
from deepsim_envs.area.agents import declared_groups
from deepsim_envs.environment_state import EnvironmentState
from deepsim_envs.errors import ActionError, ClosedEnvironmentError, ResetNeededError
from deepsim_envs.spaces import shown
from deepsim_envs.step_result import Step, StepResult
from deepsim_sync import SimulationError, WorldNumbers, invoke

from .group_batches import GroupBatches
from .object_area import ObjectArea
from .slots import Slot, by_slot, named_info, slots_of, world_values

Seed = int | Sequence[int | None] | None
_HALFWAY = "the last {} failed halfway"


class Environment:
    """Steps the agents of an area together, by a fixed number of physics steps, in W worlds.

    It is used on arrays, by `reset_worlds` and `step_worlds`, or by name, by `reset` and `step`.
    By name, each agent of each world is a slot: ``"red_car"`` with one world, ``"red_car/3"`` with
    several.

    An agent is live until the step that reports it as done. All that is returned is a copy. While
    it steps or resets, the environment's world is the current one.

    Args:
        area: The task: an `Area`, or an `AreaInterface` for one world.
        frame_skip: Physics steps of one environment step.
        max_episode_steps: Environment steps after which agents are truncated; None for no limit.
        seed: Seed of the first reset, unless that is given its own.

    Attributes:
        area: The task.
        world: The world, or worlds, in which it takes place.
        groups: The groups of agents with equal spaces.
        agents: The names of all agents, in the order of the groups.
        slots: The names of all slots: all agents of world 0, then those of world 1, ...
        frame_skip: Physics steps of one environment step.
        max_episode_steps: Environment steps after which agents are truncated, or None.
        steps: (W,) environment steps in the episode of each world.
        diverged: (W,) bool, the worlds whose physics diverged in the latest step.

    Raises:
        TypeError: The area, an agent or a space is not one.
        ValueError: The area has no agents, or a number of steps does not fit.
        UnsupportedError: An `AreaInterface` is in several worlds.
    """

    def __init__(
        self,
        area: Area | AreaInterface,
        *,
        frame_skip: int = 1,
        max_episode_steps: int | None = None,
        seed: Seed = None,
    ) -> None:
        owner = type(area).__name__
        self._objects = ObjectArea(area) if isinstance(area, AreaInterface) else None
        if self._objects is None and not isinstance(area, Area):
            raise TypeError(f"area must be an instance of Area or AreaInterface, got {area!r}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be >= 1 or None, got {max_episode_steps}")
        if not hasattr(hooks := self._objects or area, "world"):
            raise TypeError(f"{owner}.__init__ must call super().__init__(world)")
        self.area = area
        self.world = hooks.world
        if frame_skip < 1 or frame_skip % self.world.steps_per_tick:
            raise ValueError(
                f"frame_skip ({frame_skip}) must be > 0 and a multiple of the world's "
                f"steps_per_tick ({self.world.steps_per_tick}): a step is a whole number of ticks"
            )
        self.groups = declared_groups(owner, getattr(hooks, "agents", None))
        self.agents = tuple(name for group in self.groups for name in group.names)
        self.frame_skip = frame_skip
        self.max_episode_steps = max_episode_steps
        worlds = len(self.world)
        self._slots = slots_of(self.groups, worlds)
        self._by_name = {slot.name: slot for slot in self._slots}
        self.slots = tuple(self._by_name)
        self._actions, self._observations = (
            GroupBatches(
                kind, [getattr(group, f"{kind}_space") for group in self.groups], self._slots,
                worlds, owner,
            )
            for kind in ("action", "observation")
        )  # fmt: skip
        self._hooks: Area = hooks
        # An object area names agents and hooks itself.
        self._invoke: Callable[..., Any] = (
            partial(invoke, owner, self.world) if self._objects is None else _call
        )
        self._ticks = frame_skip // self.world.steps_per_tick
        self._all_worlds = _frozen(np.arange(worlds))
        self._everyone = _frozen(np.ones((worlds, len(self.agents)), np.bool_))
        self._nobody = _frozen(np.zeros((worlds, len(self.agents)), np.bool_))
        self._no_world = _frozen(np.zeros(worlds, np.bool_))
        self.steps = np.zeros(worlds, np.int64)
        self.diverged = self._no_world
        self._set_live(self._nobody)
        self._hooks.live, self._hooks.stepping = self._nobody, self._all_worlds[:0]
        self._seen: tuple[Any, ...] = ()
        self._first_seed = seed
        self._no_step_because: str | None = "no episode has begun"
        self._closed = False
        self._updates = _overrides(hooks, "update")
        self._ends_together = _overrides(hooks, "ends")
        self._terminates = _overrides(hooks, "terminated")
        self._truncates = _overrides(hooks, "truncated")
        if _overrides(hooks, "fixed_update"):
            self.world.trackers.add(_FixedUpdates(hooks, self._invoke))

    def __len__(self) -> int:
        """Returns the number of worlds, W."""
        return len(self.world)

    @cached_property
    def observation_space(self) -> dict[str, Space[Any]]:
        """The observation space of each slot, by name; each is a copy of its own."""
        return {s.name: deepcopy(self.groups[s.group].observation_space) for s in self._slots}

    @cached_property
    def action_space(self) -> dict[str, Space[Any]]:
        """The action space of each slot, by name.

        Each is a copy, seeded on its own, as by ``env.action_space[name].seed(7)``.
        """
        return {s.name: deepcopy(self.groups[s.group].action_space) for s in self._slots}

    @property
    def live(self) -> Bools:
        """(W, A) bool, the agents that are not done; a copy."""
        return self._live.copy()

    @property
    def live_agents(self) -> tuple[str, ...]:
        """The names of the slots that are not done, whose actions the next step needs."""
        return tuple(slot.name for slot in self._live_slots)

    def world_of(self, slot: str) -> int:
        """Returns the number of a slot's world."""
        return self._by_name[slot].world

    # On arrays

    def reset_worlds(self, seed: Seed = None, worlds: ArrayLike | None = None) -> tuple[Any, ...]:
        """Begins new episodes in all worlds, or in some.

        The worlds are reset first, then the area.

        Args:
            seed: Of the random numbers: n seeds world w with n + w; a sequence has a seed, or
                None, for each world that is reset. Without one, random numbers go on.
            worlds: The numbers of the worlds, ascending; all by default.

        Returns:
            What agents observe in all worlds: a batch (W, A_g, ...) for each group.

        Raises:
            CallbackError: An agent or the area raised.
            ObservationError: An observation does not lie in its space.
            ResetNeededError: Some worlds are to be reset, and all need it.
            ClosedEnvironmentError: The environment is closed.
        """
        self._reset(seed, worlds)
        self._no_step_because = None
        return self._observations.copy(self._seen)

    def step_worlds(self, actions: Sequence[Any], worlds: ArrayLike | None = None) -> Step:
        """Has every live agent of some worlds act once, and these worlds advance.

        Args:
            actions: A batch of actions (W, A_g, ...) for each group; rows of agents that are not
                live, or of worlds that do not step, are ignored.
            worlds: The numbers of the worlds, ascending; all by default.

        Returns:
            Observations in all worlds, rewards and ends.

        Raises:
            ActionError: An action does not lie in its space; nothing has happened.
            ResetNeededError: No agent of a world is live; nothing has happened.
            CallbackError: The area, a behaviour or a tracker raised.
            ObservationError: An observation does not fit its space.
            ValueError: Rewards or ends have another shape, or a reward is not finite.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_ready()
        with self.world:
            step, _ = self._step(actions, self._numbers(worlds))
        self._no_step_because = None
        return step._replace(observation=self._observations.copy(self._seen))

    def info(self) -> dict[str, Any]:
        """Returns the area's info as arrays (W, ...); an agent's own values are a dict of them.

        Raises:
            CallbackError: The area raised.
            TypeError, ValueError: The info is not a dict, has the key ``"deepsim"``, or an entry
                has not one value for each world.
        """
        worlds = len(self)

        def arrays(values: Mapping[str, Any], agents: Sequence[str]) -> dict[str, Any]:
            return {
                key: arrays(value, ())
                if key in agents and isinstance(value, Mapping)
                else world_values(value, worlds, f"info {key!r}")
                for key, value in values.items()
            }

        with self.world:
            return arrays(self._area_info(), self.agents)

    # By name

    def reset(self, seed: Seed = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins new episodes in all worlds.

        Args:
            seed: Seed of the random numbers: world w has seed + w. The same seed gives the same
                episodes. Without one, random numbers go on from where they are.

        Returns:
            The observation of each slot, and the info that `step` would return.

        Raises:
            CallbackError: An agent or the area raised.
            ObservationError: An observation does not lie in its space.
            TypeError, ValueError: The area's info is not a dict, or has the key ``"deepsim"``.
            ClosedEnvironmentError: The environment is closed.
        """
        self._reset(seed, None)
        with self.world:
            info = self._named_info(self._slots, self._nobody, self._nobody)
        self._no_step_because = None
        return {slot.name: self._observations.get(self._seen, slot) for slot in self._slots}, info

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Has every live agent act once, and the worlds advance by `frame_skip` physics steps.

        Agents act before the physics advances; afterwards all behaviours, or the rules of the
        area, are updated once. After a step that failed halfway the world is usable, but the next
        step needs a reset.

        Args:
            action_dict: An action for every live agent, by name; those of agents that are done
                are ignored.

        Returns:
            Observation, reward, done, last action and info, by name in the order of `slots`.

        Raises:
            ActionError: An action is missing, of an unknown agent, or outside its space; nothing
                has happened to the world.
            CallbackError: A behaviour, a tracker or the area raised.
            ObservationError: An observation does not fit its space.
            TypeError, ValueError: The actions are not a dict, or the area's info is none, or has
                the key ``"deepsim"``.
            ResetNeededError: No episode is under way.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_ready()
        slots = self._live_slots
        if not slots:
            raise ResetNeededError("all agents are done")
        given = self._collected(action_dict, slots)
        with self.world:
            step, actions = self._step(given, self._living_worlds())
            info = self._named_info(slots, step.terminated, step.truncated)
            taken = (
                self._objects.last_actions()
                if self._objects is not None
                else {slot.name: self._actions.get(actions, slot) for slot in slots}
            )
        self._no_step_because = None
        return StepResult(
            {slot.name: self._observations.get(self._seen, slot) for slot in slots},
            by_slot(step.reward, slots),
            by_slot(step.terminated | step.truncated, slots),
            taken,
            info,
        )

    # Snapshots

    def get_state(self) -> EnvironmentState:
        """Returns this instant between two steps, to come back to by `set_state`.

        It holds the worlds (`World.get_state`) with what agents and behaviours remember, random
        numbers, and what the area remembers.

        Raises:
            UnsupportedError: The simulator cannot go back.
            CallbackError: An agent, a behaviour or the area raised.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        with self.world:
            return EnvironmentState(
                world=self.world.get_state(),
                area=self._invoke(self._hooks.get_state),
                observation=self._observations.copy(self._seen) if self._seen else None,
                steps=self.steps.copy(),
                live=self._live.copy(),
                no_step_because=self._no_step_because,
                first_seed=self._first_seed,
            )

    def set_state(self, state: EnvironmentState) -> None:
        """Goes back to an instant: the same actions give the same bytes from there on.

        Args:
            state: What `get_state` returned, here or in another environment of the same task with
                as many worlds.

        Raises:
            ValueError: The state is one of another task; nothing has changed.
            UnsupportedError: The simulator cannot go back.
            CallbackError: An agent, a behaviour or the area raised.
            ClosedEnvironmentError: The environment is closed.
        """
        self._require_open()
        with self.world:
            self.world.set_state(state.world)
            self._no_step_because = _HALFWAY.format("set_state")
            self._invoke(self._hooks.set_state, state.area)
        seen = state.observation
        self._seen = () if seen is None else self._observations.copy(seen)
        self.steps = state.steps.copy()
        self.diverged = self._no_world
        self._set_live(state.live.copy())
        self._no_step_because = state.no_step_because
        self._first_seed = state.first_seed

    # The end

    def close(self) -> None:
        """Closes the area and its world; closing twice does no harm."""
        if self._closed:
            return
        self._closed = True
        try:
            with self.world:
                self._invoke(self._hooks.close)
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

    def _require_ready(self) -> None:
        self._require_open()
        if self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)

    def _numbers(self, worlds: ArrayLike | None) -> WorldNumbers | None:
        """Returns the numbers of some worlds; None stands for all."""
        if worlds is None:
            return None
        numbers = np.asarray(worlds)
        count = len(self)
        if (
            numbers.ndim != 1
            or numbers.dtype.kind not in "iu"
            or not (len(numbers) and numbers[0] >= 0 and numbers[-1] < count)
            or not (numbers[1:] > numbers[:-1]).all()
        ):
            raise ValueError(
                f"worlds must be numbers from 0 to {count - 1}, ascending, got {worlds!r}"
            )
        return None if len(numbers) == count else numbers.astype(np.intp)

    # Who is live

    def _set_live(self, live: Bools) -> None:
        # The same array as long as all agents are live, for quick comparison.
        self._live = self._everyone if live.all() else _frozen(live)
        self._known_live_slots: list[Slot] | None = None

    @property
    def _live_slots(self) -> Sequence[Slot]:
        if self._live is self._everyone:
            return self._slots
        if self._known_live_slots is None:
            live = self._live.tolist()
            self._known_live_slots = [s for s in self._slots if live[s.world][s.column]]
        return self._known_live_slots

    def _living_worlds(self) -> WorldNumbers | None:
        """Returns the worlds where an agent is live; None stands for all."""
        if self._live is self._everyone:
            return None
        return self._numbers(np.flatnonzero(self._live.any(axis=1)))

    def _taking_part(self, worlds: WorldNumbers | None) -> tuple[Bools]:
        """Returns who is live in the worlds that step, and the numbers of these worlds."""
        live, stepping = self._live, self._all_worlds
        if worlds is not None:
            live, stepping = self._nobody.copy(), worlds
            live[worlds] = self._live[worlds]
            live = _frozen(live)
        if live is not self._everyone:
            over = stepping[~live[stepping].any(axis=1)]
            if len(over):
                raise ResetNeededError(f"all agents of worlds {over.tolist()} are done")
        return live, stepping

    # A reset

    def _reset(self, seed: Seed, worlds: ArrayLike | None) -> None:
        """Resets and observes; the next step needs no reset once the caller says so."""
        self._require_open()
        chosen = self._numbers(worlds)
        if chosen is not None and self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        self._no_step_because = _HALFWAY.format("reset")
        begins, stepping = self._everyone, self._all_worlds
        if chosen is not None:
            begins, stepping = self._nobody.copy(), chosen
            begins[chosen] = True
        with self.world:
            self.world.reset(self._first_seed if seed is None else seed, chosen)
            self._hooks.live, self._hooks.stepping = _frozen(begins), stepping
            self._invoke(self._hooks.reset, stepping)
            self.world.flush()
            self._seen = self._observed(bounds=True)
        self.steps = np.where(begins.any(axis=1), 0, self.steps)
        self.diverged = self._no_world
        self._set_live(self._live | begins)
        self._first_seed = None

    # A step

    def _step(self, given: Any, worlds: WorldNumbers | None) -> tuple[Step, tuple[Any, ...]]:
        """Steps, with the world current; the next one needs no reset once the caller says so.

        Returns:
            The result, with the observation that `_seen` keeps, and the checked actions.
        """
        hooks = self._hooks
        live, stepping = self._taking_part(worlds)
        actions = self._actions.checked(given, live, bounds=True)
        if live is not self._everyone:
            self._actions.overwrite(actions, ~live)
        self._no_step_because = _HALFWAY.format("step")
        hooks.live, hooks.stepping = live, stepping
        self._invoke(hooks.act, actions if len(actions) > 1 else actions[0])
        self._advance(worlds)
        if worlds is None:
            self.steps = self.steps + 1
        else:
            self.steps = self.steps.copy()
            self.steps[worlds] += 1
        if len(hooks.stepping):
            if self._updates:
                self._invoke(hooks.update)
            self.world.flush()
            seen = self._observed(bounds=False)
            terminated, truncated = self._ended()
            reward = self._reward()
        else:  # everything diverged
            seen = self._seen
            terminated, truncated = self._nobody.copy(), self._nobody.copy()
            reward = np.zeros(live.shape)
        if self.diverged is not self._no_world:
            ended = live & self.diverged[:, None]
            truncated |= ended
            if seen is not self._seen:
                self._observations.overwrite(seen, ended, self._seen)
        self._seen = seen
        done = terminated | truncated
        if done.any():
            self._set_live(self._live & ~done)
        return Step(seen, reward, terminated, truncated), actions

    def _advance(self, worlds: WorldNumbers | None) -> None:
        """Ticks; a world that diverges is reset, and takes no further part in the step."""
        self.diverged = self._no_world
        for _ in range(self._ticks):
            try:
                self.world.tick(worlds)
            except SimulationError as error:
                worlds = self._leave_out(error)
                if not len(worlds):
                    return

    def _leave_out(self, error: SimulationError) -> WorldNumbers:
        """Resets the worlds that diverged; returns those that go on."""
        if not error.worlds:
            raise error
        hooks, diverged = self._hooks, np.array(error.worlds, np.intp)
        self.diverged = self.diverged.copy()
        self.diverged[diverged] = True
        hooks.live = _frozen(hooks.live & ~self.diverged[:, None])
        hooks.stepping = hooks.stepping[~self.diverged[hooks.stepping]]
        self.world.reset(worlds=diverged)
        self._invoke(hooks.diverged, diverged)
        return hooks.stepping

    def _observed(self, *, bounds: bool) -> tuple[Any, ...]:
        seen = self._invoke(self._hooks.observe)
        values = seen if len(self.groups) > 1 else (seen,)
        return self._observations.checked(values, self._hooks.live, bounds=bounds)

    def _ended(self) -> tuple[Bools, Bools]:
        """Returns whose episodes the step terminates and truncates, (W, A) each."""
        hooks, limit = self._hooks, self.max_episode_steps
        late = self._no_world if limit is None else self.steps >= limit
        declared: tuple[Any, Any]
        if self._ends_together:
            declared = self._invoke(hooks.ends, late)
        else:
            declared = (
                self._invoke(hooks.terminated) if self._terminates else None,
                self._invoke(hooks.truncated) if self._truncates else None,
            )
        terminated, truncated = (
            self._nobody.copy() if values is None else self._table(name, values, np.bool_)
            for name, values in zip(("terminated", "truncated"), declared, strict=True)
        )
        if limit is not None:
            truncated |= late[:, None]
        terminated &= hooks.live
        truncated &= hooks.live & ~terminated
        return terminated, truncated

    def _reward(self) -> NDArray[np.float64]:
        """Returns the reward of each agent, (W, A); 0 where it takes no part."""
        live = self._hooks.live
        reward = self._table("reward", self._invoke(self._hooks.reward), np.float64)
        if live is not self._everyone:
            reward[~live] = 0.0
        # One pass without a temporary: the square is finite only if all rewards are.
        if not math.isfinite(np.vdot(reward, reward)) and not np.isfinite(reward).all():
            world, column = np.argwhere(~np.isfinite(reward))[0].tolist()
            slot = self._slots[world * len(self.agents) + column]
            raise ValueError(
                f"reward of agent {slot.name!r} must be finite, got {reward[world, column]}"
            )
        return reward

    def _table(self, name: str, values: Any, dtype: Any) -> NDArray[Any]:
        """Returns a copy of values by world and agent, (W, A)."""
        try:
            table: NDArray[Any] = np.array(values, dtype)
        except (TypeError, ValueError):  # words, or rows of several lengths
            table = np.empty(0)
        if table.shape != self._nobody.shape:
            raise ValueError(
                f"{name} of {type(self.area).__name__} must have shape {self._nobody.shape}, "
                f"got {shown(values)}"
            )
        return table

    # By name

    def _collected(self, action_dict: Mapping[str, Any], slots: Sequence[Slot]) -> list[Any]:
        """Returns the actions of live agents in batches."""
        if not isinstance(action_dict, Mapping):
            raise TypeError(f"action_dict must be a dict by agent name, got {action_dict!r}")
        for name in action_dict:
            if name not in self._by_name:
                known = ", ".join(self.slots)
                raise ActionError(name, f"no agent is named {name!r}: the agents are {known}")
        batches = self._actions.empty()
        for slot in slots:
            if slot.name not in action_dict:
                raise ActionError(
                    slot.name,
                    f"agent {slot.name!r} has no action: every agent that is not done needs one",
                )
            self._actions.put(batches, slot, action_dict[slot.name])
        return batches

    def _area_info(self) -> Mapping[str, Any]:
        info = self._invoke(self._hooks.info)
        owner = type(self.area).__name__
        if not isinstance(info, Mapping):
            raise TypeError(f"{owner}.info() must return a dict, got {info!r}")
        if "deepsim" in info:
            raise ValueError(f"the info of {owner} must leave the key 'deepsim' to the environment")
        return info

    def _named_info(
        self, slots: Sequence[Slot], terminated: Bools, truncated: Bools
    ) -> dict[str, Any]:
        info = named_info(self._area_info(), slots, self.agents, len(self))
        diverged = self.diverged.tolist()
        info["deepsim"] = {
            "terminated": by_slot(terminated, slots),
            "truncated": by_slot(truncated, slots),
            "diverged": {slot.name: diverged[slot.world] for slot in slots},
        }
        return info


class _FixedUpdates:
    """A tracker that calls an area's `fixed_update`."""

    def __init__(self, area: Area, call: Callable[..., Any]) -> None:
        self._area = area
        self._call = call

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        self._call(self._area.fixed_update, delta_time)


def _call(hook: Callable[..., Any], *args: Any) -> Any:
    return hook(*args)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _overrides(area: Area, hook: str) -> bool:
    return getattr(type(area), hook) is not getattr(Area, hook) or hook in vars(area)
