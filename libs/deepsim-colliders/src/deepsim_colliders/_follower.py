# SPDX-License-Identifier: Apache-2.0
"""Following something that has a pose."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from deepsim_math import Pose

from .pose_source import PoseSource

ORIGIN = Pose()


class Follower:
    """Has a pose relative to that of its source."""

    def __init__(self, pose_offset: Pose) -> None:
        self._source: tuple[Any, bool] | None = None  # and whether it is a function
        self._offset = Pose.from_array(pose_offset)
        # Source, offset and the pose that they make: one attribute, so that threads never mix them.
        self._known: tuple[Any, Pose, Pose] | None = None

    def attach(self, source: PoseSource | Callable[[], Pose]) -> None:
        """Follows `source`: an object with a `pose`, or a function that returns one.

        A source followed before is left first, with `on_detach`.

        Raises:
            TypeError: when `source` has neither.
            ValueError: when `source` follows this collider, or is it.
        """
        # Looked up without asking for it: the thing itself may come into being later.
        has_pose = isinstance(source, Follower) or (
            inspect.getattr_static(source, "pose", None) is not None
        )
        if not has_pose and not callable(source):
            raise TypeError(
                f"cannot attach to {source!r}: "
                "give an object with a `pose`, or a function that returns a Pose"
            )
        above: Any = source
        while isinstance(above, Follower):
            if above is self:
                raise ValueError(f"cannot attach {self!r} to {source!r}, which follows it")
            above = above._source and above._source[0]
        self.detach()
        self._source = source, not has_pose
        self.on_attach(source)

    def detach(self) -> None:
        """Follows nothing: `pose_offset` is in the world frame now."""
        followed, self._source = self._source, None
        if followed is not None:
            self.on_detach(followed[0])

    def on_attach(self, source: Any) -> None:
        """Hook for subclasses: it follows `source` now."""

    def on_detach(self, source: Any) -> None:
        """Hook for subclasses: it no longer follows `source`."""

    @property
    def pose_offset(self) -> Pose:
        """Pose in the frame of the source; may be set."""
        return self._offset

    @pose_offset.setter
    def pose_offset(self, pose: Pose) -> None:
        self._offset = Pose.from_array(pose)

    @property
    def pose(self) -> Pose:
        """Pose in the world frame, now."""
        base, offset, known = self._base_now(), self._offset, self._known
        # Values are immutable: the same objects make the same pose.
        if known is not None and known[0] is base and known[1] is offset:
            return known[2]
        pose = Pose.from_array(base)
        pose = pose if offset is ORIGIN else pose @ offset
        if isinstance(base, Pose):
            self._known = base, offset, pose
        return pose

    def _base_now(self) -> Any:
        """Returns the pose of the source, in whatever form the source gives it."""
        followed = self._source
        if followed is None:
            return ORIGIN
        source, is_function = followed
        return source() if is_function else source.pose
