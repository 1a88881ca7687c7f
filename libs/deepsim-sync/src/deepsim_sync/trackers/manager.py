# SPDX-License-Identifier: Apache-2.0
"""Trackers, which run once per tick by priority and then in order of registration."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.current import PerWorld
from deepsim_sync.errors import CallbackError, WriteRefusedError

if TYPE_CHECKING:
    from deepsim_sync.world.world import World


class Priority(IntEnum):
    """The part of a tick in which a tracker runs.

    >>> sorted(Priority)[0] is Priority.HIGH
    True
    """

    HIGH = 0
    """First, right after the tables have been read."""
    NORMAL = 1
    """In between, with behaviours and effects."""
    LOW = 2
    """Last, after all changes have been sent. Changes by these trackers read back at once, but are
    sent by the next tick, or by `World.flush`."""


class Tracker(Protocol):
    """Protocol of objects that are called once per tick.

    >>> class Counter:
    ...     ticks = 0
    ...
    ...     def update_tracker(self, delta_time, sim_time):
    ...         self.ticks += 1
    >>> world, counter = World(TableSimulator()), Counter()
    >>> world.trackers.add(counter)
    >>> world.tick()
    >>> counter.ticks
    1
    """

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Called once per tick.

        Args:
            delta_time: Duration of a tick [s].
            sim_time: Present simulated time of each world, (W,) [s].
        """
        ...


class TrackerManager(PerWorld):
    """The trackers of a world.

    >>> class Clock:
    ...     def update_tracker(self, delta_time, sim_time):
    ...         print(f"{sim_time[0]:.1f} s")
    >>> world = World(TableSimulator(timestep=0.5))
    >>> world.trackers.add(Clock())
    >>> world.tick()
    0.0 s
    >>> world.tick()
    0.5 s

    Attributes:
        early: Trackers of high and normal priority, in the order in which they run.
        late: Trackers of low priority.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._trackers: dict[Priority, list[Tracker]] = {priority: [] for priority in Priority}
        self._order()
        self._removed: list[Tracker] = []  # since the present tick began

    def add(
        self, tracker: Tracker, priority: Priority = Priority.NORMAL, *, first: bool = False
    ) -> None:
        """Registers a tracker; one added during a tick runs from the next tick on.

        Args:
            tracker: The tracker.
            priority: The part of a tick in which it runs.
            first: Whether it runs before registered trackers of the same priority.

        Raises:
            ValueError: The tracker is registered already.
            TypeError: The tracker has no ``update_tracker``, or `priority` is not a Priority.
        """
        if not callable(getattr(tracker, "update_tracker", None)):
            raise TypeError(f"a tracker must have a method update_tracker, got {tracker!r}")
        if not isinstance(priority, Priority):
            raise TypeError(f"priority must be a Priority such as Priority.LOW, got {priority!r}")
        if tracker in self:
            raise ValueError(f"{tracker!r} is registered already: remove it first")
        trackers = self._trackers[priority]
        trackers.insert(0 if first else len(trackers), tracker)
        self._order()

    def remove(self, tracker: Tracker) -> None:
        """Removes a tracker, even during a tick."""
        for trackers in self._trackers.values():
            if _holds(trackers, tracker):
                trackers[:] = [other for other in trackers if other is not tracker]
                self._removed.append(tracker)
                self._order()
                return
        raise ValueError(f"{tracker!r} is not registered")

    def __contains__(self, tracker: object) -> bool:
        return any(_holds(trackers, tracker) for trackers in self._trackers.values())

    def update(self) -> bool:
        """Runs every tracker once; sends all changes before it runs those of low priority.

        Returns:
            True if changes were sent. If there are no trackers of low priority, the physics step
            that follows sends them instead.

        Raises:
            CallbackError: A tracker raised an error; those after it did not run.
            WriteRefusedError: The simulator refused rows.
        """
        early, late = self.early, self.late  # without trackers that are added meanwhile
        self._removed.clear()
        if early:
            self._run(early)
        if late:
            self.world.cache.flush()
            self._run(late)
        return bool(late)

    def _order(self) -> None:
        high, normal, late = (tuple(self._trackers[priority]) for priority in Priority)
        self.early, self.late = high + normal, late

    def _run(self, trackers: Iterable[Tracker]) -> None:
        delta_time, sim_time = self.world.delta_time, self.world.time
        for tracker in trackers:
            if self._removed and _holds(self._removed, tracker):
                continue  # an earlier tracker removed it
            try:
                tracker.update_tracker(delta_time, sim_time)
            except (CallbackError, WriteRefusedError):
                raise
            except Exception as error:
                owner, tick = type(tracker).__name__, int(np.max(self.world.ticks))
                raise CallbackError(owner, "update_tracker", tick, error) from error


def _holds(trackers: list[Tracker], tracker: object) -> bool:
    return any(other is tracker for other in trackers)
