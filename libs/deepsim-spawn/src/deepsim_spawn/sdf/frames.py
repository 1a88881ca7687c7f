# SPDX-License-Identifier: Apache-2.0
"""The frame graph: which pose is relative to which, and what a frame is attached to.

A scope is one model or the world. Its frames are its links, joints, `<frame>`s and nested models;
those of nested models are reached as ``nested::frame``. A nested model sees nothing of its parent,
so scopes are complete from the inside out.
"""

from __future__ import annotations

from dataclasses import dataclass

from deepsim_math import Pose

from deepsim_spawn.errors import ModelFormatError
from deepsim_spawn.xml import Element

SEPARATOR = "::"


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame of a scope.

    Attributes:
        element: Where it is defined.
        pose: As written, in the frame `relative_to`.
        relative_to: Name of a frame in the same scope.
        attached_to: Name of the frame whose body it moves with; itself for a link.
        inside: The scope of a nested model.
    """

    element: Element
    pose: Pose
    relative_to: str
    attached_to: str
    inside: Scope | None = None


class Scope:
    """The frames of one model or world.

    Args:
        root: Name of the scope's own frame, ``__model__`` or ``world``.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.canonical_link = ""
        self._frames: dict[str, Frame] = {}
        self._resolved = {root: Pose()}

    def __contains__(self, name: str) -> bool:
        return name in self._frames

    def add(self, name: str, frame: Frame) -> None:
        """Names a frame.

        Raises:
            ModelFormatError: The name is reserved or taken.
        """
        if name == "world" or (name.startswith("__") and name.endswith("__")):
            raise frame.element.error(f"the name {name!r} is reserved")
        if SEPARATOR in name:
            raise frame.element.error(f"a name must not contain {SEPARATOR!r}, got {name!r}")
        if name in self._frames:
            first = self._frames[name].element
            raise frame.element.error(
                f"the name {name!r} is taken by the {first.tag} at {first.place}: "
                "siblings must have unique names"
            )
        self._frames[name] = frame

    def pose(self, name: str, asking: Element) -> Pose:
        """The pose of a frame in the scope's own frame.

        Args:
            name: A frame of this scope, or ``nested::frame``.
            asking: The element that refers to it.

        Raises:
            ModelFormatError: There is no such frame, or it is defined by way of itself.
        """
        # a loop, not a recursion: a file may chain more frames than Python's stack holds
        chain: dict[str, Pose] = {}
        while name not in self._resolved:
            if name in chain:
                raise asking.error(_cycle([*chain, name]))
            outer, _, inner = name.partition(SEPARATOR)
            frame = self._frame(outer, asking)
            if inner:
                if frame.inside is None:
                    raise asking.error(f"{outer!r} in {name!r} is not a nested model")
                chain[name] = frame.inside.pose(inner, asking)
                name = outer
            else:
                chain[name] = frame.pose
                name, asking = frame.relative_to, frame.element
        pose = self._resolved[name]
        for step, offset in reversed(chain.items()):
            pose = pose @ offset
            self._resolved[step] = pose
        return pose

    def relative_pose(self, pose: Pose, relative_to: str, base: str, asking: Element) -> Pose:
        """A pose written in one frame, in another.

        Args:
            pose: As written.
            relative_to: The frame it is written in; empty for `base`.
            base: The frame to express it in.
            asking: The element of the pose.
        """
        if not relative_to or relative_to == base:
            return pose  # untouched, so free of rounding
        return self.pose(base, asking).inverse() @ self.pose(relative_to, asking) @ pose

    def link(self, name: str, asking: Element) -> str:
        """The scoped name of the link that a frame moves with.

        Raises:
            ModelFormatError: There is no such frame, or it is attached to no link.
        """
        chain: dict[str, None] = {}  # an ordered set
        while True:
            if name in chain:
                raise asking.error(_cycle([*chain, name]))
            chain[name] = None
            if name == self.root:
                name = self.canonical_link
                if not name:
                    raise asking.error(f"{next(iter(chain))!r} is attached to no link")
            outer, _, inner = name.partition(SEPARATOR)
            frame = self._frame(outer, asking)
            if frame.inside is not None:
                inside = frame.inside
                return outer + SEPARATOR + inside.link(inner or inside.root, asking)
            if inner:
                raise asking.error(f"{outer!r} in {name!r} is not a nested model")
            if frame.attached_to == name:
                return name
            name = frame.attached_to

    def _frame(self, name: str, asking: Element) -> Frame:
        try:
            return self._frames[name]
        except KeyError:
            known = ", ".join([self.root, *self._frames])
            raise asking.error(f"there is no frame {name!r}; known here: {known}") from None


def _cycle(names: list[str]) -> str:
    cycle = names[names.index(names[-1]) :]
    return f"frames are defined by way of themselves: {' -> '.join(cycle)}"
