# SPDX-License-Identifier: Apache-2.0
"""Agents of all worlds as the slots of one `VecEnv`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Bools
from deepsim_envs.construction import JoinedEnvironment
from deepsim_envs.environment import Environment
from deepsim_envs.environment.info import entries_of
from deepsim_envs.policy import PolicyMaker
from deepsim_envs.spaces import MASK, allowed, choices_of, leafwise
from deepsim_envs.viewing import Viewfinder, drawn_seed, equal_spaces, place_of
from deepsim_sync import CameraView, world_seeds
from deepsim_train.auto_reset import AutoReset, GameOver, Infos, Outcome, rows_of

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        "deepsim_train.sb3 needs Stable-Baselines3: "
        "pip install --find-links dist 'deepsim-train[sb3]'"
    ) from error

Steps = tuple[Any, NDArray[np.float32], Bools, list[dict[str, Any]]]
"""The results of `step`: observations, rewards, dones and infos of all slots."""


class SlotsVecEnv(VecEnv):  # type: ignore[misc]  # not typed where it is not installed
    """Some agents of all worlds, each in its own slot; see `deepsim_train.sb3` for *slot*.

    The info of the last step of a slot's episode has ``"episode"``, with the sum of rewards
    ``"r"`` and the number of steps ``"l"``, as from `VecMonitor`, but without wall-clock time.

    Args:
        environment: The task; closing the `VecEnv` closes it.
        agents: Names of the agents.
        whose: The policy of the agents, for error messages.
        viewfinder: Takes the pictures; without one there are none.

    Attributes:
        environment: The task.
        agents: Names of the agents.
        slots: World and agent of each slot: the agents of world 0, then those of world 1, ...
        privileged: The keys of observations that only a value function may read; see `Agents`.

    Raises:
        ValueError: Agents differ in their spaces.
    """

    _seeds: list[int | None]

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        agents: Sequence[str],
        whose: str,
        viewfinder: Viewfinder | None = None,
    ) -> None:
        self._viewfinder = viewfinder
        self.environment, self.agents = environment, tuple(agents)
        self.slots = [(world, agent) for world in range(len(environment)) for agent in agents]
        self._places = [place_of(agent, environment.groups) for agent in agents]
        groups = [environment.groups[number] for number, _ in self._places]
        why = f"{whose} acts for {' and '.join(map(repr, agents))}"
        spaces = equal_spaces(dict(zip(agents, groups, strict=True)), why)
        self.privileged = spaces.privileged
        super().__init__(
            len(self.slots), deepcopy(spaces.observation_space), deepcopy(spaces.action_space)
        )
        if viewfinder is not None:
            self.metadata = viewfinder.metadata
        self._shape = (len(environment), len(agents))
        self._columns = [environment.agents.index(agent) for agent in agents]
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, dtype=np.int64)
        self._actions: Any = None
        self._masks: Bools | None = None
        self._seeded = False

    @abstractmethod
    def _reset_worlds(self, seeds: list[int | None]) -> tuple[Sequence[Any], Infos]:
        """Begins all episodes with a seed for each world; returns observations and infos."""

    @abstractmethod
    def _step_worlds(self, actions: Mapping[str, Any]) -> Outcome:
        """Steps all worlds once with the actions (W, ...) of each agent."""

    def reset(self) -> Any:
        """Begins an episode in all slots, with the seeds from `seed`, if any.

        If the first reset has no seeds, it draws them, like Gymnasium's own environments. A world
        gets the seed of its first slot.
        """
        if not self._seeded and self._seeds[0] is None:
            self._seeds = world_seeds(drawn_seed(), np.arange(self.num_envs))
        self._returns[:] = 0.0
        self._lengths[:] = 0
        batches, infos = self._reset_worlds(self._seeds[:: self._shape[1]])
        self._keep_infos(range(self._shape[0]), infos)
        seen = rows_of(batches, self._places)
        self._keep_masks(seen)
        self._seeded = True
        self._reset_seeds()
        self._reset_options()
        return seen

    def step_async(self, actions: Any) -> None:
        """Stores an action for each slot; `step_wait` carries them out."""
        self._actions = actions

    def step_wait(self) -> Steps:
        """Steps all worlds once; see `VecEnv.step`."""
        outcome = self._step_worlds(
            {
                agent: leafwise(
                    lambda part, row=row: part.reshape(*self._shape, *part.shape[1:])[:, row],
                    self._actions,
                )
                for row, agent in enumerate(self.agents)
            }
        )
        steps = self._steps_of(outcome)
        self._keep_masks(steps[0])
        return steps

    def get_state(self) -> dict[str, Any]:
        """Returns the returns, lengths and masks of the current episodes."""
        return {
            "returns": self._returns.copy(),
            "lengths": self._lengths.copy(),
            "masks": None if self._masks is None else self._masks.copy(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the returns, lengths and masks of the current episodes.

        Raises:
            ValueError: The state has a different number of slots.
        """
        if state["returns"].shape != self._returns.shape:
            raise ValueError(
                f"expected the state of {self.num_envs} slots, got {len(state['returns'])}"
            )
        self._returns, self._lengths = state["returns"].copy(), state["lengths"].copy()
        self._masks = None if state["masks"] is None else state["masks"].copy()
        self._seeded = True

    def action_masks(self) -> Bools:
        """Returns which discrete actions each slot allows, (slots, n) bool, for MaskablePPO.

        They come from ``"action_mask"`` in the latest observations; without it, all are allowed.

        Raises:
            TypeError: The actions are not discrete.
        """
        if self._masks is None:
            return allowed(None, self.action_space, self.num_envs)
        return self._masks.copy()

    def _keep_masks(self, seen: Any) -> None:
        if isinstance(seen, Mapping) and MASK in seen and choices_of(self.action_space):
            self._masks = allowed(seen, self.action_space, self.num_envs)

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Takes a picture of each world, (height, width, 3) RGB, which `render` puts together."""
        if self._viewfinder is None:
            return [None] * self._shape[0]
        return [self._viewfinder.picture(world) for world in range(self._shape[0])]

    def close(self) -> None:
        """Closes the environment; further calls have no effect."""
        self.environment.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Returns an attribute of the environment, once for each slot."""
        owner = self if attr_name == "action_masks" else self.environment
        if attr_name == "render_mode":  # which SB3 asks for, and warns if it is missing
            found = None if self._viewfinder is None else self._viewfinder.mode
        else:
            found = getattr(owner, attr_name)
        return [found for _ in self._get_indices(indices)]

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Sets an attribute of the environment, which all slots share."""
        setattr(self.environment, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Calls a method of the environment once; returns its result for each slot.

        The method `action_masks` of this class returns another result for each slot.
        """
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[slot] for slot in self._get_indices(indices)]
        result = getattr(self.environment, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Returns True for SB3's `Monitor`, because the infos have the same entries."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _steps_of(self, outcome: Outcome) -> Steps:
        """Returns observations, rewards, dones and infos of the slots, and counts the step."""
        step = outcome.step
        live = outcome.live[:, self._columns].ravel()
        terminated = step.terminated[:, self._columns].ravel()
        reward = step.reward[:, self._columns].ravel()
        dones = terminated | step.truncated[:, self._columns].ravel()
        dones |= np.repeat(outcome.over, self._shape[1])
        self._returns += reward
        self._lengths += live
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in self.slots]
        for slot in np.flatnonzero(~live).tolist():
            infos[slot]["waiting"] = True
        seen = rows_of(step.observation, self._places) if dones.any() else None
        for slot in np.flatnonzero(dones).tolist():
            world, row = divmod(slot, self._shape[1])
            if live[slot]:
                infos[slot].update(entries_of(outcome.infos[self._columns[row]], world))
                if outcome.diverged[world]:
                    infos[slot]["diverged"] = True
                infos[slot]["TimeLimit.truncated"] = not terminated[slot]
                episode = {"r": float(self._returns[slot]), "l": int(self._lengths[slot])}
                infos[slot]["episode"] = episode
                self._returns[slot] = self._lengths[slot] = 0
            infos[slot]["terminal_observation"] = leafwise(
                lambda part, slot=slot: part[slot].copy(), seen
            )
        if outcome.over.any():
            self._keep_infos(np.flatnonzero(outcome.over).tolist(), outcome.first_infos)
        return rows_of(outcome.seen, self._places), reward.astype(np.float32), dones, infos

    def _keep_infos(self, worlds: Iterable[int], infos: Infos) -> None:
        """Sets `reset_infos` for the slots of some worlds."""
        for world in worlds:
            for row, column in enumerate(self._columns):
                self.reset_infos[world * self._shape[1] + row] = entries_of(infos[column], world)


class AgentsVecEnv(SlotsVecEnv):
    """Agents of all worlds, each in its own slot, from which one policy learns.

    The slots are the agents of world 0, then those of world 1, and so on.

    A world is reset within the step that ends its episode. With ``game_over="all"``, the slot of an
    agent that is done earlier waits until all agents in slots are done. A waiting slot gets no
    reward, ignores its actions, repeats its last observation, and has ``info["waiting"]``; when its
    world is reset, it reports done again, without ``info["episode"]``. With ``game_over="any"``,
    the first agent that is done ends the episode, and all others are truncated.

    Only in the last step of an episode does a slot's info have the area's info for its world and
    agent; call ``environment.info()`` to get it at other times.

    Args:
        environment: The task; closing the `VecEnv` closes it.
        agents: Names of the agents in slots; by default all, in the order of `Environment.agents`.
        others: Makes the policy of all other agents for each episode in each world; optional if
            there are none. World w draws from a generator with the seed of its first slot.
        game_over: Whether an episode is over when all agents in slots are done, or when any is.
        render_mode: ``"rgb_array"`` for `render` and SB3's `VecVideoRecorder`, or None.
        camera: The camera for pictures: the name of a camera sensor, or a free camera.

    Attributes:
        environment: The task.
        agents: Names of the agents in slots.
        slots: World and agent of each slot.

    Raises:
        ValueError: An agent is unknown, the agents differ in their spaces, other agents have no
            policy, `game_over` is unknown, or a render mode has no camera.
        UnsupportedError: The simulator takes no pictures.

    Example:
        `make` is the function from the `Area` example:

        >>> slots = AgentsVecEnv(make(worlds=3))
        >>> slots.seed(7)
        [7, 8, 9]
        >>> slots.reset().shape
        (3, 1)
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        *,
        agents: Sequence[str] | None = None,
        others: PolicyMaker | None = None,
        game_over: GameOver = "all",
        render_mode: str | None = None,
        camera: str | CameraView | None = None,
    ) -> None:
        known = environment.agents
        agents = known if agents is None else agents
        unknown = [agent for agent in agents if agent not in known]
        if unknown or not agents or len(set(agents)) < len(agents):
            raise ValueError(f"agents must be some of {list(known)}, got {list(agents)}")
        self._worlds = AutoReset(environment, agents, others, game_over)
        viewfinder = Viewfinder(environment, render_mode, camera)
        super().__init__(environment, agents, "one policy", viewfinder)

    def get_state(self) -> dict[str, Any]:
        """Returns the state between two steps, for `set_state`; it can be pickled.

        The state holds the worlds, the generators and policies of `others`, and the returns and
        lengths of the current episodes.

        Raises:
            UnsupportedError: The simulator has no snapshots.
        """
        return {"worlds": self._worlds.get_state(), **super().get_state()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores a state of this task with the same number of slots.

        From then on, the same actions give the same steps.

        Raises:
            ValueError: The state comes from another task, or has a different number of slots.
            UnsupportedError: The simulator has no snapshots.
        """
        super().set_state(state)
        self._worlds.set_state(state["worlds"])

    def _reset_worlds(self, seeds: list[int | None]) -> tuple[Sequence[Any], Infos]:
        return self._worlds.reset(seeds)

    def _step_worlds(self, actions: Mapping[str, Any]) -> Outcome:
        return self._worlds.step(actions)
