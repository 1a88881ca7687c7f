# SPDX-License-Identifier: Apache-2.0
"""Many worlds that are stepped as one batch, as Gymnasium's `VectorEnv`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .batch_environment import BatchEnvironment
from .batch_policy import BatchPolicy, BatchPolicyMaker
from .batch_values import checked_actions
from .errors import ResetNeededError
from .vector_options import Bools, refuse_ended, reset_mask, world_seeds
from .viewing import chosen_agent, drawn_seed, frames_per_second


class BatchVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """One agent's side of a batch environment; a policy acts for the others.

    It has the conventions of `GymnasiumVectorEnv`, and for the same task gives the same results:
    seeds, masks, errors, infos. All actions are checked before any world moves. Everything that is
    returned is a copy. No pictures are taken.

    Args:
        environment: The task in all worlds; closed with the view.
        agent: The agent; not needed where there is one only.
        others: Makes the policy of all other agents; not needed where there is one agent only. It
            draws from `np_random`, so that a seed repeats their actions too.
        autoreset_mode: As for `GymnasiumVectorEnv`.

    Attributes:
        environment: The task in all worlds.
        agent: Name of the agent.
        num_envs: How many worlds there are.
        single_observation_space: Of one world; `observation_space` is of all.
        single_action_space: Of one world; `action_space` is of all.
        metadata: With ``autoreset_mode``.

    Raises:
        ValueError: There is no such agent, it is not said which one of several or who acts for the
            others, or there is no such mode.
    """

    def __init__(
        self,
        environment: BatchEnvironment,
        *,
        agent: str | None = None,
        others: BatchPolicyMaker | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.environment = environment
        self.agent = chosen_agent(environment.agents, agent, alone=others is None)
        self.num_envs = len(environment)
        self.single_observation_space = environment.observation_space[self.agent]
        self.single_action_space = environment.action_space[self.agent]
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        seconds = environment.worlds.timestep * environment.frame_skip
        self.metadata = {
            "render_modes": [],
            "render_fps": frames_per_second(seconds),
            "autoreset_mode": self.autoreset_mode,
        }
        self.render_mode = None
        self._generators: list[np.random.Generator] = []
        self._generator_seeds: list[int | None] = []
        for _ in range(self.num_envs):
            generator, seed = seeding.np_random()
            self._generators.append(generator)
            self._generator_seeds.append(seed)
        self._policy: BatchPolicy | None = (
            None if others is None else others(environment, self._generators)
        )
        self._seen: dict[str, NDArray[Any]] = {}
        self._seeded = np.zeros(self.num_envs, dtype=np.bool_)
        self._ended = np.zeros(self.num_envs, dtype=np.bool_)
        self._no_step_because: str | None = "no episode has begun"

    @property  # type: ignore[misc]  # settable there, which one generator for each world cannot be
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]  # one each
        """The random generator of each world's policy."""
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
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins an episode in all worlds, or in some; see `GymnasiumVectorEnv.reset`."""
        seeds = world_seeds(seed, self.num_envs)
        mask = reset_mask(options, self.num_envs)
        if not mask.all() and self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        self._no_step_because = "the last reset failed halfway"
        self._reset(mask, seeds)
        self._ended[mask] = False
        self._no_step_because = None
        return self._seen[self.agent].copy(), self._info(mask)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], Bools, Bools, dict[str, Any]]:
        """Steps every world once; see `GymnasiumVectorEnv.step`."""
        if self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        if self.autoreset_mode is AutoresetMode.DISABLED:
            refuse_ended(self._ended)
        resets = self._ended.copy()
        stepping = ~resets
        checked = checked_actions(self.agent, self.single_action_space, actions, stepping)
        self._no_step_because = "the last step failed halfway"
        rewards = np.zeros(self.num_envs)
        terminations = np.zeros(self.num_envs, dtype=np.bool_)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        infos: dict[str, Any] = {}
        if stepping.any():
            chosen = np.flatnonzero(stepping)
            result = self.environment.step(self._all_actions(checked, stepping), chosen)
            self._seen = result.observation
            rewards = result.reward[self.agent]
            terminations = result.terminated[self.agent]
            truncations = result.truncated[self.agent]
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            resets = terminations | truncations
            if resets.any():
                infos = self._final(resets)
        if resets.any():
            self._reset(resets, [None] * self.num_envs)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._ended = terminations | truncations
        infos.update(self._info(np.ones(self.num_envs, dtype=np.bool_)))
        self._no_step_because = None
        return self._seen[self.agent].copy(), rewards, terminations, truncations, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the environment; `close` calls it once."""
        self.environment.close()

    def _reset(self, mask: Bools, seeds: Sequence[int | None]) -> None:
        """Begins episodes as `GymnasiumEnv.reset` does in each world."""
        chosen = np.flatnonzero(mask)
        own = []
        for number in chosen.tolist():
            seed = seeds[number]
            if seed is not None:
                self._generators[number], _ = seeding.np_random(seed)
                self._generator_seeds[number] = seed
            elif not self._seeded[number]:
                seed = drawn_seed(self._generators[number])
            own.append(seed)
        self._seen = self.environment.reset(chosen, own)
        self._seeded[chosen] = True
        if self._policy is not None:
            self._policy.reset(chosen)

    def _all_actions(self, own: NDArray[Any], stepping: Bools) -> dict[str, Any]:
        """The agent's actions, and what the policy of the others does where they are live."""
        actions: dict[str, Any] = {}
        for name in self.environment.agents:
            if name == self.agent:
                actions[name] = own
                continue
            space = self.environment.action_space[name]
            batch = np.zeros((self.num_envs, *(space.shape or ())), dtype=space.dtype)
            chosen = np.flatnonzero(self.environment.live(name) & stepping)
            if len(chosen) and self._policy is not None:
                batch[chosen] = self._policy(name, self._seen[name][chosen], chosen)
            actions[name] = batch
        return actions

    def _info(self, mask: Bools) -> dict[str, Any]:
        """Infos of some worlds in Gymnasium's form: arrays, and masks of who has an entry."""
        infos: dict[str, Any] = {}
        for name, values in self.environment.info(self.agent).items():
            values[~mask] = None if values.dtype == object else 0
            infos[name], infos[f"_{name}"] = values, mask.copy()
        return infos

    def _final(self, ended: Bools) -> dict[str, Any]:
        """The last observation and info of episodes that ended."""
        final = np.full(self.num_envs, fill_value=None, dtype=object)
        for number in np.flatnonzero(ended).tolist():
            final[number] = self._seen[self.agent][number].copy()
        infos = {"final_obs": final, "_final_obs": ended.copy()}
        return {**infos, "final_info": self._info(ended), "_final_info": ended.copy()}
