# SPDX-License-Identifier: Apache-2.0
"""The base class of all `VecEnv`: slots, with the return and length of their episodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.area import Bools
from deepsim_envs.spaces import MASK, allowed, choices_of
from deepsim_envs.viewing import drawn_seed
from deepsim_sync import world_seeds

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        "deepsim_train.sb3 needs Stable-Baselines3: pip install 'deepsim-train[sb3]'"
    ) from error

Steps = tuple[Any, NDArray[np.float32], Bools, list[dict[str, Any]]]
"""The results of `step`: observations, rewards, dones and infos of all slots."""


class SlotsVecEnv(VecEnv):  # type: ignore[misc]  # not typed where it is not installed
    """A `VecEnv` with slots that all belong to one environment; see `deepsim_train.sb3` for *slot*.

    The info of the last step of a slot's episode has ``"episode"``, with the sum of rewards
    ``"r"`` and the number of steps ``"l"``, as from `VecMonitor`, but without wall-clock time.

    Args:
        owner: The environment.
        slots: The number of slots.
        observation_space: The observation space of every slot.
        action_space: The action space of every slot.
    """

    _seeds: list[int | None]

    def __init__(
        self, owner: Any, slots: int, observation_space: Space[Any], action_space: Space[Any]
    ) -> None:
        self._owner = owner
        super().__init__(slots, observation_space, action_space)
        self._returns = np.zeros(slots)
        self._lengths = np.zeros(slots, dtype=np.int64)
        self._actions: Any = None
        self._masks: Bools | None = None
        self._seeded = False

    def reset(self) -> Any:
        """Begins an episode in all slots, with the seeds from `seed`, if any.

        If the first reset has no seeds, it draws them, like Gymnasium's own environments.
        """
        if not self._seeded and self._seeds[0] is None:
            self._seeds = world_seeds(drawn_seed(), np.arange(self.num_envs))
        self._returns[:] = 0.0
        self._lengths[:] = 0
        seen = self._reset_slots(self._seeds)
        self._keep_masks(seen)
        self._seeded = True
        self._reset_seeds()
        self._reset_options()
        return seen

    def get_state(self) -> dict[str, Any]:
        """Returns the state between two steps, for `set_state`.

        The state holds the worlds, and the returns and lengths of the current episodes. It can be
        pickled.

        Raises:
            UnsupportedError: The simulator has no snapshots.
        """
        return {"owner": self._owner.get_state(), **self._slots_state()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores a state of this task with the same number of slots.

        From then on, the same actions give the same steps.

        Raises:
            ValueError: The state comes from another task, or has a different number of slots.
            UnsupportedError: The simulator has no snapshots.
        """
        self._set_slots_state(state)
        self._owner.set_state(state["owner"])

    def _slots_state(self) -> dict[str, Any]:
        """Returns the state without the environment's part."""
        return {
            "returns": self._returns.copy(),
            "lengths": self._lengths.copy(),
            "masks": None if self._masks is None else self._masks.copy(),
        }

    def _set_slots_state(self, state: Mapping[str, Any]) -> None:
        """Restores the state without the environment's part.

        Raises:
            ValueError: The state has a different number of slots.
        """
        if state["returns"].shape != self._returns.shape:
            raise ValueError(
                f"expected the state of {self.num_envs} slots, got {len(state['returns'])}"
            )
        self._returns, self._lengths = state["returns"].copy(), state["lengths"].copy()
        masks = state.get("masks")
        self._masks = None if masks is None else masks.copy()
        self._seeded = True

    @abstractmethod
    def _reset_slots(self, seeds: list[int | None]) -> Any:
        """Begins all episodes and sets `reset_infos`; returns the observations of all slots."""

    def step_wait(self) -> Steps:
        """Steps all worlds once; see `VecEnv.step`."""
        steps = self._step_slots(self._actions)
        self._keep_masks(steps[0])
        return steps

    @abstractmethod
    def _step_slots(self, actions: Any) -> Steps:
        """Steps all worlds once."""

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

    def step_async(self, actions: Any) -> None:
        """Stores an action for each slot; `step_wait` carries them out."""
        self._actions = actions

    def close(self) -> None:
        """Closes the environment; further calls have no effect."""
        self._owner.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Returns an attribute of the environment, once for each slot."""
        # SB3 asks for the render mode, and warns if it is missing; a slot renders no pictures.
        owner = self if attr_name == "action_masks" else self._owner
        found = None if attr_name == "render_mode" else getattr(owner, attr_name)
        return [found for _ in self._get_indices(indices)]

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Sets an attribute of the environment, which all slots share."""
        setattr(self._owner, attr_name, value)

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
        result = getattr(self._owner, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Returns True for SB3's `Monitor`, because the infos have the same entries."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _end(self, slot: int, info: dict[str, Any], seen: Any, truncated: bool) -> None:
        """Adds SB3's entries to the info of a slot's last step."""
        info["terminal_observation"] = seen
        info["TimeLimit.truncated"] = truncated
        info["episode"] = {"r": float(self._returns[slot]), "l": int(self._lengths[slot])}
        self._returns[slot] = 0.0
        self._lengths[slot] = 0
