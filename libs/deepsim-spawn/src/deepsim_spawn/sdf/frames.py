# SPDX-License-Identifier: Apache-2.0
"""The frame graph: which pose is relative to which, and what a frame is attached to.

A scope is one model or the world. Its frames are its links, joints, `<frame>`s and nested models;
those of nested models are reached as ``nested::frame``. A nested model sees nothing of its parent,
so scopes are complete from the inside out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deepsim_math import Pose
from deepsim_spawn.description.names import is_reserved
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import word
from deepsim_sync import SCOPE

from .pose import read_pose

MODEL = "__model__"
"""A model's own frame, by which everything in it is placed."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame of a scope.

    Attributes:
        element: Where it is defined.
        pose: As written, in the frame `relative_to`.
        relative_to: Name of a frame in the same scope.
        attached_to: Name of the frame whose body it moves with; empty for a link or model.
        inside: The scope of a nested model.
    """

    element: Element
    pose: Pose
    relative_to: str
    attached_to: str = ""
    inside: Scope | None = None


class Scope:
    """The frames of one model or world.

    Args:
        root: Name of the scope's own frame, `MODEL` or `WORLD`.
        canonical_link: Scoped name of the link that a model's own frame is attached to; empty for
            a world, and for a model without links.

    Attributes:
        root: As given.
        canonical_link: As given.
    """

    def __init__(self, root: str, canonical_link: str = "") -> None:
        self.root = root
        self.canonical_link = canonical_link
        self._frames: dict[str, Frame] = {}
        self._resolved = {root: Pose()}
        self._links = {root: canonical_link} if canonical_link else {}

    @property
    def frames(self) -> Mapping[str, Frame]:
        """By name, without the scope's own."""
        return self._frames

    def __contains__(self, name: str) -> bool:
        return name in self._frames

    def add(self, name: str, frame: Frame) -> None:
        """Names a frame.

        Raises:
            ModelFormatError: The name is reserved or taken.
        """
        if is_reserved(name) or SCOPE in name:
            raise frame.element.error(f"the name {name!r} is reserved: choose another one")
        if name in self._frames:
            first = self._frames[name].element
            raise frame.element.error(
                f"the name {name!r} is taken by the <{first.tag}> at {first.place}"
            )
        self._frames[name] = frame
        if not frame.attached_to and frame.inside is None:
            self._links[name] = name

    def add_frame(self, element: Element) -> None:
        """Names the frame of a `<frame>`."""
        name = element.require_attribute("name", word)
        pose, relative_to = read_pose(element)
        attached_to = element.attribute("attached_to", str, "") or self.root
        self.add(name, Frame(element, pose, relative_to or attached_to, attached_to))

    def check(self) -> None:
        """Resolves every frame, so that errors in unused frames are found too.

        Raises:
            ModelFormatError: One refers to a frame that does not exist, or to itself.
        """
        for name, frame in self._frames.items():
            self.pose(name, frame.element)
            if self.canonical_link:
                self.link(name, frame.element)

    def pose(self, name: str, asking: Element) -> Pose:
        """Returns the pose of a frame in the scope's own frame.

        Args:
            name: A frame of this scope, or ``nested::frame``.
            asking: The element that refers to it.

        Raises:
            ModelFormatError: The frame does not exist, or refers to itself.
        """
        # a loop, not a recursion: a file may chain more frames than Python's stack holds
        chain: dict[str, Pose] = {}
        while name not in self._resolved:
            if name in chain:
                raise asking.error(_cycle([*chain, name]))
            outer, _, inner = name.partition(SCOPE)
            frame = self._frame(outer, asking)
            if inner:
                chain[name] = self._inside(frame, name, asking).pose(inner, asking)
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
        """Returns a pose that is written in one frame, in another.

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
        """Returns the scoped name of the link that a frame of a model moves with.

        Raises:
            ModelFormatError: The frame does not exist, or is not attached to a link.
        """
        chain: dict[str, None] = {}  # an ordered set
        while name not in self._links:
            if name in chain:
                raise asking.error(_cycle([*chain, name]))
            chain[name] = None
            if name == self.root:
                raise asking.error(f"{next(iter(chain))!r} is attached to no link")
            outer, _, inner = name.partition(SCOPE)
            frame = self._frame(outer, asking)
            if inner or frame.inside is not None:
                inside = self._inside(frame, name, asking)
                self._links[name] = outer + SCOPE + inside.link(inner or inside.root, asking)
            else:
                name = frame.attached_to
        link = self._links[name]
        self._links.update(dict.fromkeys(chain, link))
        return link

    def _frame(self, name: str, asking: Element) -> Frame:
        try:
            return self._frames[name]
        except KeyError:
            known = ", ".join([self.root, *self._frames])
            raise asking.error(f"there is no frame {name!r}; known here: {known}") from None

    @staticmethod
    def _inside(frame: Frame, name: str, asking: Element) -> Scope:
        if frame.inside is None:
            raise asking.error(f"{name!r} leads into <{frame.element.tag}>, which is no model")
        return frame.inside


def _cycle(names: list[str]) -> str:
    cycle = names[names.index(names[-1]) :]
    return f"frames are defined by way of themselves: {' -> '.join(cycle)}"
