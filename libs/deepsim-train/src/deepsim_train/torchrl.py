# SPDX-License-Identifier: Apache-2.0
"""A view of an environment as `EnvBase` of TorchRL; needs ``deepsim-train[torchrl]``."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from deepsim_envs.area import Bools
from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.viewing import drawn_seed, only_group
from deepsim_sync import world_seeds

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import (
        Binary,
        Bounded,
        Categorical,
        Composite,
        MultiCategorical,
        TensorSpec,
        Unbounded,
    )
    from torchrl.envs import EnvBase
except ImportError as error:
    raise ImportError(
        "deepsim_train.torchrl needs TorchRL: "
        "pip install --find-links dist 'deepsim-train[torchrl]'"
    ) from error

__all__ = ["TorchRLEnv"]

GROUP = "agents"
"""The key of all tensors of the agents, as in TorchRL's other environments."""


class TorchRLEnv(EnvBase):  # type: ignore[misc]  # not typed where it is not installed
    """All worlds of an environment as one batch, with the batch size (worlds,).

    The tensors under ``"agents"`` have the shape (worlds, agents, ...): ``observation``,
    ``action``, ``reward``, ``done``, ``terminated``, ``truncated``, and ``mask``, which is True for
    the agents that act. The mask of an agent is False before it joins and after it is done. While
    it is False, the agent's actions are ignored, its reward is 0, and its observation is the last
    one, or 0 before it joins. A world is ``done``, (worlds, 1), when no agent is live; agents that
    have not joined by then are truncated. A world is ``terminated`` if all agents that took part
    are terminated, and ``truncated`` otherwise.

    If the first reset gets no seed, it draws one, like Gymnasium's own environments.

    Args:
        environment: The task; closing the view closes it.

    Attributes:
        environment: The task.
        names: The names of the agents, in the order of the second axis.
        group_map: ``{"agents": names}``.

    Raises:
        ValueError: Agents differ in their spaces, or TorchRL has no equivalent of a space.

    Example:
        `make` is the function from the `Area` example:

        >>> env = TorchRLEnv(make(worlds=3))
        >>> env.reset()["agents", "observation"].shape
        torch.Size([3, 1, 1])
    """

    def __init__(self, environment: Environment | JoinedEnvironment) -> None:
        group = only_group(environment, "agents lie along an axis of a tensor")
        self.environment = environment
        self.names = list(environment.agents)
        shape = (len(environment), len(self.names))
        seen = _spec(group.observation_space, shape)
        acted = _spec(group.action_space, shape)
        self.group_map = {GROUP: self.names}
        super().__init__(device=torch.device("cpu"), batch_size=[len(environment)])
        self._set_seed(None)
        ends = ("done", "terminated", "truncated")
        self.observation_spec = self._grouped(
            observation=seen, mask=Binary(shape[1], shape, dtype=torch.bool)
        )
        self.action_spec = self._grouped(action=acted)
        self.reward_spec = self._grouped(reward=Unbounded((*shape, 1)))
        self.done_spec = self._grouped(
            **{name: Binary(1, (*shape, 1), dtype=torch.bool) for name in ends}
        )
        for name in ends:
            self.full_done_spec[name] = Binary(1, (shape[0], 1), dtype=torch.bool)
        self._seen: tuple[Any, ...] = ()
        self._terminated, self._truncated = np.zeros((2, *shape), np.bool_)

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        """Begins an episode in the worlds that the mask ``"_reset"`` selects, by default in all."""
        worlds = np.arange(len(self.environment))
        if tensordict is not None and "_reset" in tensordict.keys():  # noqa: SIM118 (no dict)
            worlds = np.flatnonzero(tensordict["_reset"].numpy())
        if len(worlds):
            seeds = [self._seeds[world] for world in worlds.tolist()]
            self._seen = self.environment.reset_worlds(seeds, worlds)
        for world in worlds.tolist():
            self._seeds[world] = None
        self._terminated[worlds] = self._truncated[worlds] = False
        return self._result(self._now())

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Steps all worlds once, except those that are done and have not been reset."""
        rewards = np.zeros(self._terminated.shape)
        worlds = np.flatnonzero(self._alive())
        if len(worlds):
            actions = _arrays(tensordict[GROUP, "action"])
            step = self.environment.step_worlds((actions,), worlds)
            self._seen, rewards = step.observation, step.reward
            self._terminated |= step.terminated
            self._truncated |= step.truncated
            self._truncated |= self.environment.waiting & ~self._alive()[:, None]
        values = self._now()
        values[GROUP]["reward"] = torch.from_numpy(rewards.astype(np.float32)[..., None])
        return self._result(values)

    def _set_seed(self, seed: int | None) -> None:
        """Sets the seed of world n for the next reset to ``seed + n``; None draws a seed."""
        first = drawn_seed() if seed is None else seed
        self._seeds = world_seeds(first, np.arange(len(self.environment)))

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Closes the environment."""
        self.environment.close()
        super().close(raise_if_closed=raise_if_closed)

    def _alive(self) -> Bools:
        """Returns whether each world has a live agent, (W,) bool."""
        alive: Bools = np.logical_or.reduce(self.environment.live, axis=1)
        return alive

    def _now(self) -> dict[str, Any]:
        """Returns the current observations, masks and ends as new tensors."""
        ended = self._terminated | self._truncated
        done = ~self._alive()
        out = self._terminated | self.environment.waiting
        terminated: Bools = np.logical_and.reduce(out, axis=1) & done
        return {
            GROUP: {
                "observation": _tensors(self._seen[0]),
                "mask": torch.tensor(self.environment.live),
                **_ends(ended, self._terminated, self._truncated),
            },
            **_ends(done, terminated, done & ~terminated),
        }

    def _result(self, values: dict[str, Any]) -> TensorDictBase:
        size = list(self.batch_size)
        group = TensorDict(values.pop(GROUP), batch_size=[*size, len(self.names)])
        return TensorDict({GROUP: group, **values}, batch_size=size)

    def _grouped(self, **specs: TensorSpec) -> Composite:
        size = list(self.batch_size)
        return Composite({GROUP: Composite(specs, shape=(*size, len(self.names)))}, shape=size)


def _spec(space: spaces.Space[Any], shape: tuple[int, ...]) -> TensorSpec:
    """Returns TorchRL's equivalent of a space, for a batch of that shape."""
    if isinstance(space, spaces.Box):
        full = (*shape, *space.shape)
        low, high = (
            torch.from_numpy(np.broadcast_to(b, full).copy()) for b in (space.low, space.high)
        )
        return Bounded(low, high, full, dtype=low.dtype)
    if isinstance(space, spaces.Discrete) and space.start == 0:
        return Categorical(int(space.n), shape, dtype=torch.int64)
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1 and not space.start.any():
        return MultiCategorical(space.nvec.tolist(), (*shape, *space.shape), dtype=torch.int64)
    if isinstance(space, spaces.MultiBinary):
        return Binary(space.shape[-1], (*shape, *space.shape), dtype=torch.int8)
    if isinstance(space, spaces.Dict):
        return Composite({key: _spec(part, shape) for key, part in space.items()}, shape=shape)
    raise ValueError(
        f"{space} has no tensor: TorchRLEnv takes Box, MultiBinary, Dict, and Discrete and "
        "MultiDiscrete that start at 0"
    )


def _ends(done: Bools, terminated: Bools, truncated: Bools) -> dict[str, Any]:
    """Returns ends as tensors with an additional last axis of length 1, as TorchRL expects."""
    ends = {"done": done, "terminated": terminated, "truncated": truncated}
    return {name: torch.tensor(values[..., None]) for name, values in ends.items()}


def _tensors(batch: Any) -> Any:
    """Returns a batch (W, A, ...) as a new tensor, or a dict of batches as a TensorDict."""
    if isinstance(batch, dict):
        parts = {key: _tensors(part) for key, part in batch.items()}
        return TensorDict(parts, batch_size=next(iter(parts.values())).shape[:2])
    return torch.tensor(batch)


def _arrays(actions: Any) -> Any:
    """Returns actions (W, A, ...) as an array, or as a dict of arrays."""
    if isinstance(actions, TensorDictBase):
        return {key: _arrays(value) for key, value in actions.items()}
    return actions.detach().numpy()
