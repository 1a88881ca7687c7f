# SPDX-License-Identifier: Apache-2.0
"""Poses and twists of all models and links, to and from MuJoCo by a few array operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from deepsim_math import Pose, poses
from deepsim_sync import SCOPE, Cells, Refusal

from .bodies import (
    IN_COLUMN,
    IN_ROW,
    XYZ,
    Bodies,
    Floats,
    Hold,
    Rows,
    sum_columns,
    sum_rows,
)
from .builder import Built, anchor_name
from .engine import mujoco
from .tree import Carrier, Frame

StateKind = Literal["models", "links"]
STATE_KINDS: tuple[StateKind, StateKind] = ("models", "links")

_XYZW = np.array([1, 2, 3, 0])  # MuJoCo's quaternion in our order
_WXYZ = np.array([6, 3, 4, 5])  # our pose's quaternion in MuJoCo's order
_NONE = np.zeros(0, dtype=np.intp)  # no rows


class Motion:
    """Reads and writes the state of one compiled model.

    Args:
        model: The compiled model.
        data: Its state.
        built: The models in it, in the order of their rows.

    Attributes:
        names: What each row of a table is called.
        bodies: The body of each row.
        hold: What holds each row, (n,) of `Hold`.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, built: Sequence[Built]) -> None:
        self._model = model
        self._data = data
        # Views of MuJoCo's memory, which stays where it is until the next recompile: asking for
        # one costs as much as reading a hundred rows.
        self._qpos, self._qvel = data.qpos, data.qvel
        self._xpos, self._xquat, self._xmat = data.xpos, data.xquat, data.xmat
        self._mocap_pos, self._mocap_quat = data.mocap_pos, data.mocap_quat
        self._stale = True
        self._velocities_known = False
        nodes = {node.name: node for one in built for node in one.links}
        frames = [(frame, one) for one in built for frame in one.frames]
        self.names: dict[StateKind, list[str]] = {
            "models": [frame.name for frame, _ in frames],
            "links": list(nodes),
        }
        self.bodies: dict[StateKind, Bodies] = {
            "models": Bodies(
                model,
                [frame.body for frame, _ in frames],
                [
                    nodes[frame.canonical_link].body_pose.inverse() @ frame.pose
                    if frame.canonical_link
                    else Pose()
                    for frame, _ in frames
                ],
            ),
            "links": Bodies(model, list(nodes), [node.in_body for node in nodes.values()]),
        }
        self._roots: dict[int, Bodies] = {}
        self.hold: dict[StateKind, Rows] = {
            "models": self.bodies["models"].hold(),
            "links": self.bodies["links"].hold(),
        }
        for row, (frame, one) in enumerate(frames):
            roots = _roots_of(frame, one)
            if not roots:
                self.hold["models"][row] = Hold.JOINTS
            elif roots != [frame.body]:
                self.hold["models"][row] = Hold.SEVERAL
                self._roots[row] = Bodies(model, roots, [Pose()] * len(roots))

    # Reading

    def state_changed(self) -> None:
        """Says that the state moved on: what follows from it is out of date."""
        self._stale = True
        self._velocities_known = False

    def update_kinematics(self) -> None:
        """Brings the poses of bodies and geoms up to date with the state."""
        if self._stale:
            mujoco.mj_kinematics(self._model, self._data)
            self._stale = False

    def read(self, kind: StateKind, pose: Floats, twist: Floats) -> None:
        """Fills pose (n, 7) and twist (n, 6) of all models or links."""
        self.update_kinematics()
        bodies = self.bodies[kind]
        pose[:, :3] = self._xpos.take(bodies.body, axis=0)
        pose[:, 3:] = self._xquat.take(bodies.quaternion_at)
        self._read_twist(bodies, twist)
        if len(bodies.shifted):
            rows = bodies.shifted
            origin = poses.compose(pose[rows], bodies.offset[rows])
            twist[rows, :3] += np.cross(twist[rows, 3:], origin[:, :3] - pose[rows, :3])
            pose[rows] = origin

    def _read_twist(self, bodies: Bodies, twist: Floats) -> None:
        if not len(self._qvel):
            twist[:] = 0.0
            return
        # Clipped: rows without a free joint point anywhere, and are mended below.
        twist[:, :3] = self._qvel.take(bodies.linear_at, mode="clip")
        angular = self._qvel.take(bodies.angular_at, mode="clip")
        twist[:, 3:] = self._rotate(bodies.body, angular)
        if len(bodies.unfree):
            twist[bodies.unfree] = 0.0
        if len(bodies.jointed):
            # v(origin) = v(com of the tree) + w x (origin - com)
            model, data = self._model, self._data
            if not self._velocities_known:
                mujoco.mj_comPos(model, data)
                mujoco.mj_comVel(model, data)
                self._velocities_known = True
            body = bodies.body[bodies.jointed]
            angular = data.cvel[body, :3]
            arm = self._xpos[body] - data.subtree_com[model.body_rootid[body]]
            twist[bodies.jointed, :3] = data.cvel[body, 3:] + np.cross(angular, arm)
            twist[bodies.jointed, 3:] = angular

    def _rotate(self, body: Rows, spread: Floats) -> Floats:
        """R v of many bodies, for vectors spread by `IN_ROW`: half the time of matmul or einsum."""
        return sum_rows(self._xmat.take(body, axis=0) * spread)

    def link_pose(self, name: str) -> Pose:
        """The pose of one link in the world."""
        self.update_kinematics()
        row = self.names["links"].index(name)
        return Pose.from_array(self._row_pose("links", row))

    # Writing

    def write(self, kind: StateKind, pose: Cells | None, twist: Cells | None) -> list[Refusal]:
        """Sets poses (k, 7) and twists (k, 6) of rows in the world.

        Joints keep their positions and velocities: a car that is pushed keeps its wheels turning.

        Returns:
            The rows that joints hold, and static ones that were given a velocity.
        """
        refusals = []
        self._velocities_known = False
        if pose is not None:
            # MuJoCo has angular velocities in the axes of the body: turning it would turn them.
            alone = twist is None or not np.array_equal(pose.rows, twist.rows)
            rows = pose.rows[self.hold[kind][pose.rows] == Hold.FREE] if alone else _NONE
            kept = self._twists(kind, rows) if len(rows) else None
            refusals += self._write_pose(kind, pose.rows, pose.values)
            if kept is not None:
                self.update_kinematics()
                self._set_row_velocity(self.bodies[kind], rows, kept)
        if twist is not None:
            refusals += self._write_twist(kind, twist.rows, twist.values)
        return refusals

    def _write_pose(self, kind: StateKind, rows: Rows, values: Floats) -> list[Refusal]:
        bodies, hold = self.bodies[kind], self.hold[kind][rows]
        others = hold.any()  # Hold.FREE is 0
        if others:  # the general case starts from where things are now
            for number in np.flatnonzero(hold == Hold.SEVERAL):
                self._move_together(int(rows[number]), values[number])
        targets = values
        shifted = bodies.is_shifted[rows]
        if shifted.any():
            targets = values.copy()
            targets[shifted] = poses.compose(values[shifted], bodies.inverse_offset[rows[shifted]])
        self._stale = True
        if not others:
            self._qpos[bodies.qpos_pose[rows]] = targets
            return []
        free, placed = hold == Hold.FREE, hold == Hold.PLACED
        self._qpos[bodies.qpos_pose[rows[free]]] = targets[free]
        self._mocap_pos[bodies.mocap[rows[placed]]] = targets[placed, :3]
        self._mocap_quat[bodies.mocap[rows[placed]]] = targets[placed][:, _WXYZ]
        return [self._held_by_joints(kind, "pose", row) for row in rows[hold == Hold.JOINTS]]

    def _write_twist(self, kind: StateKind, rows: Rows, values: Floats) -> list[Refusal]:
        self.update_kinematics()
        bodies, hold = self.bodies[kind], self.hold[kind][rows]
        if not hold.any():  # Hold.FREE is 0
            self._set_row_velocity(bodies, rows, values)
            return []
        free = hold == Hold.FREE
        self._set_row_velocity(bodies, rows[free], values[free])
        refusals = []
        for row, held, value in zip(rows[~free], hold[~free], values[~free], strict=True):
            if held == Hold.JOINTS:
                refusals.append(self._held_by_joints(kind, "twist", row))
            elif held == Hold.SEVERAL and (not len(self._roots[row].unfree) or not value.any()):
                self._turn_together(row, value)
            elif value.any():
                reason = "it stays where it is put, so it has no velocity"
                refusals.append(Refusal(kind, "twist", self.names[kind][row], reason))
        return refusals

    def _twists(self, kind: StateKind, rows: Rows) -> Floats:
        """Of rows with a free joint, (k, 6)."""
        self.update_kinematics()
        bodies = self.bodies[kind]
        body, dof = bodies.body[rows], bodies.dof[rows][:, None]
        linear = self._qvel[dof + XYZ]
        angular = self._rotate(body, self._qvel[dof + 3 + IN_ROW])
        if bodies.is_shifted[rows].any():
            linear += np.cross(angular, self._rotate(body, bodies.offset[rows][:, IN_ROW]))
        return np.concatenate([linear, angular], axis=1)

    def _set_row_velocity(self, bodies: Bodies, rows: Rows, values: Floats) -> None:
        linear, angular, body = values[:, :3], values[:, 3:], bodies.body[rows]
        if bodies.is_shifted[rows].any():
            arm = self._rotate(body, bodies.offset[rows][:, IN_ROW])
            linear = linear - np.cross(angular, arm)
        self._set_velocity(body, bodies.dof[rows], linear, angular)

    def _set_velocity(self, body: Rows, dof: Rows, linear: Floats, angular: Floats) -> None:
        """Of free joints; MuJoCo has the angular velocity in the body's own axes: R^T w."""
        qvel = self._qvel
        qvel[dof[:, None] + XYZ] = linear
        turned = self._xmat.take(body, axis=0) * angular[:, IN_COLUMN]
        qvel[dof[:, None] + 3 + XYZ] = sum_columns(turned)

    def _row_pose(self, kind: StateKind, row: int) -> Floats:
        """The pose of one row now, (7,)."""
        self.update_kinematics()
        bodies = self.bodies[kind]
        return poses.compose(self._body_poses(bodies.body[row]), bodies.offset[row])

    def _body_poses(self, body: Rows | np.intp) -> Floats:
        return np.concatenate([self._xpos[body], self._xquat[body][..., _XYZW]], axis=-1)

    def _move_together(self, row: int, target: Floats) -> None:
        """Moves all roots of a model by the motion that takes its frame to a target."""
        roots = self._roots[row]
        motion = poses.compose(target, poses.inverse(self._row_pose("models", row)))
        moved = poses.compose(motion, self._body_poses(roots.body))
        body, dof = roots.body[roots.free], roots.dof[roots.free]
        linear = self._qvel[roots.linear_at[roots.free]]
        angular = self._rotate(body, self._qvel[roots.angular_at[roots.free]])
        self._qpos[roots.qpos_pose[roots.free]] = moved[roots.free]
        placed = np.flatnonzero(roots.mocap >= 0)
        self._mocap_pos[roots.mocap[placed]] = moved[placed, :3]
        self._mocap_quat[roots.mocap[placed]] = moved[placed][:, _WXYZ]
        self._stale = True
        self.update_kinematics()
        self._set_velocity(body, dof, linear, angular)

    def _turn_together(self, row: int, twist: Floats) -> None:
        """Gives all free roots of a model the velocities of one rigid motion."""
        roots = self._roots[row]
        body, dof = roots.body[roots.free], roots.dof[roots.free]
        arm = self._xpos[body] - self._row_pose("models", row)[:3]
        linear = twist[:3] + np.cross(twist[3:], arm)
        self._set_velocity(body, dof, linear, np.broadcast_to(twist[3:], linear.shape))

    def _held_by_joints(self, kind: StateKind, column: str, row: int) -> Refusal:
        name = self.names[kind][row]
        top = name.split(SCOPE)[0]
        return Refusal(kind, column, name, f"joints hold it: set model {top!r} as a whole")


def _roots_of(frame: Frame, built: Built) -> list[str]:
    """The bodies of a model that can be put anywhere."""
    inside = frame.name + SCOPE
    links = [
        anchor_name(node) if node.carrier is Carrier.ANCHORED else node.name
        for node in built.links
        if node.name.startswith(inside) and (node.parent is None or node.placed)
    ]
    without_links = [
        other.body
        for other in built.frames
        if not other.canonical_link and (other is frame or other.name.startswith(inside))
    ]
    return links + without_links
