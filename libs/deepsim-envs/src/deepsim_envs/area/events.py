# SPDX-License-Identifier: Apache-2.0
"""Parts of a task that happen from time to time: intervals, commands and pushes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import World, WorldNumbers

from .parts import Floats, Range, TaskPart

_NEVER = np.iinfo(np.int64).max


class Interval(TaskPart):
    """A clock of each world that is due every n seconds, for events of a task.

    >>> world = World(TableSimulator(worlds=2, timestep=0.5))
    >>> wind = Interval(world, 1.0)
    >>> world.reset()
    >>> for _ in range(4):
    ...     world.tick()
    ...     print(wind.due())
    []
    [0 1]
    []
    [0 1]

    Args:
        world: The W worlds of the task.
        seconds: Simulated time between two events [s], rounded to whole ticks: a number, or the
            least and the largest of a time that is drawn anew for each event and world.

    Attributes:
        next: The tick of the next event in each world, (W,).

    Raises:
        ValueError: The time is not > 0, or the two are not in ascending order.
    """

    def __init__(self, world: World, seconds: Range) -> None:
        low, high = seconds if isinstance(seconds, (tuple, list)) else (seconds, seconds)
        if not 0.0 < low <= high or low < high == math.inf:
            raise ValueError(
                f"an interval must be > 0 s, or two times in ascending order, got {seconds!r}"
            )
        super().__init__(world)
        self._seconds = float(low), float(high)
        self.next = np.full(len(world), _NEVER)

    def reset(self, worlds: WorldNumbers) -> None:
        """Draws the time of the first event in some worlds."""
        self._wait(worlds)

    def due(self) -> WorldNumbers:
        """Returns the numbers of the worlds with an event since the last call, (w,).

        Call it once in each step, in the hook `Area.update`.
        """
        worlds = np.flatnonzero(self.world.ticks >= self.next)
        if len(worlds):
            self._wait(worlds)
        return worlds

    def _wait(self, worlds: WorldNumbers) -> None:
        low, high = self._seconds
        if math.isinf(low):
            return
        if low < high:
            seconds = self.world.uniform(low, high, (), worlds)
        else:
            seconds = np.full(len(worlds), low)
        ticks = np.maximum(np.rint(seconds / self.world.delta_time), 1.0)
        self.next[worlds] = self.world.ticks[worlds] + ticks.astype(np.int64)


class Command(Interval):
    """A command for the agents, such as a velocity, drawn at each reset and every n seconds.

    >>> world = World(TableSimulator(worlds=2), seed=0)
    >>> command = Command(world, low=[-1.0, -0.5], high=[1.0, 0.5], every=(5.0, 10.0))
    >>> world.reset()
    >>> command.value.shape
    (2, 2)

    A subclass that overrides `draw` gives commands of other distributions.

    Args:
        world: The W worlds of the task.
        low: Lowest command, (n,).
        high: Highest command, (n,).
        every: Simulated time between two draws [s]; see `Interval`. By default, a command lasts
            for the episode.
        zero: Probability that a command is 0, so that agents learn to stand.

    Attributes:
        value: The present command of each world, (W, n).
        low: Lowest command, (n,); a curriculum may change it.
        high: Highest command, (n,).

    Raises:
        ValueError: The limits do not have the same size or order, or another setting is invalid.
    """

    def __init__(
        self,
        world: World,
        low: ArrayLike,
        high: ArrayLike,
        every: Range = math.inf,
        *,
        zero: float = 0.0,
    ) -> None:
        self.low, self.high = np.array(low, np.float64), np.array(high, np.float64)
        fit = self.low.ndim == 1 and self.low.shape == self.high.shape
        if not fit or not (self.low <= self.high).all():
            raise ValueError(
                "low and high of a Command must be as many numbers with low <= high, "
                f"got {low!r} and {high!r}"
            )
        if not 0.0 <= zero <= 1.0:
            raise ValueError(f"zero must be a probability, got {zero}")
        super().__init__(world, every)
        self.zero = zero
        self.value = np.zeros((len(world), len(self.low)))

    def reset(self, worlds: WorldNumbers) -> None:
        """Draws the first command of some worlds."""
        super().reset(worlds)
        self.value[worlds] = self.draw(worlds)

    def update(self) -> WorldNumbers:
        """Draws new commands where they are due; call it in the hook `Area.update`.

        Returns:
            The numbers of the worlds with a new command, (w,).
        """
        worlds = self.due()
        if len(worlds):
            self.value[worlds] = self.draw(worlds)
        return worlds

    def draw(self, worlds: WorldNumbers) -> Floats:
        """Draws commands for some worlds from their own generators, (w, n)."""
        drawn = self.world.uniform(self.low, self.high, self.low.shape, worlds)
        if self.zero:
            drawn[self.world.uniform(0.0, 1.0, (), worlds) < self.zero] = 0.0
        return drawn


class Push(Interval):
    """Pushes a model every n seconds: adds a random velocity to all of it.

    Its links keep their velocities relative to each other, so that the momentum changes by mass
    times velocity.

    >>> world = World(TableSimulator(worlds=2, timestep=0.5), seed=0)
    >>> world.spawn(TableModel(gravity=False), "ball", Pose())
    >>> push = Push(world, "ball", every=0.5, linear=(1.0, 1.0, 0.0))
    >>> world.reset()
    >>> world.tick()
    >>> push.update()
    array([0, 1])
    >>> bool((world.models.twist[:, 0, :2] != 0.0).all())
    True

    Args:
        world: The W worlds of the task.
        model: Name of the model, whose base must be free.
        every: Simulated time between two pushes [s]; see `Interval`.
        linear: Largest change of the velocity along x, y and z of the world [m/s], one number or
            (3,); the change is uniform between its negative and this.
        angular: Largest change of the angular velocity about x, y and z [rad/s], likewise.

    Raises:
        UnknownEntityError: The world has no such model.
        ValueError: A change is negative, or the time is invalid.
    """

    def __init__(
        self,
        world: World,
        model: str,
        every: Range,
        *,
        linear: ArrayLike = 0.0,
        angular: ArrayLike = 0.0,
    ) -> None:
        change = [np.broadcast_to(np.asarray(each, np.float64), 3) for each in (linear, angular)]
        self.change: NDArray[np.float64] = np.concatenate(change)
        if not (self.change >= 0.0).all() or not self.change.any():
            raise ValueError(
                "linear and angular of a Push must be >= 0, and one of them > 0, "
                f"got {linear!r} and {angular!r}"
            )
        super().__init__(world, every)
        self._rows = world.models.select([model])

    def update(self) -> WorldNumbers:
        """Pushes where it is due; call it in the hook `Area.update`.

        Returns:
            The numbers of the pushed worlds, (w,).
        """
        worlds = self.due()
        if len(worlds):
            change = self.world.uniform(-self.change, self.change, 6, worlds)
            self._rows.put(worlds, twist=self._rows.twist[worlds] + change[:, None])
        return worlds
