# SPDX-License-Identifier: Apache-2.0
"""Batches of actions or observations over worlds and agents: one for each group of agents.

The batch of a space is one array (W, A, ...) if its members are numbers or arrays, a dict or tuple
of batches for a `Dict` or `Tuple`, and an array (W, A) of objects otherwise. Users may also pass a
list of W lists of A members.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from deepsim_envs.area import Agents, Bools
from deepsim_envs.area.area import slot_name
from deepsim_envs.errors import ActionError, ObservationError
from deepsim_sync import square_sum

from .members import conform, copied, leafwise, require_within, shown

# ruff: noqa: D102 (methods are documented by Batch)

_CLIP = "; gymnasium.wrappers.ClipAction clips, as does clip_actions=True of the vector view"

Misfits: TypeAlias = "Bools | None"
"""Whether each member lies outside its space, (W, A) bool; None if no member does."""


class GroupBatches:
    """The actions, or the observations, of all agents: a batch for each group.

    Args:
        kind: ``"action"`` or ``"observation"``.
        groups: The groups of agents.
        worlds: The number of worlds, W.
        owner: The name of the area's class, for messages.

    Attributes:
        of_groups: The batch of each group.

    Raises:
        TypeError: A space is not a Gymnasium space.
    """

    def __init__(self, kind: str, groups: Sequence[Agents], worlds: int, owner: str) -> None:
        self._error = ActionError if kind == "action" else ObservationError
        self._kind, self._groups, self._worlds = kind, groups, worlds
        batches: list[Batch] = []
        self._columns: list[slice] = []
        first = 0
        for group in groups:
            space = getattr(group, f"{kind}_space")
            if not isinstance(space, spaces.Space):
                raise TypeError(
                    f"the {kind} space of agent {group.names[0]!r} of {owner} must be a "
                    f"gymnasium.spaces.Space, got {space!r}"
                )
            batches.append(batch_of(space, worlds, len(group)))
            self._columns.append(slice(first, first + len(group)))
            first += len(group)
        self.of_groups = tuple(batches)

    def checked(
        self, values: Any, live: Bools, *, bounds: bool, misfits: dict[int, str] | None = None
    ) -> tuple[Any, ...]:
        """Returns new batches with the data types of the spaces.

        Args:
            values: A batch for each group, which may be a list of lists of members.
            live: Whether to check the value of each agent, (W, A) bool.
            bounds: Whether to check the bounds of boxes as well.
            misfits: If given, gets the error of each world with a value that does not lie in its
                space; nothing is raised for these.

        Raises:
            ActionError, ObservationError: A value of a live agent does not lie in its space.
        """
        if not isinstance(values, (tuple, list)) or len(values) != len(self.of_groups):
            raise self._error(
                self._groups[0].names[0],
                f"{self._kind}s must be a tuple with a batch for each of "
                f"{len(self.of_groups)} groups of agents, got {values!r}",
            )
        batches = []
        for group, batch in enumerate(self.of_groups):
            counting = live if len(values) == 1 else live[:, self._columns[group]]
            try:
                new, outside = batch.checked(values[group], counting, bounds=bounds)
            except (TypeError, ValueError) as error:
                members = self._members(group, values[group], counting, error)
                new, outside = batch.checked(members, counting, bounds=bounds)
            for world, row in () if outside is None else np.argwhere(outside & counting).tolist():
                try:
                    self._conformed(group, world, row, batch.get(new, world, row), refuse=True)
                except (ActionError, ObservationError) as error:
                    if misfits is None:
                        raise
                    misfits.setdefault(world, str(error))
            batches.append(new)
        return tuple(batches)

    def void(self) -> list[list[list[Any]]]:
        """Returns placeholder members, by group, world and agent."""
        return [
            [[batch.void] * batch.agents for _ in range(batch.worlds)] for batch in self.of_groups
        ]

    def overwrite(
        self, batches: Sequence[Any], where: Bools, source: Sequence[Any] | None = None
    ) -> None:
        """Copies values from `source` to the batches at `where`, (W, A); zeros without a source."""
        for group, batch in enumerate(batches):
            own = where[:, self._columns[group]]
            if source is None:
                leafwise(partial(_overwrite, own, None), batch)
            else:
                leafwise(partial(_overwrite, own), source[group], batch)

    def _members(
        self, group: int, values: Any, counting: Bools, error: Exception
    ) -> list[list[Any]]:
        """Returns members with the data types of the space; raises an error if one does not fit."""
        batch, names = self.of_groups[group], self._groups[group].names
        try:
            rows = batch.rows(values)
        except (TypeError, ValueError):
            reason = f"{self._kind} of agent {', '.join(names)} {error}"
            raise self._error(names[0], reason) from None
        members = [[batch.void] * batch.agents for _ in range(batch.worlds)]
        for world, row in np.argwhere(counting).tolist():
            members[world][row] = self._conformed(group, world, row, rows[world][row])
        return members

    def _conformed(
        self, group: int, world: int, row: int, value: Any, *, refuse: bool = False
    ) -> Any:
        """Returns one agent's value with the data types of its space; errors name the agent."""
        agent, space = self._groups[group].names[row], self.of_groups[group].space
        what = f"{self._kind} of agent {agent!r}"
        if self._worlds > 1:
            what += f" in world {world}"
        try:
            member = conform(space, value, what)
            if refuse:
                require_within(space, value, what)
                raise ValueError(f"{what} must lie in {space}")
        except ValueError as error:
            reason = str(error)
            if refuse and self._kind == "action" and isinstance(space, spaces.Box):
                reason += _CLIP
            raise self._error(slot_name(agent, world, self._worlds), reason) from None
        return member


def _overwrite(where: Bools, source: NDArray[Any] | None, leaf: NDArray[Any]) -> None:
    leaf[where] = 0 if source is None else source[where]


class Batch(ABC):
    """Checks, copies and splits the batches of one space.

    Args:
        space: The space of one member.
        worlds: The number of worlds, W.
        agents: The number of agents, A.

    Attributes:
        void: A placeholder member, for agents that are not live.
    """

    void: Any

    def __init__(self, space: spaces.Space[Any], worlds: int, agents: int) -> None:
        self.space = space
        self.worlds, self.agents = worlds, agents

    @abstractmethod
    def checked(self, values: Any, live: Bools, *, bounds: bool) -> tuple[Any, Misfits]:
        """Returns a new batch with the data types of the space, and which members lie outside it.

        Floats may lose precision; integers must fit without loss.

        Args:
            values: A batch, or a list of lists of members.
            live: Whether to check each member, (W, A) bool.
            bounds: Whether to check the bounds of boxes; NaN never fits.

        Raises:
            ValueError: The values have the wrong structure, shape or type.
        """

    def rows(self, values: Any) -> Any:
        """Returns values unchanged; raises a ValueError if they are not W rows of A members."""
        if isinstance(values, list):  # a list of lists of members
            lengths = {len(row) if isinstance(row, (list, np.ndarray)) else -1 for row in values}
            fits = len(values) == self.worlds and lengths == {self.agents}
        else:
            fits = np.shape(values)[:2] == (self.worlds, self.agents)
        if not fits:
            raise ValueError(
                f"must have members for {self.worlds} worlds and {self.agents} agents, "
                f"got {shown(values)}"
            )
        return values

    @abstractmethod
    def get(self, batch: Any, world: int, agent: int) -> Any:
        """Returns a copy of one member."""


def batch_of(space: spaces.Space[Any], worlds: int, agents: int) -> Batch:
    """Returns the batch of a space for W worlds and A agents."""
    kinds: dict[type, type[Batch]] = {
        spaces.Dict: PartsBatch,
        spaces.Tuple: PartsBatch,
        spaces.Box: BoxBatch,
        spaces.Discrete: IntegerBatch,
        spaces.MultiDiscrete: IntegerBatch,
        spaces.MultiBinary: IntegerBatch,
    }
    kind = next((kinds[each] for each in type(space).__mro__ if each in kinds), ObjectBatch)
    return kind(space, worlds, agents)


class ArrayBatch(Batch):
    """Members that are numbers or arrays."""

    def __init__(self, space: spaces.Space[Any], worlds: int, agents: int) -> None:
        super().__init__(space, worlds, agents)
        self.shape = (worlds, agents, *(space.shape or ()))
        self.dtype: np.dtype[Any] = np.dtype(space.dtype)
        self.void = np.zeros(space.shape or (), self.dtype)[()]
        self._fitting: dict[np.dtype[Any], bool] = {}

    def get(self, batch: NDArray[Any], world: int, agent: int) -> Any:
        return batch[world, agent].copy()

    def fits(self, dtype: np.dtype[Any]) -> bool:
        """Returns whether numbers of a type may be converted to the data type of the space."""
        raise NotImplementedError

    def array(self, values: Any) -> NDArray[Any]:
        """Returns values as an array; raises a ValueError if its shape or type does not fit."""
        try:
            array: NDArray[Any] = np.asarray(values)
        except ValueError:  # rows of different lengths
            array = np.asarray(None)
        fits = self._fitting.get(array.dtype)
        if fits is None:
            fits = self._fitting[array.dtype] = self.fits(array.dtype)
        if not fits or array.shape != self.shape:
            raise ValueError(
                f"must be a {self.dtype} array of shape {self.shape}, got {shown(values)}"
            )
        return array

    def misfits(self, within: Bools) -> Misfits:
        """Returns which members have a number out of bounds; `within` is True for the others."""
        if 0 not in within.tobytes():  # For few members, ten times faster than `all`.
            return None
        return np.asarray(~within.reshape(self.worlds, self.agents, -1).all(axis=-1))


class BoxBatch(ArrayBatch):
    """Members of a `Box`."""

    def __init__(self, space: spaces.Box, worlds: int, agents: int) -> None:
        super().__init__(space, worlds, agents)
        # NumPy compares arrays with the same number of axes three times faster.
        self._low, self._high = space.low[None, None], space.high[None, None]
        self._floats = self.dtype.kind == "f"
        self._largest = float(np.finfo(self.dtype).max) if self._floats else 0.0

    def fits(self, dtype: np.dtype[Any]) -> bool:
        return np.can_cast(dtype, self.dtype, "same_kind" if self._floats else "safe")

    def checked(self, values: Any, live: Bools, *, bounds: bool) -> tuple[NDArray[Any], Misfits]:
        array = self.array(values)
        numbers = True
        if self._floats and not (bounds and array.dtype == self.dtype):
            # One pass without a temporary array: the norm is finite only if all numbers are, and no
            # number is larger than the norm.
            numbers = array.dtype.kind == "f" and math.sqrt(square_sum(array)) < self._largest
        if numbers:
            batch = array.astype(self.dtype, order="C")
            if not bounds:
                return batch, None
        else:
            with np.errstate(over="ignore"):  # Numbers that are too large become infinite.
                batch = array.astype(self.dtype, order="C")
        if bounds:
            return batch, self.misfits((batch >= self._low) & (batch <= self._high))
        return batch, self.misfits(~np.isnan(batch))

    def get(self, batch: NDArray[Any], world: int, agent: int) -> NDArray[Any]:
        return batch[world, agent, ...].copy()  # an array, even if its shape is ()


class IntegerBatch(ArrayBatch):
    """Members of a `Discrete`, `MultiDiscrete` or `MultiBinary`."""

    def __init__(self, space: Any, worlds: int, agents: int) -> None:
        super().__init__(space, worlds, agents)
        self._low, self._high, self._kinds = 0, 1, "biuf"
        if not isinstance(space, spaces.MultiBinary):
            count = space.n if isinstance(space, spaces.Discrete) else space.nvec
            self._low, self._high = space.start, space.start + count - 1
            self._kinds = "biu"

    def fits(self, dtype: np.dtype[Any]) -> bool:
        return dtype.kind in self._kinds

    def checked(self, values: Any, live: Bools, *, bounds: bool) -> tuple[NDArray[Any], Misfits]:
        array = self.array(values)
        within = (array >= self._low) & (array <= self._high)
        batch = array.astype(self.dtype, order="C")
        if array.dtype != self.dtype:
            within &= batch == array
        return batch, self.misfits(within)


class ObjectBatch(Batch):
    """Members of any other space, in an array of objects."""

    void = None

    def checked(self, values: Any, live: Bools, *, bounds: bool) -> tuple[NDArray[Any], Misfits]:
        misfits = np.zeros((self.worlds, self.agents), np.bool_)
        batch = np.full(misfits.shape, None, dtype=object)
        for world, row in enumerate(self.rows(values)):
            for agent, value in enumerate(row):
                batch[world, agent] = copied(value)
                misfits[world, agent] = live[world, agent] and not self.space.contains(value)
        return batch, misfits if misfits.any() else None

    def get(self, batch: NDArray[Any], world: int, agent: int) -> Any:
        return copied(batch[world, agent])


class PartsBatch(Batch):
    """Members of a `Dict` or `Tuple`; each part has its own batch."""

    def __init__(self, space: spaces.Dict | spaces.Tuple[Any], worlds: int, agents: int) -> None:
        super().__init__(space, worlds, agents)
        self._is_dict = isinstance(space, spaces.Dict)
        parts = space.spaces.items() if isinstance(space, spaces.Dict) else enumerate(space.spaces)
        self._parts: dict[Any, Batch] = {key: batch_of(part, worlds, agents) for key, part in parts}
        self.void = self._joined(part.void for part in self._parts.values())

    def checked(self, values: Any, live: Bools, *, bounds: bool) -> tuple[Any, Misfits]:
        if isinstance(values, list):
            rows = self.rows(values)
            for row in rows:
                for value in row:
                    self._require_parts(value)
            values = {key: [[value[key] for value in row] for row in rows] for key in self._parts}
        else:
            self._require_parts(values)
        batches, misfits = [], None
        for key, part in self._parts.items():
            batch, more = part.checked(values[key], live, bounds=bounds)
            batches.append(batch)
            misfits = more if misfits is None else misfits if more is None else misfits | more
        return self._joined(batches), misfits

    def get(self, batch: Any, world: int, agent: int) -> Any:
        return self._joined(part.get(batch[key], world, agent) for key, part in self._parts.items())

    def _joined(self, parts: Iterable[Any]) -> Any:
        return dict(zip(self._parts, parts, strict=True)) if self._is_dict else tuple(parts)

    def _require_parts(self, value: Any) -> None:
        if self._is_dict:
            if not isinstance(value, Mapping) or value.keys() != self._parts.keys():
                raise ValueError(f"must be a dict of {list(self._parts)}, got {shown(value)}")
        elif not isinstance(value, (tuple, list)) or len(value) != len(self._parts):
            raise ValueError(f"must be a tuple of {len(self._parts)}, got {shown(value)}")
