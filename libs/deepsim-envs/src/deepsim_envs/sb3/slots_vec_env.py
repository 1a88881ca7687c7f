# SPDX-License-Identifier: Apache-2.0
"""What is alike in all our `VecEnv`: slots, their observations, and the episodes they count."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.vector_options import world_seeds
from deepsim_envs.viewing import drawn_seed

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        "deepsim_envs.sb3 needs Stable-Baselines3: pip install 'deepsim-envs[sb3]'"
    ) from error


class SlotsVecEnv(VecEnv):  # type: ignore[misc]  # not typed where it is not installed
    """A `VecEnv` of slots, each of which belongs to an environment.

    The info of a slot's last step has ``"episode"``, with the sum of rewards ``"r"`` and the
    number of steps ``"l"``, as `VecMonitor` would add, but without wall-clock time.

    Args:
        owners: The environment of each slot.
        observation_space: Of every slot.
        action_space: Of every slot.
    """

    _seeds: list[int | None]

    def __init__(
        self, owners: list[Any], observation_space: Space[Any], action_space: Space[Any]
    ) -> None:
        self._owners = owners
        super().__init__(len(owners), observation_space, action_space)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, dtype=np.int64)
        self._actions: Any = None
        self._seeded = False

    def reset(self) -> Any:
        """Begins an episode in all slots, with the seeds that `seed` set, if it did.

        The first reset without seeds draws some, as Gymnasium's own environments do.
        """
        if not self._seeded and self._seeds[0] is None:
            self._seeds = world_seeds(drawn_seed(), self.num_envs)
        self._returns[:] = 0.0
        self._lengths[:] = 0
        seen = self._reset_slots(self._seeds)
        self._seeded = True
        self._reset_seeds()
        self._reset_options()
        return seen

    @abstractmethod
    def _reset_slots(self, seeds: list[int | None]) -> Any:
        """Begins all episodes and sets `reset_infos`; returns the observations of all slots."""

    def step_async(self, actions: Any) -> None:
        """Takes an action for each slot; `step_wait` carries them out."""
        self._actions = actions

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of the environment of each slot."""
        # Pictures are those of views; SB3 asks for the mode, and warns where there is none.
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        return [getattr(self._owners[slot], attr_name) for slot in self._get_indices(indices)]

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Sets an attribute of the environment of each slot."""
        for slot in self._get_indices(indices):
            setattr(self._owners[slot], attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Calls a method of the environment of each slot."""
        return [
            getattr(self._owners[slot], method_name)(*method_args, **method_kwargs)
            for slot in self._get_indices(indices)
        ]

    def env_is_wrapped(
        self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Whether a wrapper of Gymnasium is around each slot: never."""
        return [False for _ in self._get_indices(indices)]

    def _count(self, slot: int, reward: float) -> None:
        self._returns[slot] += reward
        self._lengths[slot] += 1

    def _end(self, slot: int, info: dict[str, Any], seen: Any, truncated: bool) -> None:
        """Adds to the info of a slot's last step what SB3 looks for there."""
        info["terminal_observation"] = seen
        info["TimeLimit.truncated"] = truncated
        info["episode"] = {"r": float(self._returns[slot]), "l": int(self._lengths[slot])}
        self._returns[slot] = 0.0
        self._lengths[slot] = 0


def spaces_of(spaces: Iterable[tuple[str, Space[Any]]], what: str) -> Space[Any]:
    """The one space that all slots have.

    Args:
        spaces: Whose each is, and the space.
        what: ``"observation"`` or ``"action"``, for the message.

    Raises:
        ValueError: They differ.
    """
    (first, wanted), *others = spaces
    for name, space in others:
        if space != wanted:
            raise ValueError(
                f"Stable-Baselines3 has one policy for all slots, so their spaces must be equal: "
                f"the {what} space of {first} is {wanted}, that of {name} is {space}. Train "
                "one agent by GymnasiumEnv, with policies for the others"
            )
    return wanted


Dones = NDArray[np.bool_]
Steps = tuple[Any, NDArray[np.float32], Dones, list[dict[str, Any]]]
"""What `step` returns: observations, rewards, dones and infos of all slots."""
