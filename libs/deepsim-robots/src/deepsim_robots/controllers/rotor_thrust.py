# SPDX-License-Identifier: Apache-2.0
"""Controls rotors by their thrust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import quaternions
from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats


@dataclass(frozen=True, kw_only=True)
class RotorThrust(Controller):
    """Applies the thrust of each rotor [N] along the z axis of its link, at a point on the link.

    A rotor that turns anticlockwise turns its link clockwise: its drag torque about z is
    -direction * drag * thrust. The part needs no joints.

    >>> rotors = RotorThrust(
    ...     links=["body"] * 4,
    ...     points=[(0.1, 0.1, 0), (-0.1, 0.1, 0), (-0.1, -0.1, 0), (0.1, -0.1, 0)],
    ...     directions=[1, -1, 1, -1],
    ...     drag=0.02,
    ...     lower=0.0,
    ...     upper=5.0,
    ... )
    >>> body = "<sdf version='1.9'><model name='m'><link name='body'/></model></sdf>"
    >>> world = World(MujocoSimulator())
    >>> robot = Robot(world, RobotConfig(body, parts={"rotors": Part([], rotors)}), "drone")
    >>> robot.action_size
    4

    Attributes:
        links: Link of each rotor; a link may have several rotors.
        points: Position of each rotor in the frame of its link [m]; the origin by default.
        directions: 1 for each rotor that turns anticlockwise, seen from above, else -1; by
            default 1.
        drag: Torque per thrust, >= 0 [m].
        lower: Lowest thrust, one for all rotors or one for each [N].
        upper: Highest thrust, one for all rotors or one for each [N].
    """

    links: Sequence[str] = ()
    points: Sequence[Sequence[float]] | None = None
    directions: Sequence[float] | None = None
    drag: float = 0.0
    lower: ArrayLike = 0.0
    upper: ArrayLike = 10.0

    def drive(self, joints: JointGroup) -> Drive:
        count = len(self.links)
        if not count:
            raise ValueError(f"part {joints.part!r} has no rotors: name the link of each")
        if not 0.0 <= self.drag < np.inf:
            raise ValueError(f"drag must be >= 0 m, got {self.drag!r}")
        points = np.zeros((count, 3)) if self.points is None else np.array(self.points, float)
        turns = np.ones(count) if self.directions is None else np.array(self.directions, float)
        if points.shape != (count, 3) or turns.shape != (count,):
            raise ValueError(f"{count} rotors need {count} points and directions")
        lower = np.broadcast_to(np.asarray(self.lower, float), (count,))
        upper = np.broadcast_to(np.asarray(self.upper, float), (count,))
        return _RotorDrive(joints, lower, upper, self.links, points, -self.drag * turns)


class _RotorDrive(Drive):
    """Sets forces and torques of links in every tick, because they last for one tick only."""

    def __init__(
        self,
        joints: JointGroup,
        lower: ArrayLike,
        upper: ArrayLike,
        links: Sequence[str],
        points: Floats,
        drag: Floats,
    ) -> None:
        super().__init__(joints, lower, upper)
        names = list(dict.fromkeys(links))
        rows = [joints.link(name) for name in names]
        self._links = joints.world.links.select([row.names[0] for row in rows])
        # (links, rotors): 1 where a link has the rotor, so that products sum over its rotors.
        own = np.array([[link == name for link in links] for name in names], dtype=np.float64)
        self._own = own
        self._points, self._drag = points, drag
        self._thrust = self.remember("thrust", len(links))

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        self._thrust[worlds] = action

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Applies the thrusts to the links during the next tick."""
        thrust = self._thrust[worlds]
        own = self._own
        turn = self._links.pose[worlds][..., 3:]  # (w, links, 4)
        center = self._links.center_of_mass[worlds] - self._links.pose[worlds][..., :3]
        total = np.einsum("wr,lr->wl", thrust, own)
        force = quaternions.rotate(turn, total[..., None] * _UP)
        # A thrust T along z at p exerts the torque (p_y T, -p_x T, drag T) in the link's frame.
        arms = np.stack([self._points[:, 1], -self._points[:, 0], self._drag], axis=1)
        local = np.einsum("wr,lr,ri->wli", thrust, own, arms)
        torque = quaternions.rotate(turn, local) - np.cross(center, force)
        self._links.put(worlds, force=force, torque=torque)

    def reset(self, worlds: WorldNumbers) -> None:
        self._thrust[worlds] = 0.0


_UP = np.array([0.0, 0.0, 1.0])
