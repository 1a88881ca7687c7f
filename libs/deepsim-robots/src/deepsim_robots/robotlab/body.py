# SPDX-License-Identifier: Apache-2.0
"""Handles for an object and its links in all scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import JointRows, StateRows, UnknownEntityError, UnsupportedError, WorldNumbers

if TYPE_CHECKING:
    from .simulator import LabSimulator

Floats = NDArray[np.float64]
_SIZES = {"pose": 7, "twist": 6}


class LinkView:
    """Reads the state of a link in all scenes.

    Attributes:
        name: Its name, ``model::link``.
    """

    def __init__(self, row: StateRows, name: str) -> None:
        self._row, self.name = row, name

    def get_pose(self) -> Floats:
        """Returns the pose x y z qx qy qz qw in each scene, (n, 7), world frame."""
        return np.asarray(self._row.pose[:, 0])

    def get_velocity(self) -> Floats:
        """Returns linear [m/s] and angular velocity [rad/s] in each scene, (n, 6), world frame."""
        return np.asarray(self._row.twist[:, 0])


class Body:
    """A model that is in every scene.

    While scenes are loaded, methods write to the current scene, and read values written to it.
    Afterwards they write to all n scenes, or to those in `ids`, and return arrays of all scenes.
    Poses and velocities are in the world frame. The model has j joints.

    >>> from deepsim_robots.robotlab import LabSimulator, Model, SimulatorConfig
    >>> cup = Model("<sdf version='1.9'><model name='cup'><link name='link'/></model></sdf>")
    >>> lab = LabSimulator(MujocoSimulator, SimulatorConfig(n_scenes=2), elements={"cup": cup})
    >>> lab.reset()
    >>> cup.body.set_velocity([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    >>> cup.body.get_velocity()[:, 0].tolist()
    [1.0, 1.0]

    Args:
        lab: The simulator.
        name: Name of the model.
    """

    def __init__(self, lab: LabSimulator, name: str) -> None:
        self._lab = lab
        self.name = name
        self._written: dict[str, dict[int, Floats]] = {}

    def set_pose(self, pose: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets the pose in the world frame: (7,) or a `Pose` for all scenes, or (n, 7)."""
        self._write("pose", pose, ids)

    def get_pose(self) -> Floats:
        """Returns the pose x y z qx qy qz qw, (n, 7), or (7,) during loading."""
        return self._read("pose")

    def set_root_pose(self, pose: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets the pose of an articulation, also of one that is fixed; the same as `set_pose`."""
        self.set_pose(pose, ids)

    def set_velocity(self, twist: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets linear [m/s] and angular velocity [rad/s], (6,) or (n, 6)."""
        self._write("twist", twist, ids)

    def get_velocity(self) -> Floats:
        """Returns linear [m/s] and angular velocity [rad/s], (n, 6), or (6,) during loading."""
        return self._read("twist")

    def set_qpos(self, qpos: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets the positions of all joints, (j,) or (n, j) [rad or m]."""
        self._write("position", qpos, ids)

    def get_qpos(self) -> Floats:
        """Returns the positions of all joints [rad or m], (n, j), or (j,) during loading."""
        return self._read("position")

    def set_qvel(self, qvel: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets the velocities of all joints, (j,) or (n, j) [rad/s or m/s]."""
        self._write("velocity", qvel, ids)

    def get_qvel(self) -> Floats:
        """Returns the velocities of all joints [rad/s or m/s], (n, j), or (j,) during loading."""
        return self._read("velocity")

    def set_qf(self, qf: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets the feedforward efforts of all joints, (j,) or (n, j) [N m or N]; they last."""
        self._write("feedforward", qf, ids)

    def get_qf(self) -> Floats:
        """Returns feedforward efforts of all joints [N m or N], (n, j), or (j,) during loading."""
        return self._read("feedforward")

    def set_drive_target(self, qpos: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets the target positions of all joints, (j,) or (n, j) [rad or m]."""
        self._write("target_position", qpos, ids)

    def set_drive_velocity_target(self, qvel: ArrayLike, ids: WorldNumbers | None = None) -> None:
        """Sets the target velocities of all joints, (j,) or (n, j) [rad/s or m/s]."""
        self._write("target_velocity", qvel, ids)

    def set_drive_properties(
        self, stiffness: ArrayLike, damping: ArrayLike, ids: WorldNumbers | None = None
    ) -> None:
        """Sets the gains of all joints.

        Args:
            stiffness: Position gain [N m/rad or N/m], one number, (j,) or (n, j).
            damping: Velocity gain [N m s/rad or N s/m], one number, (j,) or (n, j).
            ids: Numbers of the scenes; all by default.
        """
        self._write("stiffness", stiffness, ids)
        self._write("damping", damping, ids)

    def link(self, name: str) -> LinkView:
        """Returns a handle for a link.

        Raises:
            UnknownEntityError: The model has no such link.
        """
        world = self._lab.world
        known = world.entities.links.within(self.name)
        scoped = f"{self.name}::{name}"
        if scoped not in known:
            raise UnknownEntityError(
                f"link of {self.name!r}", name, [each.split("::", 1)[1] for each in known]
            )
        return LinkView(world.links.select([scoped]), scoped)

    def spawn_poses(self, default: ArrayLike) -> Floats:
        """Returns the pose written for each scene during loading, else the default, (n, 7)."""
        poses = np.tile(np.asarray(default, dtype=np.float64), (self._lab.config.n_scenes, 1))
        for scene, pose in self._written.get("pose", {}).items():
            poses[scene] = pose
        return poses

    def apply(self) -> None:
        """Applies the values written during loading, once the worlds exist."""
        for column, values in self._written.items():
            for scene, value in values.items():
                if column != "pose":  # the model was spawned there
                    self._rows(column).put(
                        np.array([scene]), **{column: self._cells(column, value)}
                    )
        self._written.clear()

    def _rows(self, column: str) -> StateRows | JointRows:
        world = self._lab.world
        if column in _SIZES:
            return world.models.select([self.name])
        return world.joints.select(world.entities.joints.within(self.name))

    @staticmethod
    def _cells(column: str, value: Floats) -> Floats:
        return value[..., None, :] if column in _SIZES else value

    def _write(self, column: str, value: ArrayLike, ids: WorldNumbers | None) -> None:
        values = np.array(value, dtype=np.float64)
        scene = self._lab.loading
        if scene is None:
            self._rows(column).put(ids, **{column: self._cells(column, values)})
            return
        if ids is not None or values.ndim > 1:
            raise UnsupportedError(
                f"while scenes are loaded, {column} of {self.name!r} is written for the present one"
            )
        self._written.setdefault(column, {})[scene] = values

    def _read(self, column: str) -> Floats:
        scene = self._lab.loading
        if scene is None:
            values: Floats = self._rows(column).get(column)
            return values[:, 0] if column in _SIZES else values
        if scene not in self._written.get(column, {}):
            raise UnsupportedError(
                f"while scenes are loaded, {column} of {self.name!r} is read after it was written"
            )
        return self._written[column][scene].copy()
