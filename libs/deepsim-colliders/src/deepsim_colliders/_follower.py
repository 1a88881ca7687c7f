# SPDX-License-Identifier: Apache-2.0
"""Attachment to an object with a pose."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Protocol

from deepsim_math import Pose


class PoseSource(Protocol):
    """An object with a pose in the world frame, such as a transform or a body.

    >>> from deepsim_colliders import SphereCollider
    >>> from deepsim_math import Pose
    >>> class Robot:
    ...     pose = Pose((1, 2, 0))
    >>> bumper = SphereCollider(0.3)
    >>> bumper.attach(Robot())
    >>> bumper.pose.position
    Point(1.0, 2.0, 0.0)
    """

    @property
    def pose(self) -> Pose:
        """Pose in the world frame; each query reads it."""


ORIGIN = Pose()


class Follower:
    """Object with a pose relative to the pose of a source."""

    def __init__(self, pose_offset: Pose) -> None:
        self._source: tuple[Any, bool] | None = None  # and whether it is a function
        self._offset = Pose.from_array(pose_offset)
        # Source, offset and the pose that they make: one attribute, so that threads never mix them.
        self._known: tuple[Any, Pose, Pose] | None = None

    def attach(self, source: PoseSource | Callable[[], Pose]) -> None:
        """Attaches this to `source`: an object with a `pose`, or a function that returns one.

        An earlier source is detached first.

        Raises:
            TypeError: `source` has no pose and is not callable.
            ValueError: `source` is this collider, or is attached to it.
        """
        # Looked up without evaluating it: the pose itself may become available later.
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
        """Detaches this from its source; `pose_offset` is then relative to the world frame."""
        followed, self._source = self._source, None
        if followed is not None:
            self.on_detach(followed[0])

    def on_attach(self, source: Any) -> None:
        """Hook for subclasses: called after attaching to `source`."""

    def on_detach(self, source: Any) -> None:
        """Hook for subclasses: called after detaching from `source`."""

    @property
    def pose_offset(self) -> Pose:
        """Pose in the frame of the source; settable."""
        return self._offset

    @pose_offset.setter
    def pose_offset(self, pose: Pose) -> None:
        self._offset = Pose.from_array(pose)

    @property
    def pose(self) -> Pose:
        """Current pose in the world frame."""
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
        """Returns the pose of the source, in the form that the source provides."""
        followed = self._source
        if followed is None:
            return ORIGIN
        source, is_function = followed
        return source() if is_function else source.pose
