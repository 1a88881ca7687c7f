# SPDX-License-Identifier: Apache-2.0
"""The tree of frames of a recording."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deepsim_math import poses


@dataclass(eq=False)
class _Frame:
    parent: str
    fixed: bool
    times: list[float] = field(default_factory=list)
    rows: list[NDArray[np.float64]] = field(default_factory=list)


class Transforms:
    """Poses of frames in their parents over time, as tf keeps them.

    Args:
        keep: The number of poses of each frame that are kept, the latest ones; None for all.

    >>> tree = Transforms()
    >>> tree.add(0.0, "map", "car", np.array([1.0, 0, 0, 0, 0, 0, 1]))
    >>> tree.add(0.0, "car", "eye", np.array([0, 0, 0.5, 0, 0, 0, 1]), fixed=True)
    >>> tree.pose("eye", 3.0)
    ('map', array([1. , 0. , 0.5, 0. , 0. , 0. , 1. ]))
    """

    def __init__(self, keep: int | None = None) -> None:
        self._frames: dict[str, _Frame] = {}
        self._keep = keep

    def add(
        self,
        time: float,
        parent: str,
        child: str,
        pose: NDArray[np.float64],
        *,
        fixed: bool = False,
    ) -> None:
        """Adds the pose of a frame in its parent, (7,), that holds from a time on [s].

        Times must not decrease; a fixed pose also holds before. A leading ``/`` has no meaning.

        Raises:
            ValueError: The pose is not finite, or its quaternion is zero.
        """
        if not np.isfinite(pose).all() or not pose[3:].any():
            raise ValueError(f"the transform of {child!r} is not a pose: {pose.tolist()}")
        parent, child = parent.lstrip("/"), child.lstrip("/")
        row = np.concatenate([pose[:3], pose[3:] / np.linalg.norm(pose[3:])])
        known = self._frames.get(child)
        if known is None or fixed or known.parent != parent:
            known = self._frames[child] = _Frame(parent, fixed)
        known.times.append(time)
        known.rows.append(row)
        if self._keep is not None:
            del known.times[: -self._keep], known.rows[: -self._keep]

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames that have a parent."""
        return tuple(self._frames)

    @property
    def times(self) -> NDArray[np.float64]:
        """Times at which a frame moved, (n,) [s], ascending."""
        moving = (each.times for each in self._frames.values() if not each.fixed)
        return np.unique([time for times in moving for time in times])

    def path(self, frame: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns the times (n,) [s] and the poses (n, 7) of a frame in its parent.

        Raises:
            KeyError: The frame has no parent.
        """
        each = self._frames[frame]
        return np.array(each.times), np.array(each.rows)

    def pose(self, frame: str, time: float) -> tuple[str, NDArray[np.float64]]:
        """Returns the root of a frame's tree and the pose in it, (7,), at a time [s].

        Each transform is the latest one at or before the time, or else the first.

        Raises:
            ValueError: The frames form a circle.
        """
        pose = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        seen = set()
        while frame in self._frames:
            if frame in seen:
                raise ValueError(f"the frame {frame!r} is its own ancestor")
            seen.add(frame)
            each = self._frames[frame]
            row = each.rows[max(bisect_right(each.times, time) - 1, 0)]
            pose = poses.compose(row, pose)
            frame = each.parent
        return frame, pose
