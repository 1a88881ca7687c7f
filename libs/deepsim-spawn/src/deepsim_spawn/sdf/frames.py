# SPDX-License-Identifier: Apache-2.0
"""The frame graph: frames, their poses relative to one another, and the links they are attached to.

A scope is one model or the world. Its frames are its links, joints, `<frame>`s and nested models;
frames of nested models are reached as ``nested::frame``. A nested model cannot refer to frames of
its parent, so scopes are completed from the inside out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from deepsim_math import Point, Pose, Quaternion
from deepsim_spawn.description.checks import is_reserved
from deepsim_spawn.xml.element import Element, boolean, numbers, word
from deepsim_sync import SCOPE


def read_pose(owner: Element) -> tuple[Pose, str]:
    """Returns the written pose of an element (default: identity) and its `relative_to` (or "")."""
    element = owner.find("pose")
    if element is None:
        return Pose(), ""
    relative_to = element.attribute("relative_to", str, "")
    unit = math.pi / 180.0 if element.attribute("degrees", boolean, False) else 1.0
    rotation_format = element.attribute("rotation_format", str, "euler_rpy")
    if not element.text:
        return Pose(), relative_to
    if rotation_format == "quat_xyzw":
        x, y, z, *rotation = element.value(lambda text: numbers(text, 7))
        length = math.hypot(*rotation)
        if length < 1e-9:
            raise element.error("the quaternion must not be zero")
        orientation = Quaternion(*(number / length for number in rotation))
    elif rotation_format == "euler_rpy":
        x, y, z, *rotation = element.value(lambda text: numbers(text, 6))
        orientation = Quaternion.from_euler(*(angle * unit for angle in rotation))
    else:
        raise element.error(
            f"rotation_format must be euler_rpy or quat_xyzw, got {rotation_format!r}"
        )
    return Pose(Point(x, y, z), orientation), relative_to


MODEL = "__model__"
"""The model frame, in which the parts of a model are placed."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame of a scope.

    Attributes:
        element: The element that defines it.
        pose: The written pose, in the frame `relative_to`.
        relative_to: Name of a frame in the same scope.
        attached_to: Name of the frame that it moves with; empty for a link or model.
        inside: Scope of a nested model; None for other frames.
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
        canonical_link: Scoped name of the link that a model frame is attached to; empty for a
            world and for a model without links.
    """

    def __init__(self, root: str, canonical_link: str = "") -> None:
        self.root = root
        self.canonical_link = canonical_link
        self._frames: dict[str, Frame] = {}
        self._resolved = {root: Pose()}
        self._links = {root: canonical_link} if canonical_link else {}

    @property
    def frames(self) -> Mapping[str, Frame]:
        """All frames by name, except the scope's own."""
        return self._frames

    def __contains__(self, name: str) -> bool:
        return name in self._frames

    def add(self, name: str, frame: Frame) -> None:
        """Adds a frame under a name.

        Raises:
            ModelFormatError: The name is reserved or taken.
        """
        if is_reserved(name) or SCOPE in name:
            raise frame.element.error(f"the name {name!r} is reserved: choose another")
        if name in self._frames:
            first = self._frames[name].element
            raise frame.element.error(
                f"the name {name!r} is already used by the <{first.tag}> at {first.place}"
            )
        self._frames[name] = frame
        if not frame.attached_to and frame.inside is None:
            self._links[name] = name

    def add_frame(self, element: Element) -> None:
        """Adds the frame that a `<frame>` element defines."""
        name = element.require_attribute("name", word)
        pose, relative_to = read_pose(element)
        attached_to = element.attribute("attached_to", str, "") or self.root
        self.add(name, Frame(element, pose, relative_to or attached_to, attached_to))

    def check(self) -> None:
        """Resolves every frame, so that errors in frames are found even if no element uses them."""
        for name, frame in self._frames.items():
            self.pose(name, frame.element)
            if self.canonical_link:
                self.link(name, frame.element)

    def pose(self, name: str, asking: Element) -> Pose:
        """Returns the pose of a frame, or ``nested::frame``, in the scope's own frame.

        `asking` is the element that refers to it.
        """
        # a loop, not recursion: a file may chain more frames than Python's stack allows
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
        """Converts a pose from the frame `relative_to` (empty for `base`) to the frame `base`."""
        if not relative_to or relative_to == base:
            return pose  # without rounding
        return self.pose(base, asking).inverse() @ self.pose(relative_to, asking) @ pose

    def link(self, name: str, asking: Element) -> str:
        """Returns the scoped name of the link that a frame of a model is attached to."""
        chain: dict[str, None] = {}  # an ordered set
        while name not in self._links:
            if name in chain:
                raise asking.error(_cycle([*chain, name]))
            chain[name] = None
            if name == self.root:
                raise asking.error(f"{next(iter(chain))!r} is not attached to a link")
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
            raise asking.error(f"unknown frame {name!r}; known frames: {known}") from None

    @staticmethod
    def _inside(frame: Frame, name: str, asking: Element) -> Scope:
        if frame.inside is None:
            raise asking.error(f"{name!r} leads into <{frame.element.tag}>, expected a model")
        return frame.inside


def _cycle(names: list[str]) -> str:
    cycle = names[names.index(names[-1]) :]
    return f"cyclic frames: {' -> '.join(cycle)}"
