# SPDX-License-Identifier: Apache-2.0
"""Conversion of poses and twists of all models and links to and from MuJoCo's states.

Bodies that move freely or stay where they are put are read and written by a few array operations.
For bodies on joints, MuJoCo derives the poses when their rows are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from deepsim_math import Pose, poses
from deepsim_mujoco.spec.builder import Built
from deepsim_mujoco.spec.tree import Frame, Node, RootKind, anchor_name
from deepsim_sync import SCOPE, Cells, Refusal, square_sum

from .bodies import Bodies, Hold, cross, matrices, rotate, rotate_back
from .compiled import Compiled
from .layout import Floats, Rows
from .world_states import WorldStates

StateKind = Literal["models", "links"]
STATE_KINDS: tuple[StateKind, StateKind] = ("models", "links")

_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions
_DONE = -1  # marks cells that have been written
_FREE, _PLACED = int(Hold.FREE), int(Hold.PLACED)  # looking up a member of an Enum takes longer


class Places(NamedTuple):
    """Where the numbers of k cells lie: indices into the states of all worlds as one flat array."""

    worlds: Rows
    """World of each cell, (k,)."""
    rows: Rows
    """Row of each cell, (k,)."""
    pose: Rows
    """Places of the pose, (7, k)."""
    motion: Rows
    """Places of orientation, linear and angular velocity, (10, k)."""
    velocity: Rows
    """Places of linear and angular velocity, (6, k)."""
    angular: Rows
    """Places of the angular velocity, (3, k)."""
    are_all_free: bool
    """Whether the cells are all the free rows, in order."""
    arms: Floats | None
    """Result of `Bodies.arms`, (3, k)."""
    hold: Rows
    """`Hold` of each row, (k,)."""
    highest: int
    """Largest `hold`; -1 without cells."""


class Motion:
    """The poses and twists of all models and links in the states of one compiled model."""

    def __init__(self, states: WorldStates, compiled: Compiled) -> None:
        self._states = states
        self._numbers = states.state.reshape(-1)  # a view
        self._starts = states.starts
        # The rotation matrices that were read last, with the version of the states and the bodies.
        self._turned: tuple[int, Bodies | None, Floats] = (-1, None, np.empty((9, 0)))
        # Places of the cells that were written last, by kind and column.
        self._known: dict[tuple[StateKind, str], Places] = {}
        self._entities = compiled.entities
        nodes = {node.name: node for node in compiled.links}
        frames = [(frame, one) for one in compiled.built for frame in one.frames]

        def bodies(names: Iterable[str], offsets: Sequence[Pose]) -> Bodies:
            numbers = [compiled.layout.bodies[name] for name in names]
            return Bodies(compiled.layout, states.starts, numbers, offsets)

        self._bodies: dict[StateKind, Bodies] = {
            "models": bodies(
                [frame.body for frame, _ in frames],
                [_in_body(frame, nodes.get(frame.canonical_link)) for frame, _ in frames],
            ),
            "links": bodies(nodes, [node.in_body for node in compiled.links]),
        }
        self._hold: dict[StateKind, Rows] = {
            kind: each.hold.copy() for kind, each in self._bodies.items()
        }
        # Frame and bodies of each model that several bodies carry, by row.
        self._several: dict[int, tuple[Bodies, Bodies]] = {}
        for row, (frame, one) in enumerate(frames):
            roots = _roots_of(frame, one)
            if not roots:
                self._hold["models"][row] = Hold.JOINTS
            elif roots != [frame.body]:
                self._hold["models"][row] = Hold.SEVERAL
                parts = bodies(roots, [Pose()] * len(roots))
                self._several[row] = (self._bodies["models"].select([row]), parts)
        # Only fields that are read are bound, because bound fields are copied at each step.
        if any(len(each.derived) for each in self._bodies.values()):
            self._xpos, self._xquat = self._derived("xpos"), self._derived("xquat")
        if any(len(each.jointed) for each in self._bodies.values()):
            self._cvel, self._tree_com = self._derived("cvel"), self._derived("subtree_com")

    def _derived(self, name: str) -> Floats:
        """Returns a view of quantities that MuJoCo derives for each body, (W * bodies, ...)."""
        values = self._states.derived(name)
        return values.reshape(-1, values.shape[-1])

    # Reading

    def read(self, kind: StateKind, column: str, out: Floats) -> None:
        """Fills a column, (W, n, 7) or (W, n, 6), of all models or links."""
        bodies = self._bodies[kind]
        if column == "pose":
            self._read_body_poses(bodies, out)
            if len(bodies.shifted):
                rows = bodies.shifted
                out[:, rows] = poses.compose(out[:, rows], bodies.offset[rows])
        else:
            self._read_twists(bodies, out)

    def _read_body_poses(self, bodies: Bodies, out: Floats) -> None:
        if not len(bodies.derived):
            self._numbers.take(bodies.poses_at, out=out.reshape(-1, 7), mode="clip")
            return
        out[:, bodies.own] = self._numbers.take(bodies.poses_at).reshape(len(out), -1, 7)
        self._states.derive()
        position = self._xpos.take(bodies.derived_at, axis=0)
        turn = self._xquat.take(bodies.derived_at, axis=0).take(_XYZW, axis=1)
        pose = np.concatenate([position, turn], axis=1)
        out[:, bodies.derived] = pose.reshape(len(out), -1, 7)

    def _read_twists(self, bodies: Bodies, out: Floats) -> None:
        numbers = self._numbers.take(bodies.twists_at)
        matrix = matrices(numbers[:4])
        self._turned = (self._states.version, bodies, matrix)
        twist = np.concatenate(self._twists(bodies.free_arms, numbers, matrix)).T
        if len(bodies.free) == out.shape[1]:
            out.reshape(-1, 6)[:] = twist
            return
        out[:] = 0.0
        out[:, bodies.free] = twist.reshape(len(out), -1, 6)
        if len(bodies.jointed):
            # v(origin) = v(com of the tree) + w x (origin - com)
            self._states.derive(velocities=True)
            body, arms = bodies.jointed_at, bodies.jointed_arms
            velocity = self._cvel.take(body, axis=0).T
            arm = (self._xpos.take(body, axis=0) - self._tree_com.take(bodies.trees_at, axis=0)).T
            if arms is not None:
                turn = self._xquat.take(body, axis=0).T.take(_XYZW, axis=0)
                arm += rotate(matrices(turn), arms)
            linear = velocity[3:] + cross(velocity[:3], arm)
            twist = np.concatenate([linear, velocity[:3]]).T
            out[:, bodies.jointed] = twist.reshape(len(out), -1, 6)

    def _poses(self, bodies: Bodies) -> Floats:
        """Returns the poses of bodies, (W, n, 7)."""
        out = np.empty((len(self._starts), len(bodies.body), 7))
        self._read_body_poses(bodies, out)
        return out

    # Writing

    def write(self, kind: StateKind, pose: Cells | None, twist: Cells | None) -> list[Refusal]:
        """Sets poses (k, 7) and twists (k, 6) of cells.

        Joints keep their positions and velocities: the wheels of a car that is pushed keep turning.

        Returns:
            Refusals of rows that joints hold, and of twists of static rows.
        """
        refusals = []
        if pose is not None:
            refusals += self._write_poses(
                kind, pose, keep=twist is None or not _same_cells(pose, twist)
            )
        if twist is not None:
            refusals += self._write_twists(kind, twist)
            self._states.version += 1
        return refusals

    def _write_poses(self, kind: StateKind, cells: Cells, *, keep: bool) -> list[Refusal]:
        worlds, rows, values = cells
        refusals: list[Refusal] = []
        at = self._known_places(kind, "pose", worlds, rows)
        if at.highest > _PLACED:
            for row in sorted({*rows[at.hold == Hold.SEVERAL].tolist()}):
                mine = rows == row
                self._move_together(row, worlds[mine], values[mine])
            refusals = [
                self._held_by_joints(kind, "pose", worlds[cell], rows[cell])
                for cell in np.flatnonzero(at.hold == Hold.JOINTS)
            ]
            own = at.hold <= _PLACED
            values = values[own]
            at = self._places(self._bodies[kind], worlds[own], rows[own])
        self._put_poses(self._bodies[kind], at, values, keep=keep)
        return refusals

    def _put_poses(self, bodies: Bodies, at: Places, values: Floats, *, keep: bool) -> None:
        """Sets poses of own rows, (k, 7).

        With `keep`, twists stay the same: MuJoCo stores angular velocities in the axes of the body,
        so they would turn with it.
        """
        rows = at.rows
        if len(bodies.shifted):
            shifted = bodies.is_shifted[rows]
            values = values.copy()
            values[shifted] = poses.compose(values[shifted], bodies.inverse_offset[rows[shifted]])
        turns = False
        if keep:  # nothing to do for bodies that do not turn
            angular = self._numbers.take(at.angular)
            turns = square_sum(angular) > 0.0
        if turns:
            spins = (angular * angular).any(axis=0)  # the squares of the smallest ones are 0
            (turning,) = (spins & (bodies.hold.take(rows) == _FREE)).nonzero()
            moved, rows = at.motion.take(turning, axis=1), rows[turning]
            arms = bodies.arms(rows)
            twists = self._twists(arms, self._numbers.take(moved), self._matrices(moved))
        self._numbers[at.pose] = values.T
        self._states.version += 1
        if turns:
            self._put_twists(arms, moved[4:], self._matrices(moved), *twists)

    def _known_places(self, kind: StateKind, column: str, worlds: Rows, rows: Rows) -> Places:
        """Returns the places of k cells, remembered for arrays that cannot change."""
        known = self._known.get((kind, column))
        if known is not None and worlds is known.worlds and rows is known.rows:
            return known
        places = self._places(self._bodies[kind], worlds, rows, self._hold[kind])
        if not (worlds.flags.writeable or rows.flags.writeable):
            self._known[kind, column] = places
        return places

    def _places(self, bodies: Bodies, worlds: Rows, rows: Rows, hold: Rows | None = None) -> Places:
        """Returns the places of k cells; `hold` has an entry per row, by default its body's."""
        at = bodies.at.take(rows, axis=1)
        at += self._starts.take(worlds)
        holds = (bodies.hold if hold is None else hold).take(rows)
        are_all_free = np.array_equal(at[3:], bodies.twists_at)
        parts = at[:7], at[3:], at[7:], at[10:]
        highest = int(holds.max(initial=-1))
        return Places(worlds, rows, *parts, are_all_free, bodies.arms(rows), holds, highest)

    def _twists(
        self, arms: Floats | None, numbers: Floats, matrix: Floats
    ) -> tuple[Floats, Floats]:
        """Returns linear and angular velocities (3, k) of free bodies at the ends of `arms`."""
        angular = rotate(matrix, numbers[7:])
        linear = numbers[4:7]
        if arms is not None:
            linear += cross(angular, rotate(matrix, arms))
        return linear, angular

    def _matrices(self, at: Rows) -> Floats:
        """Returns the rotation matrices of free bodies, (9, k)."""
        return matrices(self._numbers.take(at[:4]))

    def _put_twists(
        self, arms: Floats | None, at: Rows, matrix: Floats, linear: Floats, angular: Floats
    ) -> None:
        """Sets twists as returned by `_twists`, at places (6, k)."""
        if arms is not None:
            linear = linear - cross(angular, rotate(matrix, arms))
        self._numbers[at] = np.concatenate([linear, rotate_back(matrix, angular)])

    def _write_twists(self, kind: StateKind, cells: Cells) -> list[Refusal]:
        worlds, rows, values = cells
        refusals: list[Refusal] = []
        bodies, at = self._bodies[kind], self._known_places(kind, "twist", worlds, rows)
        if at.highest > _FREE:
            hold = at.hold.copy()
            for row in sorted({*rows[hold == Hold.SEVERAL].tolist()}):
                _, parts = self._several[row]
                all_free = len(parts.free) == len(parts.body)
                mine = (rows == row) & (all_free | ~values.any(axis=1))
                self._turn_together(row, worlds[mine], values[mine])
                hold[mine] = _DONE
            for cell in np.flatnonzero(hold > Hold.FREE):
                world, row = worlds[cell], rows[cell]
                if hold[cell] == Hold.JOINTS:
                    refusals.append(self._held_by_joints(kind, "twist", world, row))
                elif values[cell].any():
                    reason = "it stays where it is put, so it has no velocity"
                    if hold[cell] == Hold.SEVERAL:
                        reason = "a part of it stays where it is put: only joints move the rest"
                    name = self._entities.names(kind)[row]
                    refusals.append(Refusal(kind, "twist", name, reason, int(world)))
            free = hold == Hold.FREE
            values = values[free]
            at = self._places(bodies, worlds[free], rows[free])
        # A task that drives bodies often reads their twists just before.
        version, turned, matrix = self._turned
        if not at.are_all_free or turned is not bodies or version != self._states.version:
            matrix = self._matrices(at.motion)
        self._put_twists(at.arms, at.velocity, matrix, values.T[:3], values.T[3:])
        return refusals

    def _move_together(self, row: int, worlds: Rows, targets: Floats) -> None:
        """Moves all roots of a model by the motion that takes its frame to targets (k, 7)."""
        frame, parts = self._several[row]
        here = poses.compose(self._poses(frame), frame.offset)[worlds, 0]
        motion = poses.compose(targets, poses.inverse(here))
        moved = poses.compose(motion[:, None], self._poses(parts)[worlds])
        each, rows = _every_part(parts, worlds)
        at = self._places(parts, each, rows)
        self._put_poses(parts, at, moved.reshape(-1, 7), keep=True)

    def _turn_together(self, row: int, worlds: Rows, twists: Floats) -> None:
        """Sets the velocities of all free roots of a model to those of a rigid motion (k, 6)."""
        frame, parts = self._several[row]
        parts = parts.select(parts.free)
        origin = poses.compose(self._poses(frame), frame.offset)[worlds, :, :3]
        arm = self._poses(parts)[worlds, :, :3] - origin
        angular = np.broadcast_to(twists[:, None, 3:], arm.shape)
        linear = twists[:, None, :3] + np.cross(angular, arm)
        each, rows = _every_part(parts, worlds)
        at = self._places(parts, each, rows)
        linear, angular = linear.reshape(-1, 3).T, angular.reshape(-1, 3).T
        self._put_twists(None, at.velocity, self._matrices(at.motion), linear, angular)

    def _held_by_joints(self, kind: StateKind, column: str, world: int, row: int) -> Refusal:
        name = self._entities.names(kind)[row]
        top = name.split(SCOPE)[0]
        reason = f"joints hold it: set model {top!r} as a whole"
        return Refusal(kind, column, name, reason, int(world))


def _in_body(frame: Frame, link: Node | None) -> Pose:
    """Returns the pose of a model's frame in the frame of its canonical link's body."""
    if link is None or link.is_root:
        return frame.pose
    return link.body_pose.inverse() @ frame.pose


def _same_cells(one: Cells, other: Cells) -> bool:
    if one.rows is other.rows and one.worlds is other.worlds:
        return True
    return np.array_equal(one.rows, other.rows) and np.array_equal(one.worlds, other.worlds)


def _every_part(parts: Bodies, worlds: Rows) -> tuple[Rows, Rows]:
    """Returns the worlds and rows of all parts in k worlds, (k * parts,) each."""
    n = len(parts.body)
    return np.repeat(worlds, n), np.tile(np.arange(n), len(worlds))


def _roots_of(frame: Frame, built: Built) -> list[str]:
    """Returns the names of those bodies of a model whose poses can be set."""
    inside = frame.name + SCOPE
    links = [
        anchor_name(node) if node.root_kind is RootKind.ANCHORED else node.name
        for node in built.links
        if node.name.startswith(inside) and (node.parent is None or node.placed)
    ]
    without_links = [
        other.body
        for other in built.frames
        if not other.canonical_link and (other is frame or other.name.startswith(inside))
    ]
    return links + without_links
