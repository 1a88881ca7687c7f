# SPDX-License-Identifier: Apache-2.0
"""Worlds whose time somebody else runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .control import Control


class Clock(Protocol):
    """Runs the time of a world that only follows, such as `FollowedSimulator` of deepsim-transport.

    The viewer calls it in the thread of the world.
    """

    @property
    def paused(self) -> bool:
        """Whether time rests, whoever let it; any thread may ask."""
        ...

    def pause(self) -> None:
        """Lets time rest."""
        ...

    def resume(self) -> None:
        """Lets time go on."""
        ...

    def advance(self, steps: int) -> None:
        """Lets time rest after some more physics steps."""
        ...


class ClockControl(Control):
    """Hands pause, play and steps to a clock; the world itself is never held.

    Args:
        post: Leaves a function for the next tick (`World.post`).
        clock: Runs the time.
        ask: Leaves a function for the world's thread, and reports its errors.
        steps: Physics steps of one tick.
    """

    has_speed = False

    def __init__(
        self,
        post: Callable[[Callable[[], object]], None],
        clock: Clock,
        ask: Callable[[Callable[[], object]], None],
        steps: int,
    ) -> None:
        super().__init__(post, None)
        self._clock, self._ask, self._steps_per_tick = clock, ask, steps

    @property
    def paused(self) -> bool:
        """Whether time rests."""
        return self._clock.paused

    def pause(self) -> None:
        """Lets time rest."""
        self._ask(self._clock.pause)

    def resume(self) -> None:
        """Lets time go on."""
        self._ask(self._clock.resume)

    def release(self) -> None:
        """Does nothing: time goes on, or rests, for all others who look."""

    def step(self, ticks: int = 1) -> None:
        """Lets time rest after so many ticks."""
        steps = ticks * self._steps_per_tick
        self._ask(lambda: self._clock.advance(steps))

    def call(self, function: Callable[[], object]) -> None:
        """Runs a function in the next tick."""
        self._post(function)

    def wait(self, now: float, after_call: Callable[[], object]) -> None:
        """Returns at once."""
