# SPDX-License-Identifier: Apache-2.0
"""The robot whose body touched the ball last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deepsim_soccer.skills.motion import Floats, anywhere
from deepsim_sync import World

from .ball import Bools, Numbers

_FASTEST = 25.0  # no ball is faster relative to a robot [m/s]
_NEARLY = 0.01  # a body whose bumper feels something touches a ball within this distance [m]


class Touches:
    """Finds the bodies of N robots that balls met; the pitch itself counts kicks and dribbling.

    Args:
        world: World of the robots and the balls.
        robots: Names of the robots.
        reach: Distance between the axes of a robot and the ball when they touch [m].
    """

    def __init__(self, world: World, robots: Sequence[str], reach: float) -> None:
        self._world, self._reach = world, reach
        self._bumpers = world.sensors.select([f"{each}::chassis::bumper" for each in robots])
        self._numbers = np.arange(len(robots))
        self._time = world.simulator.time  # of the latest `update` [s]

    def begin(self, way: Floats, twist: Floats) -> None:
        """Keeps where a tick begins: the arguments `way` and `twist` of `update`."""
        self._way_before, self._twist_before = way, twist

    def update(
        self, touched: Numbers, holder: Numbers, square: Floats, way: Floats, twist: Floats
    ) -> None:
        """Writes the robots that balls met in the latest tick into `touched`.

        If a ball met several bodies in one tick, that of the holder is not its last touch; among
        the others, chance decides.

        Args:
            touched: Numbers of the robots that touched the balls last, (W,); changed in place.
            holder: Numbers of the robots that hold the balls, (W,).
            square: Squares of the distances of the robots from the ball, (W, N) [m²].
            way: From the robots to the ball, (W, N, 2) [m].
            twist: Twists of the robots and, last, of the ball, (W, N + 1, 6) [m/s, rad/s].
        """
        now = self._world.simulator.time
        if now is self._time:
            return
        before, self._time = self._time, now
        far = self._reach + _FASTEST * self._world.delta_time
        near = square.min(axis=1) < far * far
        if not anywhere(near):
            return
        worlds = np.flatnonzero(near & (now != before))
        met = self._bumpers.found[worlds]
        if not anywhere(met):
            return
        met &= self._passed(worlds, way, twist)
        others = met & (self._numbers != holder[worlds, None])
        met = np.where(others.any(axis=1, keepdims=True), others, met)
        count = met.sum(axis=1)
        lot = met.astype(np.float64)
        several = np.flatnonzero(count > 1)
        if len(several):
            lot[several] *= self._world.uniform(0.5, 1.0, len(self._numbers), worlds[several])
        chosen = count > 0
        touched[worlds[chosen]] = lot[chosen].argmax(axis=1)

    def _passed(self, worlds: Numbers, way: Floats, twist: Floats) -> Bools:
        """Returns whether the ball passed each robot at a touch's distance in a tick, (w, N).

        A bumper also feels other robots, posts and the boundary. Ball and robots move straight
        before and after a bounce, so the paths that begin where the tick began, and those that end
        where it ended, both count.
        """
        period, least = self._world.delta_time, np.inf
        for start, speed, sign in (
            (self._way_before, self._twist_before, 1.0), (way, twist, -1.0)
        ):  # fmt: skip
            begin, moved = start[worlds], speed[worlds, -1:, :2] - speed[worlds, :-1, :2]
            square = (moved * moved).sum(axis=-1)
            nearest = -sign * (begin * moved).sum(axis=-1) / np.maximum(square, 1e-12)
            nearest = sign * np.clip(nearest, 0.0, period)
            gap = begin + nearest[..., None] * moved
            least = np.minimum(least, (gap * gap).sum(axis=-1))
        return np.asarray(least < (self._reach + _NEARLY) ** 2)
