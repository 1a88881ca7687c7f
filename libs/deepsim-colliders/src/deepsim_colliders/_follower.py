# SPDX-License-Identifier: Apache-2.0
"""Following something that has a pose."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from deepsim_math import Pose

from .pose_source import PoseSource

ORIGIN = Pose()


class Follower:
    """Has a pose of its own, relative to that of what it is attached to."""

    def __init__(self, pose_offset: Pose) -> None:
        self._source: Any = None
        self._source_is_function = False
        self._offset = Pose.from_array(pose_offset)
        self._base: Pose | None = None
        self._pose = self._offset

    def attach(self, source: PoseSource | Callable[[], Pose]) -> None:
        """Follow `source`: an object with a `pose`, or a function that returns one.

        Raises:
            TypeError: when `source` has neither.
        """
        # Looked up without asking for it: the thing itself may come into being later.
        has_pose = inspect.getattr_static(source, "pose", None) is not None
        if not has_pose and not callable(source):
            raise TypeError(
                f"cannot attach to {source!r}: "
                "give an object with a `pose`, or a function that returns a Pose"
            )
        self._source = source
        self._source_is_function = not has_pose

    def detach(self) -> None:
        """Follow nothing: `pose_offset` is in the world frame now."""
        self._source = None

    @property
    def pose_offset(self) -> Pose:
        """Pose in the frame of what it is attached to; may be set."""
        return self._offset

    @pose_offset.setter
    def pose_offset(self, pose: Pose) -> None:
        self._offset = Pose.from_array(pose)
        self._base = None

    @property
    def pose(self) -> Pose:
        """Pose in the world frame, now."""
        base = self._base_now()
        # Values are immutable: the same object is the same pose.
        if self._base is None or base is not self._base:
            pose = Pose.from_array(base)
            self._pose = pose if self._offset is ORIGIN else pose @ self._offset
            self._base = base if isinstance(base, Pose) else None
        return self._pose

    def _base_now(self) -> Any:
        """Pose of what it is attached to, in whatever form that gives it."""
        source = self._source
        if source is None:
            return ORIGIN
        return source() if self._source_is_function else source.pose
