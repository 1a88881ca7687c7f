# SPDX-License-Identifier: Apache-2.0
"""Tracks the episodes of all worlds: live agents, and steps so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_envs.area import Bools
from deepsim_envs.errors import ResetNeededError
from deepsim_sync import WorldNumbers, checked_worlds

from .slots import Slot

T = TypeVar("T", bound=np.generic)


class Episodes:
    """The live agents and the number of steps in all worlds.

    Arrays of bools are replaced, never changed.

    Args:
        slots: The slots of all agents in all worlds.
        worlds: The number of worlds, W.
        limit: Steps after which agents are truncated, or None.

    Attributes:
        limit: Steps after which agents are truncated, or None.
        live: Whether each agent takes part and is not done, (W, A); the object `everyone` if all
            are live.
        waiting: Whether each agent has yet to join, (W, A); the object `nobody` if none has.
        steps: Steps in each world's episode so far, (W,).
        all_worlds: The numbers of all worlds, (W,).
        everyone: True for all agents, (W, A).
        nobody: False for all agents, (W, A).
        nowhere: False for all worlds, (W,).
    """

    def __init__(self, slots: Sequence[Slot], worlds: int, limit: int | None) -> None:
        self._slots = slots
        self.limit = limit
        shape = worlds, len(slots) // worlds
        self.all_worlds: WorldNumbers = frozen(np.arange(worlds))
        self.everyone: Bools = frozen(np.ones(shape, np.bool_))
        self.nobody: Bools = frozen(np.zeros(shape, np.bool_))
        self.nowhere: Bools = frozen(np.zeros(worlds, np.bool_))
        self.live = self.nobody
        self.waiting = self.nobody
        self.steps = np.zeros(worlds, np.int64)
        self._live_slots: Sequence[Slot] | None = None

    def numbers(self, worlds: ArrayLike) -> WorldNumbers | None:
        """Checks the numbers of some worlds; returns None if they are all worlds.

        Raises:
            TypeError, ValueError: `worlds` is not an ascending sequence of one or more numbers of
                worlds.
        """
        numbers = checked_worlds(worlds, len(self.all_worlds))
        if not len(numbers):
            raise ValueError("worlds must be some of the worlds, got none")
        return None if len(numbers) == len(self.all_worlds) else numbers

    def set_live(self, live: Bools) -> None:
        """Replaces the live agents, (W, A)."""
        self.live = self.everyone if live.all() else frozen(live)
        self._live_slots = None

    def live_slots(self) -> Sequence[Slot]:
        """Returns the slots of all live agents."""
        if self.live is self.everyone:
            return self._slots
        if self._live_slots is None:
            live = self.live.tolist()
            self._live_slots = [s for s in self._slots if live[s.world][s.column]]
        return self._live_slots

    def live_worlds(self) -> WorldNumbers | None:
        """Returns the numbers of worlds with a live agent, or None for all worlds."""
        if self.live is self.everyone:
            return None
        return self.numbers(np.flatnonzero(self.live.any(axis=1)))

    def beginning(self, worlds: WorldNumbers | None) -> tuple[Bools, WorldNumbers]:
        """Returns a mask of all agents in some worlds, (W, A), and the numbers of these worlds."""
        if worlds is None:
            return self.everyone, self.all_worlds
        begins = self.nobody.copy()
        begins[worlds] = True
        return frozen(begins), worlds

    def begin(self, worlds: WorldNumbers, joined: Bools | None) -> None:
        """Begins episodes in some worlds.

        Args:
            worlds: The numbers of the worlds.
            joined: Whether each agent takes part from the beginning, (W, A); None for all.
        """
        self.steps[worlds] = 0
        live, waiting = self.live.copy(), self.waiting.copy()
        live[worlds] = True if joined is None else joined[worlds]
        waiting[worlds] = False if joined is None else ~joined[worlds]
        self.set_live(live)
        self._set_waiting(waiting)

    def joining(self, joined: Bools | None, stepping: WorldNumbers) -> Bools:
        """Returns which agents join in this step, (W, A).

        Args:
            joined: Whether each agent has joined by now, (W, A); None for all.
            stepping: The numbers of the worlds that step.
        """
        joins = self.nobody.copy()
        joins[stepping] = self.waiting[stepping]
        return joins if joined is None else joins & joined

    def join(self, joins: Bools) -> None:
        """Lets agents, (W, A), take part from the next step on."""
        if joins.any():
            self.set_live(self.live | joins)
            self._set_waiting(self.waiting & ~joins)

    def _set_waiting(self, waiting: Bools) -> None:
        self.waiting = frozen(waiting) if waiting.any() else self.nobody

    def taking_part(self, worlds: WorldNumbers | None) -> tuple[Bools, WorldNumbers]:
        """Returns a mask of live agents in some worlds, (W, A), and the numbers of these worlds.

        Raises:
            ResetNeededError: All agents of one of the worlds are done.
        """
        live, stepping = self.live, self.all_worlds
        if worlds is not None:
            some, stepping = self.nobody.copy(), worlds
            some[worlds] = live[worlds]
            live = frozen(some)
        over = stepping[~live[stepping].any(axis=1)]
        if len(over):
            raise ResetNeededError(f"all agents of worlds {over.tolist()} are done")
        return live, stepping

    def end(self, done: Bools) -> None:
        """Ends the episodes of agents, (W, A)."""
        if done.any():
            self.set_live(self.live & ~done)

    def go_back(self, steps: NDArray[np.int64], live: Bools, waiting: Bools | None) -> None:
        """Restores the steps, and which agents are live or have yet to join."""
        self.steps = steps.copy()
        self.set_live(live.copy())
        self._set_waiting(self.nobody if waiting is None else waiting.copy())


def frozen(array: NDArray[T]) -> NDArray[T]:
    """Makes an array read-only, and returns it."""
    array.flags.writeable = False
    return array
