# SPDX-License-Identifier: Apache-2.0
"""The actions, or the observations, of all groups of agents: a batch for each group."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.area import Agents
from deepsim_envs.errors import ActionError, ObservationError
from deepsim_envs.spaces import batch_of, conform, leafwise, require_within

from .slots import Slot

Bools = NDArray[np.bool_]


class GroupBatches:
    """Checks and takes apart one batch for each group.

    Args:
        kind: ``"action"`` or ``"observation"``.
        groups: The groups of agents.
        slots: The agents of all worlds.
        worlds: The number of worlds.
        owner: The name of the area's class, for messages.

    Attributes:
        of_groups: The batch of each group.

    Raises:
        TypeError: A space is not one of Gymnasium's.
    """

    def __init__(
        self, kind: str, groups: Sequence[Agents], slots: Sequence[Slot], worlds: int, owner: str
    ) -> None:
        self._error = ActionError if kind == "action" else ObservationError
        self._kind = kind
        self._slots = slots
        self._groups = groups
        self._several_worlds = worlds > 1
        self._spaces = [getattr(group, f"{kind}_space") for group in groups]
        for group, space in zip(groups, self._spaces, strict=True):
            if not isinstance(space, Space):
                raise TypeError(
                    f"the {kind} space of agent {group.names[0]!r} of {owner} must be a "
                    f"gymnasium.spaces.Space, got {space!r}"
                )
        self.of_groups = tuple(
            batch_of(space, worlds, len(group))
            for group, space in zip(groups, self._spaces, strict=True)
        )
        ends = np.cumsum([len(group) for group in groups]).tolist()
        self._columns = [
            slice(end - len(group), end) for group, end in zip(groups, ends, strict=True)
        ]
        self._agents = ends[-1]
        self._is_one = len(self.of_groups) == 1

    def checked(self, values: Any, live: Bools, *, bounds: bool) -> tuple[Any, ...]:
        """Returns new batches in the types of the spaces.

        Args:
            values: A batch for each group, which may be a list of lists of members.
            live: (W, A) bool, the agents whose values count.
            bounds: Whether the bounds of boxes are checked, too.

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
            counting = live if self._is_one else live[:, self._columns[group]]
            try:
                new, misfits = batch.checked(values[group], counting, bounds=bounds)
            except (TypeError, ValueError) as error:
                members = self._members(group, values[group], counting, error)
                new, misfits = batch.checked(members, counting, bounds=bounds)
            if misfits is not None and (misfits & counting).any():
                world, row = np.argwhere(misfits & counting)[0].tolist()
                self._refuse(group, world, row, batch.get(new, world, row))
            batches.append(new)
        return tuple(batches)

    def void(self) -> list[list[list[Any]]]:
        """Returns members that do not count, by group, world and agent."""
        groups = []
        for batch in self.of_groups:
            row = [batch.void] * batch.agents
            groups.append([row.copy() for _ in range(batch.worlds)])
        return groups

    def by_name(self, batches: Sequence[Any], slots: Sequence[Slot]) -> dict[str, Any]:
        """Returns copies of the values of some agents by name."""
        values = {}
        for slot in slots:
            batch = self.of_groups[slot.group]
            values[slot.name] = batch.get(batches[slot.group], slot.world, slot.row)
        return values

    def overwrite(
        self, batches: Sequence[Any], where: Bools, source: Sequence[Any] | None = None
    ) -> None:
        """Copies values of other batches at (W, A) bool; zeros, without a source."""
        for group, batch in enumerate(batches):
            own = where[:, self._columns[group]]
            if source is None:
                leafwise(partial(_overwrite, own, None), batch)
            else:
                leafwise(partial(_overwrite, own), source[group], batch)

    def _members(
        self, group: int, values: Any, counting: Bools, error: Exception
    ) -> list[list[Any]]:
        """Returns members in the types of the space, or says which one does not fit."""
        batch, space = self.of_groups[group], self._spaces[group]
        try:
            rows = batch.rows(values)
        except (TypeError, ValueError):
            names = ", ".join(self._groups[group].names)
            raise self._error(
                self._groups[group].names[0], f"{self._kind} of agent {names} {error}"
            ) from None
        members = [[batch.void] * batch.agents for _ in range(batch.worlds)]
        for world, row in np.argwhere(counting).tolist():
            slot = self._slots[world * self._agents + self._columns[group].start + row]
            try:
                members[world][row] = conform(space, rows[world][row], self._what(slot))
            except ValueError as reason:
                raise self._error(slot.name, str(reason)) from None
        return members

    def _refuse(self, group: int, world: int, row: int, value: Any) -> NoReturn:
        slot = self._slots[world * self._agents + self._columns[group].start + row]
        space = self._spaces[group]
        try:
            conform(space, value, self._what(slot))
            require_within(space, value, self._what(slot))
        except ValueError as error:
            raise self._error(slot.name, str(error)) from None
        raise self._error(slot.name, f"{self._what(slot)} must lie in {space}")

    def _what(self, slot: Slot) -> str:
        place = f" in world {slot.world}" if self._several_worlds else ""
        return f"{self._kind} of agent {slot.agent!r}{place}"


def _overwrite(where: Bools, source: NDArray[Any] | None, leaf: NDArray[Any]) -> None:
    leaf[where] = 0 if source is None else source[where]
