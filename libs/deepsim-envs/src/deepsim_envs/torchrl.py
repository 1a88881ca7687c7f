# SPDX-License-Identifier: Apache-2.0
"""Worlds of an environment as TorchRL's `EnvBase`; needs ``deepsim-envs[torchrl]``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from gymnasium import spaces

from .environment import Environment
from .many_worlds import close_all, made_all, same_agents
from .vector_options import world_seeds
from .viewing import drawn_seed

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
        "deepsim_envs.torchrl needs TorchRL: pip install 'deepsim-envs[torchrl]'"
    ) from error

__all__ = ["TorchRLEnv"]

GROUP = "agents"
"""The key under which all that is the agents' own lies, as in TorchRL's other environments."""


class TorchRLEnv(EnvBase):  # type: ignore[misc]  # not typed where it is not installed
    """Some worlds of a task as one batch: batch size (worlds,); they are stepped in turn.

    Under ``"agents"``, tensors have the shape (worlds, agents, ...): ``observation``, ``action``,
    ``reward``, ``done``, ``terminated``, ``truncated``, and ``mask``, which says who is to act. An
    agent may be done before the others: then its mask is False, its actions are ignored, it earns
    nothing, and its last observation stays. The ``done`` of a world, (worlds, 1), is that of all
    its agents; it is ``terminated`` if all of them are, and ``truncated`` otherwise.

    The first reset without a seed draws one, as Gymnasium's own environments do.

    Args:
        makers: Make the environment of each world.

    Attributes:
        environments: That of each world.
        names: Of the agents, in the order of the second axis.
        group_map: ``{"agents": names}``.

    Raises:
        ValueError: There is no world, agents differ in their spaces or worlds in their agents, or
            a space has no tensor.
    """

    def __init__(self, makers: Iterable[Callable[[], Environment]]) -> None:
        with made_all(makers, "TorchRLEnv") as self.environments:
            self.names = same_agents(self.environments)
            shape = (len(self.environments), len(self.names))
            self._space = _space(self.environments, "observation")
            seen = _spec(self._space, shape)
            acted = _spec(_space(self.environments, "action"), shape)
        self.group_map = {GROUP: self.names}
        super().__init__(device=torch.device("cpu"), batch_size=[len(self.environments)])
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
        self._last: list[dict[str, Any]] = [{} for _ in self.environments]
        self._ends = {name: np.zeros((*shape, 1), dtype=np.bool_) for name in ends}

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        """Begins an episode in the worlds of the mask ``"_reset"``, or in all."""
        mask = np.ones(len(self.environments), dtype=np.bool_)
        if tensordict is not None and "_reset" in tensordict.keys():  # noqa: SIM118 (no dict)
            mask = tensordict["_reset"].numpy().reshape(mask.shape)
        for world in np.flatnonzero(mask).tolist():
            self._last[world], _ = self.environments[world].reset(self._seeds[world])
            self._seeds[world] = None
            for ends in self._ends.values():
                ends[world] = False
        return self._result(self._now())

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Steps all worlds once."""
        actions = _arrays(tensordict[GROUP, "action"])
        rewards = np.zeros((len(self.environments), len(self.names), 1), dtype=np.float32)
        for world, environment in enumerate(self.environments):
            live = environment.live_agents
            if not live:  # over, and not reset yet
                continue
            columns = {name: self.names.index(name) for name in live}
            result = environment.step(
                {name: actions[world, column] for name, column in columns.items()}
            )
            self._last[world].update(result.observation)
            for name, column in columns.items():
                rewards[world, column] = result.reward[name]
                self._ends["done"][world, column] = result.done[name]
                for end in ("terminated", "truncated"):
                    self._ends[end][world, column] = result.info["deepsim"][end][name]
        values = self._now()
        values[GROUP]["reward"] = torch.from_numpy(rewards)
        return self._result(values)

    def _set_seed(self, seed: int | None) -> None:
        """The next reset of world n has the seed plus n; None draws one."""
        first = drawn_seed() if seed is None else seed
        self._seeds = world_seeds(first, len(self.environments))

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Closes all worlds."""
        close_all(self.environments)
        super().close(raise_if_closed=raise_if_closed)

    def _now(self) -> dict[str, Any]:
        """What is seen, who is to act, and what ended."""
        seen = [[last[name] for name in self.names] for last in self._last]
        ends = {name: torch.from_numpy(values.copy()) for name, values in self._ends.items()}
        done = ends["done"].all(dim=1)
        terminated = ends["terminated"].all(dim=1)
        return {
            GROUP: {
                "observation": _stacked(self._space, seen),
                "mask": ~ends["done"].squeeze(-1),
                **ends,
            },
            "done": done,
            "terminated": terminated,
            "truncated": done & ~terminated,
        }

    def _result(self, values: dict[str, Any]) -> TensorDictBase:
        size = list(self.batch_size)
        group = TensorDict(values.pop(GROUP), batch_size=[*size, len(self.names)])
        return TensorDict({GROUP: group, **values}, batch_size=size)

    def _grouped(self, **specs: TensorSpec) -> Composite:
        size = list(self.batch_size)
        return Composite({GROUP: Composite(specs, shape=(*size, len(self.names)))}, shape=size)


def _space(environments: list[Environment], what: str) -> spaces.Space[Any]:
    """The one space that all agents of all worlds have."""
    first = next(iter(environments[0].agents))
    wanted: spaces.Space[Any] = getattr(environments[0], f"{what}_space")[first]
    for world, environment in enumerate(environments):
        for name, space in getattr(environment, f"{what}_space").items():
            if space != wanted:
                raise ValueError(
                    f"agents lie along an axis of a tensor, so their spaces must be equal: the "
                    f"{what} space of {first!r} is {wanted}, that of {name!r} in world {world} "
                    f"is {space}"
                )
    return wanted


def _spec(space: spaces.Space[Any], shape: tuple[int, ...]) -> TensorSpec:
    """The tensors of a space, for a batch of that shape."""
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


def _stacked(space: spaces.Space[Any], values: list[list[Any]]) -> Any:
    """Values of worlds and agents as tensors; a dict of them for a Dict."""
    if isinstance(space, spaces.Dict):
        parts = {
            key: _stacked(part, [[value[key] for value in row] for row in values])
            for key, part in space.items()
        }
        return TensorDict(parts, batch_size=[len(values), len(values[0])])
    return torch.from_numpy(np.array(values))


def _arrays(actions: Any) -> Any:
    """Actions by world and agent, as arrays; rows of a Dict as dicts."""
    if isinstance(actions, TensorDictBase):
        rows = np.empty(tuple(actions.batch_size), dtype=object)
        for place in np.ndindex(rows.shape):
            rows[place] = {key: _arrays(value)[place] for key, value in actions.items()}
        return rows
    return actions.detach().numpy()
