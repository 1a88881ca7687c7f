# SPDX-License-Identifier: Apache-2.0
"""Runs simulations of Scenic side by side, which all wait for the same ticks. Imports Scenic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

from deepsim_scenes.language.joint import GlobalState

T = TypeVar("T")
Wait = Callable[[Any], None]
"""Called by a simulation, which it gets, to let the world tick."""


def in_lockstep(
    runs: Sequence[Callable[[Wait], T]], tick: Callable[[Sequence[Any]], None]
) -> list[T]:
    """Runs functions that each stop in the middle, until all of them wait; then ticks.

    Scenic's global state and the random generators are separate for each run. All runs share the
    caller's thread.

    Args:
        runs: Functions that simulate one world each; they call what they get to wait for a tick.
        tick: Lets time pass; gets the simulations that wait.

    Returns:
        The results of the runs.

    Raises:
        BaseException: A run or a tick raised it; the other runs are ended first.
    """
    hub, home = getcurrent(), GlobalState()
    lanes = [greenlet(run) for run in runs]
    states = [home] * len(runs)
    results: dict[int, T] = {}
    try:
        while len(results) < len(runs):
            waiting = []
            for number, lane in enumerate(lanes):
                if number in results:
                    continue
                states[number].restore()
                # The first switch calls the function; later ones return from its last wait.
                given = lane.switch() if lane else lane.switch(hub.switch)
                states[number] = GlobalState()
                if lane.dead:
                    results[number] = given
                else:
                    waiting.append(given)
            home.restore()
            if waiting:
                tick(waiting)
    finally:
        for lane, state in zip(lanes, states, strict=True):
            if lane:  # it has begun, and has not ended
                state.restore()
                lane.throw()
        home.restore()
    return [results[number] for number in range(len(runs))]
