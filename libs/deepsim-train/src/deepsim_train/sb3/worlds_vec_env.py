# SPDX-License-Identifier: Apache-2.0
"""A `VecEnv` in which every world of a vector environment is a slot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from .slots_vec_env import SlotsVecEnv, Steps


class WorldsVecEnv(SlotsVecEnv):
    """A `VecEnv` for a `gymnasium.vector.VectorEnv`, such as `GymnasiumVectorEnv`.

    Each world is a slot.

    Args:
        worlds: The vector environment, with the autoreset mode ``"SameStep"``, which SB3 expects;
            closing the `VecEnv` closes it.

    Attributes:
        worlds: The vector environment.

    Raises:
        ValueError: The autoreset mode is not ``"SameStep"``.

    Example:
        `make` is the function from the `Area` example:

        >>> slots = WorldsVecEnv(GymnasiumVectorEnv(make(worlds=3), autoreset_mode="SameStep"))
        >>> slots.reset().shape
        (3, 1)
    """

    def __init__(self, worlds: VectorEnv[Any, Any, Any]) -> None:
        mode = worlds.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise ValueError(
                f"SB3 resets within the step that ends an episode, but autoreset_mode is {mode}: "
                'make the vector environment with autoreset_mode="SameStep"'
            )
        self.worlds = worlds
        super().__init__(
            worlds,
            worlds.num_envs,
            worlds.single_observation_space,
            worlds.single_action_space,
        )

    def _step_slots(self, actions: Any) -> Steps:
        seen, rewards, terminated, truncated, batched = self.worlds.step(actions)
        dones = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        infos = []
        for slot in range(self.num_envs):
            info = _info_of(slot, batched)
            if dones[slot]:
                self.reset_infos[slot] = info
                final = info.pop("final_obs")
                info = {**info.pop("final_info", {})}
                cut = bool(truncated[slot] and not terminated[slot])
                self._end(slot, info, final, cut)
            else:
                info["TimeLimit.truncated"] = False
            infos.append(info)
        return seen, rewards.astype(np.float32), dones, infos

    def _reset_slots(self, seeds: list[int | None]) -> Any:
        seen, infos = self.worlds.reset(seed=seeds)  # type: ignore[arg-type]  # all take lists
        self.reset_infos = [_info_of(slot, infos) for slot in range(self.num_envs)]
        return seen


def _info_of(slot: int, infos: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the info of one world from the infos of a vector environment."""
    info: dict[str, Any] = {}
    for key, values in infos.items():
        if key.startswith("_") and key[1:] in infos:
            continue
        mask = infos.get(f"_{key}")
        if mask is not None and not mask[slot]:
            continue
        info[key] = _info_of(slot, values) if isinstance(values, Mapping) else values[slot]
    return info
