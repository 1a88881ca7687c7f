# SPDX-License-Identifier: Apache-2.0
"""The actions, or the observations, of all groups of agents: a batch for each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.errors import ActionError, ObservationError
from deepsim_envs.spaces import batch_of, conform, require_within

from .slots import Slot

Bools = NDArray[np.bool_]


class GroupBatches:
    """Checks and takes apart one batch for each group.

    Args:
        kind: ``"action"`` or ``"observation"``.
        spaces: The space of each group.
        slots: The agents of all worlds, all of one world after those of another.
        worlds: The number of worlds.
        owner: The name of the area's class, for messages.

    Raises:
        TypeError: A space is not one of Gymnasium's.
    """

    def __init__(
        self, kind: str, spaces: Sequence[Any], slots: Sequence[Slot], worlds: int, owner: str
    ) -> None:
        self._error = ActionError if kind == "action" else ObservationError
        self._kind = kind
        self._slots = slots
        self._agents = len(slots) // worlds
        members: list[list[Slot]] = [[] for _ in spaces]
        for slot in slots[: self._agents]:
            members[slot.group].append(slot)
        for group, space in zip(members, spaces, strict=True):
            if not isinstance(space, Space):
                raise TypeError(
                    f"the {kind} space of agent {group[0].agent!r} of {owner} must be a "
                    f"gymnasium.spaces.Space, got {space!r}"
                )
        self._spaces = spaces
        self.of_groups = tuple(
            batch_of(space, worlds, len(group))
            for group, space in zip(members, spaces, strict=True)
        )
        self._columns = [slice(group[0].column, group[-1].column + 1) for group in members]
        self._whats = [
            f"{kind}s of agents {', '.join(slot.agent for slot in group)}" for group in members
        ]
        self._firsts = [group[0].agent for group in members]
        self._what = [
            f"{kind} of agent {slot.agent!r}" + (f" in world {slot.world}" if worlds > 1 else "")
            for slot in slots
        ]

    def empty(self) -> list[Any]:
        """Returns a batch for each group, to `put` values into."""
        return [batch.empty() for batch in self.of_groups]

    def put(self, batches: Sequence[Any], slot: Slot, value: Any) -> None:
        """Puts the value of one agent into batches that `empty` made.

        Raises:
            ActionError, ObservationError: It has another structure, shape or type than the space.
        """
        what = self._what[slot.world * self._agents + slot.column]
        try:
            self.of_groups[slot.group].put(batches[slot.group], slot.world, slot.row, value, what)
        except ValueError as error:
            raise self._error(slot.name, str(error)) from None

    def get(self, batches: Sequence[Any], slot: Slot) -> Any:
        """Returns a copy of the value of one agent."""
        return self.of_groups[slot.group].get(batches[slot.group], slot.world, slot.row)

    def checked(self, values: Any, live: Bools, *, bounds: bool) -> tuple[Any, ...]:
        """Returns new batches in the types of the spaces.

        Args:
            values: A batch for each group.
            live: (W, A) bool, the agents whose values count.
            bounds: Whether the bounds of boxes are checked, too.

        Raises:
            ActionError, ObservationError: A value of a live agent does not lie in its space.
        """
        if not isinstance(values, (tuple, list)) or len(values) != len(self.of_groups):
            raise self._error(
                self._firsts[0],
                f"{self._kind}s must be a tuple with a batch for each of "
                f"{len(self.of_groups)} groups of agents, got {values!r}",
            )
        fresh = []
        for group, batch in enumerate(self.of_groups):
            try:
                new = batch.checked(values[group], self._whats[group])
            except ValueError as error:
                raise self._error(self._firsts[group], str(error)) from None
            taking_part = live[:, self._columns[group]]
            misfits = batch.misfits(new, taking_part, bounds=bounds)
            if misfits is not None and (misfits & taking_part).any():
                world, row = np.argwhere(misfits & taking_part)[0].tolist()
                self._refuse(group, world, row, batch.get(new, world, row))
            fresh.append(new)
        return tuple(fresh)

    def copy(self, batches: Sequence[Any]) -> tuple[Any, ...]:
        """Returns copies of batches."""
        return tuple(each.copy(one) for each, one in zip(self.of_groups, batches, strict=True))

    def overwrite(
        self, batches: Sequence[Any], where: Bools, source: Sequence[Any] | None = None
    ) -> None:
        """Copies values of other batches at (W, A) bool; zeros, without a source."""
        for group, batch in enumerate(self.of_groups):
            columns = where[:, self._columns[group]]
            batch.overwrite(batches[group], columns, None if source is None else source[group])

    def _refuse(self, group: int, world: int, row: int, value: Any) -> None:
        place = world * self._agents + self._columns[group].start + row
        slot, what, space = self._slots[place], self._what[place], self._spaces[group]
        try:
            conform(space, value, what)
            require_within(space, value, what)
        except ValueError as error:
            raise self._error(slot.name, str(error)) from None
