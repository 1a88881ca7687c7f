# SPDX-License-Identifier: Apache-2.0
"""A view of an environment as `EnvBase` of TorchRL; needs ``deepsim-train[torchrl]``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from deepsim_envs.area import Agents, Bools
from deepsim_envs.construction import JoinedEnvironment
from deepsim_envs.environment import Environment
from deepsim_envs.environment.info import own_info
from deepsim_envs.spaces import leafwise
from deepsim_envs.viewing import drawn_seed, equal_spaces, place_of
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
"""The key of the tensors of all agents, if they have equal spaces, as in TorchRL's environments."""


class TorchRLEnv(EnvBase):  # type: ignore[misc]  # not typed where it is not installed
    """All worlds of an environment as one batch, with the batch size (worlds,).

    Agents are in groups, as in TorchRL's own ``PettingZooWrapper``; the tensors under the name of a
    group have the shape (worlds, agents, ...): ``observation``, ``action``, ``reward``, ``done``,
    ``terminated``, ``truncated``, and ``mask``, which is True for the agents that act. The mask of
    an agent is False before it joins and after it is done. While it is False, the agent's actions
    are ignored, its reward is 0, and its observation is the last one, or 0 before it joins. A world
    is ``done``, (worlds, 1), when no agent is live; agents that have not joined by then are
    truncated. A world is ``terminated`` if all agents that took part are terminated, and
    ``truncated`` otherwise.

    Under ``info`` a group has the numbers that the infos of all its agents have after a reset,
    (worlds, agents) float32: the area's, and ``reward/TERM`` and ``return/TERM`` of reward terms.

    If the first reset gets no seed, it draws one, like Gymnasium's own environments.

    Args:
        environment: The task; closing the view closes it. Making the view begins an episode.
        group_map: The agents of each group, which need equal spaces, by the group's name. By
            default one group ``"agents"`` if all spaces are equal, and otherwise a group for each
            `Agents` of the area: ``"red"`` for ``red_1`` and ``red_2``, else named as its first
            agent.

    Attributes:
        environment: The task.
        group_map: The names of the agents of each group, in the order of the second axis.

    Raises:
        ValueError: Agents of a group differ in their spaces, an agent is in no group or in two, or
            TorchRL has no equivalent of a space.

    Example:
        `make` is the function from the `Area` example:

        >>> env = TorchRLEnv(make(worlds=3))
        >>> env.reset()["agents", "observation"].shape
        torch.Size([3, 1, 1])
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        group_map: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.environment = environment
        known = list(environment.agents)
        found = _default_groups(environment.groups) if group_map is None else group_map
        self.group_map = {name: list(agents) for name, agents in found.items()}
        listed = [agent for agents in self.group_map.values() for agent in agents]
        if sorted(listed) != sorted(known):
            raise ValueError(f"group_map must hold each of {known} once, got {self.group_map}")
        of_agent = {name: group for group in environment.groups for name in group.names}
        groups = {
            name: equal_spaces(
                {agent: of_agent[agent] for agent in agents},
                f"the agents of {name!r} lie along an axis of a tensor",
            )
            for name, agents in self.group_map.items()
        }
        self._columns = {
            name: [known.index(agent) for agent in agents]
            for name, agents in self.group_map.items()
        }
        size = len(environment)
        specs = {
            name: {
                "observation": _spec(group.observation_space, (size, len(self.group_map[name]))),
                "action": _spec(group.action_space, (size, len(self.group_map[name]))),
            }
            for name, group in groups.items()
        }
        super().__init__(device=torch.device("cpu"), batch_size=[size])
        self._set_seed(None)
        self._seen: Sequence[Any] = environment.reset_worlds(self._seeds)
        self._terminated, self._truncated = np.zeros((2, size, len(known)), np.bool_)
        self._infos: dict[str, list[str]] = {name: [] for name in self.group_map}
        for name, infos in self._infos_of_groups().items():
            numbers = [{key for key, value in info.items() if _is_numbers(value)} for info in infos]
            self._infos[name] = sorted(set.intersection(*numbers))
        ends = ("done", "terminated", "truncated")
        for name, agents in self.group_map.items():
            shape = (size, len(agents))
            mask = Binary(shape[1], shape, dtype=torch.bool)
            specs[name] |= {"mask": mask, "reward": Unbounded((*shape, 1))}
            specs[name] |= {end: Binary(1, (*shape, 1), dtype=torch.bool) for end in ends}
            numbers_of = {key: Unbounded(shape) for key in self._infos[name]}
            if numbers_of:
                specs[name]["info"] = Composite(numbers_of, shape=shape)
        self.observation_spec = self._grouped(specs, ("observation", "mask", "info"))
        self.action_spec = self._grouped(specs, ("action",))
        self.reward_spec = self._grouped(specs, ("reward",))
        self.done_spec = self._grouped(specs, ends)
        for end in ends:
            self.full_done_spec[end] = Binary(1, (size, 1), dtype=torch.bool)

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
            step = self.environment.step_worlds(self._actions(tensordict), worlds)
            self._seen, rewards = step.observation, step.reward
            self._terminated |= step.terminated
            self._truncated |= step.truncated
            self._truncated |= self.environment.waiting & ~self._alive()[:, None]
        values = self._now()
        for name, columns in self._columns.items():
            own = rewards[:, columns].astype(np.float32)
            values[name]["reward"] = torch.from_numpy(own[..., None])
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
        groups: dict[str, Any] = {}
        for name, columns in self._columns.items():
            agents, live = self.group_map[name], self.environment.live[:, columns]
            rows = [_row_of(self._seen, place_of(a, self.environment.groups)) for a in agents]
            groups[name] = {
                "observation": _tensors(leafwise(lambda *own: np.stack(own, axis=1), *rows)),
                "mask": torch.tensor(live),
                **_ends(*(part[:, columns] for part in (ended, self._terminated, self._truncated))),
            }
            infos = self._info(name)
            if infos:
                groups[name]["info"] = TensorDict(infos, batch_size=live.shape)
        return {**groups, **_ends(done, terminated, done & ~terminated)}

    def _infos_of_groups(self) -> dict[str, list[dict[str, Any]]]:
        """Returns the infos of the agents of each group, as arrays over the worlds."""
        info, agents = self.environment.info(), self.environment.agents
        return {
            name: [own_info(info, agents, agent) for agent in own]
            for name, own in self.group_map.items()
        }

    def _info(self, group: str) -> dict[str, torch.Tensor]:
        """Returns the numbers (W, agents) in the infos of a group."""
        infos = self._infos_of_groups()[group] if self._infos[group] else []
        return {
            key: torch.from_numpy(np.stack([info[key] for info in infos], 1).astype(np.float32))
            for key in self._infos[group]
        }

    def _actions(self, tensordict: TensorDictBase) -> tuple[Any, ...]:
        """Returns the actions of all agents, a batch (W, A_g, ...) for each group of the area."""
        own = {
            agent: leafwise(lambda part, row=row: part[:, row], actions)
            for name, agents in self.group_map.items()
            for actions in [_arrays(tensordict[name, "action"])]
            for row, agent in enumerate(agents)
        }
        return tuple(
            leafwise(lambda *rows: np.stack(rows, axis=1), *(own[name] for name in group.names))
            for group in self.environment.groups
        )

    def _result(self, values: dict[str, Any]) -> TensorDictBase:
        size = list(self.batch_size)
        groups = {
            name: TensorDict(values.pop(name), batch_size=[*size, len(agents)])
            for name, agents in self.group_map.items()
        }
        return TensorDict({**groups, **values}, batch_size=size)

    def _grouped(self, specs: Mapping[str, Mapping[str, Any]], keys: Sequence[str]) -> Composite:
        size = list(self.batch_size)
        groups = {
            name: Composite(
                {key: own[key] for key in keys if key in own},
                shape=(*size, len(self.group_map[name])),
            )
            for name, own in specs.items()
        }
        return Composite(groups, shape=size)


def _default_groups(groups: Sequence[Agents]) -> dict[str, Sequence[str]]:
    """Returns the agents of each group by its name, as TorchRL's ``PettingZooWrapper`` names it."""
    if len(groups) == 1:
        return {GROUP: groups[0].names}
    found: dict[str, Sequence[str]] = {}
    for group in groups:
        stems = {re.sub(r"_\d+$", "", name) for name in group.names}
        stem = stems.pop()
        found[group.names[0] if stems or stem in found else stem] = group.names
    return found


def _is_numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf"


def _row_of(seen: Sequence[Any], place: tuple[int, int]) -> Any:
    """Returns the observations (W, ...) of one agent."""
    number, row = place
    return leafwise(lambda part: part[:, row], seen[number])


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
