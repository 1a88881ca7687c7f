# SPDX-License-Identifier: Apache-2.0
"""The view of one agent in all worlds as Gymnasium's `VectorEnv`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from deepsim_envs.area import Bools
from deepsim_envs.construction import JoinedEnvironment
from deepsim_envs.environment import Environment
from deepsim_envs.errors import ActionError, ResetNeededError
from deepsim_envs.policy import PolicyMaker
from deepsim_envs.spaces import copied, leafwise, shown
from deepsim_envs.viewing import Viewfinder, drawn_seed
from deepsim_sync import CameraView, world_seeds

from .one_agent import OneAgent


class GymnasiumVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """The view of one agent in all worlds of an environment; a policy acts for all other agents.

    All results, including seeds, masks, infos and final observations, are bit for bit the same as
    from Gymnasium's `SyncVectorEnv` around a `GymnasiumEnv` for each world. All actions are checked
    before any world moves. All results are copies.

    Args:
        environment: The task; closing the view closes it.
        agent: Name of the agent; optional if there is only one.
        others: Makes the policy of all other agents for each episode in each world; optional if
            there is only one agent. The policy draws from the world's generator in `np_random`.
            With several worlds, the function gets an object that only has the ``agents`` and spaces
            of an environment.
        autoreset_mode: When a world is reset after its episode: in the next step (``"NextStep"``),
            in the same step (``"SameStep"``), or by `reset` with a mask (``"Disabled"``).
        render_mode: ``"rgb_array"``, or None.
        camera: The camera for pictures: the name of a camera sensor, or a free camera.
        clip_actions: Whether actions beyond the bounds of their `Box` are clipped, as Gaussian
            policies need it, rather than refused.

    Raises:
        ValueError: An argument is invalid, as in `GymnasiumEnv`, or the mode is unknown.
        UnsupportedError: The simulator takes no pictures.

    Example:
        `make` is the function from the `Area` example:

        >>> envs = GymnasiumVectorEnv(make(worlds=2))
        >>> observations, infos = envs.reset(seed=7)
        >>> observations, rewards, *_ = envs.step([[1.0], [-1.0]])
        >>> rewards
        array([ 0.5, -0.5])
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        *,
        agent: str | None = None,
        others: PolicyMaker | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        camera: str | CameraView | None = None,
        clip_actions: bool = False,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.environment = environment
        self.num_envs = len(environment)
        made = [seeding.np_random() for _ in range(self.num_envs)]
        self._generators = [generator for generator, _ in made]
        self._generator_seeds: list[int | None] = [seed for _, seed in made]
        self._agent = OneAgent(environment, agent, others, self._generators)
        self.agent = self._agent.name
        self.single_observation_space = deepcopy(self._agent.spaces.observation_space)
        self.single_action_space = deepcopy(self._agent.spaces.action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._limits: tuple[NDArray[Any], NDArray[Any]] | None = None
        if clip_actions:
            if not isinstance(self.single_action_space, Box):
                space = self.single_action_space
                raise ValueError(f"clip_actions needs a Box of actions, got {space}")
            self._limits = self.single_action_space.low, self.single_action_space.high
        self._viewfinder = Viewfinder(environment, render_mode, camera)
        self.metadata = {**self._viewfinder.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self._seen: Sequence[Any] | None = None
        self._seeded = np.zeros(self.num_envs, dtype=np.bool_)
        self._ended = np.zeros(self.num_envs, dtype=np.bool_)

    @property  # type: ignore[misc]  # settable in the base class
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]  # one each
        """The generator of each world, for the policy of the other agents."""
        return tuple(self._generators)

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:  # type: ignore[override]  # one each
        """The seed of each world's generator."""
        return tuple(self._generator_seeds)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode in all worlds, or in some of them.

        If the first reset of a world gets no seed, it draws one.

        Args:
            seed: One seed for each world; an int n stands for n, n + 1, ...
            options: ``"reset_mask"``, (num_envs,) bool, selects the worlds to reset; the other
                worlds and their observations do not change. All other options are for the task.

        Returns:
            Observations of all worlds, and infos of the worlds that were reset.

        Raises:
            TypeError, ValueError: The seeds or the mask do not fit; nothing was reset.
            ResetNeededError: Only some worlds are reset, but all of them need a reset first.
        """
        seeds = world_seeds(seed, np.arange(self.num_envs))
        mask = _reset_mask(options, self.num_envs)
        own = {name: value for name, value in (options or {}).items() if name != "reset_mask"}
        self._begin(mask, seeds, own)
        self._ended[mask] = False
        return self._agent.observations(self._seen or ()), self._info(mask)

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], Bools, Bools, dict[str, Any]]:
        """Steps every world once. In mode NextStep, ended worlds are reset instead, with reward 0.

        Args:
            actions: A batch of actions; the action of a world that is reset instead is ignored.

        Returns:
            The five values of Gymnasium. In mode SameStep, if an episode has ended, the
            observation is the first one of the next episode; the last observation and info are in
            ``infos["final_obs"]`` and ``infos["final_info"]``.

        Raises:
            ActionError: An action is not in its space; no world has moved.
            ResetNeededError: No episode has begun, or, in mode Disabled, an episode is over; no
                world has moved.
        """
        if self._seen is None:
            raise ResetNeededError("no episode has begun")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise ResetNeededError(
                f"the episodes of worlds {np.flatnonzero(self._ended).tolist()} are over, and the "
                'mode Disabled leaves resets to you, as by options={"reset_mask": mask}'
            )
        if self._limits is not None:
            actions = np.clip(actions, *self._limits)
        resets = self._ended
        live = self.environment.live & ~resets[:, None]
        groups = self._agent.actions(self._own(actions), live, self._seen)
        rewards: NDArray[np.float64] = np.zeros(self.num_envs)
        terminations: Bools
        truncations: Bools
        terminations, truncations = np.zeros((2, self.num_envs), dtype=np.bool_)
        if not resets.all():
            worlds = np.flatnonzero(~resets) if resets.any() else None
            step = self.environment.step_worlds(groups, worlds)
            self._seen = step.observation
            column = self._agent.column
            rewards = step.reward[:, column].copy()
            terminations = step.terminated[:, column].copy()
            truncations = step.truncated[:, column] | self._agent.left_out()
        infos: dict[str, Any] = {}
        ended = terminations | truncations
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            resets, ended = ended, np.zeros_like(ended)
            if resets.any():
                infos = self._final(resets)
        if resets.any():
            self._begin(resets, [None] * self.num_envs)
        self._ended = ended
        infos.update(self._info(np.ones(self.num_envs, dtype=np.bool_)))
        return self._agent.observations(self._seen), rewards, terminations, truncations, infos

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the rewards for achieved goals; see `Area.compute_reward`."""
        return self.environment.compute_reward(achieved_goal, desired_goal, info)

    def render(self) -> tuple[NDArray[np.uint8] | None, ...]:  # type: ignore[override]  # typed as a list there
        """Takes a picture of each world, (height, width, 3) RGB; None without a render mode."""
        return tuple(self._viewfinder.picture(world) for world in range(self.num_envs))

    def get_state(self) -> dict[str, Any]:
        """Returns a snapshot of the view, for `set_state`; it can be pickled.

        For a policy of other agents with `get_state` and `set_state`, the snapshot contains its
        memory of the episode. All other policies lose their memory: `set_state` makes them again,
        with the same generators.

        Raises:
            UnsupportedError: The simulator has no snapshots.
        """
        return {
            "environment": self.environment.get_state(),
            "others": self._agent.get_state(),
            "seen": copied(tuple(self._seen or ())),
            "seeded": self._seeded.copy(),
            "ended": self._ended.copy(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores a snapshot of this task with the same number of worlds."""
        self.environment.set_state(state["environment"])
        self._agent.set_state(state["others"])
        self._seen = copied(state["seen"]) or None
        self._seeded, self._ended = state["seeded"].copy(), state["ended"].copy()

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the environment; called by `close`."""
        self.environment.close()

    def _begin(
        self,
        mask: Bools,
        seeds: Sequence[int | None],
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begins episodes in some worlds, like `GymnasiumEnv.reset` in each of them."""
        worlds = np.flatnonzero(mask)
        own = []
        for world in worlds.tolist():
            seed = seeds[world]
            if seed is not None:
                self._generators[world], self._generator_seeds[world] = seeding.np_random(seed)
            elif not self._seeded[world]:
                seed = drawn_seed(self._generators[world])
            own.append(seed)
        self._seen = self.environment.reset_worlds(own, worlds, options)
        self._seeded[worlds] = True
        self._agent.begin(worlds.tolist())

    def _own(self, actions: Any) -> Any:
        """Returns a batch in arrays as it is if nobody else acts, else a list of W actions."""
        if len(self.environment.agents) == 1 and _is_in_arrays(actions, self.num_envs):
            return actions
        try:
            members = list(iterate(self.action_space, actions))
        except (KeyError, IndexError, TypeError):
            members = []
        if len(members) != self.num_envs:
            raise ActionError(
                self.agent,
                f"{self.num_envs} worlds take {self.num_envs} actions, "
                f"got {len(members) or shown(actions)}",
            )
        return members

    def _info(self, mask: Bools) -> dict[str, Any]:
        """Returns infos of some worlds in Gymnasium's form: arrays and masks of valid entries."""
        found = self.environment.info(self.agent)
        infos: dict[str, Any] = {}
        for name, values in found.items():
            values[~mask] = None if values.dtype == object else 0
            infos[name], infos[f"_{name}"] = values, mask.copy()
        diverged = self.environment.diverged & mask
        if diverged.any():
            infos["diverged"], infos["_diverged"] = diverged, diverged.copy()
        return infos

    def _final(self, ended: Bools) -> dict[str, Any]:
        """Returns the last observations and infos of episodes that ended, in Gymnasium's form."""
        seen = self._agent.observations(self._seen or ())
        final = np.full(self.num_envs, fill_value=None, dtype=object)
        for world in np.flatnonzero(ended).tolist():
            final[world] = leafwise(lambda part, world=world: part[world].copy(), seen)
        infos = {"final_obs": final, "_final_obs": ended.copy()}
        return {**infos, "final_info": self._info(ended), "_final_info": ended.copy()}


def _is_in_arrays(batch: Any, worlds: int) -> bool:
    """Returns whether all parts of a batch are arrays (W, ...)."""
    if isinstance(batch, np.ndarray):
        return bool(batch.shape[:1] == (worlds,))
    parts = batch.values() if isinstance(batch, dict) else batch
    return isinstance(batch, (dict, tuple)) and all(_is_in_arrays(part, worlds) for part in parts)


def _reset_mask(options: Mapping[str, Any] | None, worlds: int) -> Bools:
    """Returns which worlds to reset, (W,) bool: ``options["reset_mask"]``, or by default all."""
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(
            "options must be one dict for all worlds, whose values may be arrays with an entry "
            f"for each world, got {shown(options)}"
        )
    if options is None or "reset_mask" not in options:
        return np.ones(worlds, dtype=np.bool_)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"reset_mask must be an array of bool, got {mask!r}")
    if mask.shape != (worlds,) or not mask.any():
        raise ValueError(f"reset_mask must have shape ({worlds},) and a True in it, got {mask}")
    return mask
