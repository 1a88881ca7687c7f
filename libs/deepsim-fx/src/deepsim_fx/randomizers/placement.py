# SPDX-License-Identifier: Apache-2.0
"""Randomized poses and cameras."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from deepsim_fx.targets import named
from deepsim_math import Euler, Pose
from deepsim_sync import CameraMount, CameraMounts, Transform, UnsupportedError, World, WorldNumbers

from .distributions import Spec, distribution
from .randomizer import AbstractRandomizer

_ORIGIN = (0.0, 0.0, 0.0)


class PoseRandomizer(AbstractRandomizer):
    """Randomizer that puts a model at a random pose, without changing its velocity.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> _ = PoseRandomizer("ball", position=[0, 0, ("uniform", 2, 2)], world=world).randomize()
    >>> world.models.pose[0, 0, :3]
    array([0., 0., 2.])

    Args:
        model: The model, by name or transform.
        position: Distribution of x, y and z [m], such as ``[("uniform", -1, 1), 0, 0.5]``.
        rotation: Distribution of roll, pitch and yaw [rad].
        origin: The world pose to which position and rotation are relative; by default the origin.
        name: Name of the randomizer in the log; by default derived from the model.
        world: The world of the model; by default the world of a transform, or the current one.

    Raises:
        ValueError: A distribution is invalid.
    """

    def __init__(
        self,
        model: str | Transform,
        *,
        position: Spec = _ORIGIN,
        rotation: Spec = _ORIGIN,
        origin: Pose | None = None,
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        (self.model,), world = named(model, world)
        super().__init__(name or f"pose of {self.model}", world)
        self.position = distribution(position, (3,))
        self.rotation = distribution(rotation, (3,))
        self.origin = origin if origin is not None else Pose()

    def draw(self, rng: Generator, world: int) -> dict[str, list[float]]:
        """Draws a pose.

        Returns:
            ``pose``: x y z [m], qx qy qz qw, in the world.
        """
        position = self.position(rng, (3,))
        pose = self.origin @ Pose(position, Euler(*self.rotation(rng, (3,))))
        return {"pose": [float(number) for number in pose]}

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Moves the model."""
        row = self.world.entities.models.row(self.model)
        self.world.put("models", {"pose": [[each["pose"]] for each in values]}, [row], worlds)


class CameraRandomizer(AbstractRandomizer):
    """Randomizer that moves and rotates a camera on its link, and changes its angle of view.

    Offsets are relative to the pose on the link that the model description gives; a reset of the
    world removes them.

    >>> class Printer:  # in place of an engine with `deepsim_sync.CameraMounts`
    ...     def described(self, camera):
    ...         return CameraMount(Pose((0, 0, 1)), horizontal_fov=1.0)
    ...
    ...     def set(self, camera, mount, worlds):
    ...         print(camera, mount.pose.position)
    >>> simulator = TableSimulator()
    >>> simulator.camera_mounts = Printer()
    >>> shake = [("normal", 0, 0.0)] * 3
    >>> _ = CameraRandomizer("car::link::eye", position=shake, world=World(simulator)).randomize()
    car::link::eye Point(0.0, 0.0, 1.0)

    Args:
        camera: Name of the camera sensor, ``model::link::sensor``.
        position: Distribution of the offset [m] along the axes of the described pose: x forward,
            y left, z up in the picture.
        rotation: Distribution of the rotation about these axes: roll, pitch and yaw [rad].
        horizontal_fov: Distribution of the angle of view [rad], in (0, pi); unchanged by default.
        name: Name of the randomizer in the log; by default derived from the camera.
        world: The world of the camera; by default the current one.

    Raises:
        ValueError: A distribution is invalid.
        UnsupportedError: The simulator cannot move cameras.
    """

    def __init__(
        self,
        camera: str,
        *,
        position: Spec = (0.0, 0.0, 0.0),
        rotation: Spec = (0.0, 0.0, 0.0),
        horizontal_fov: Spec | None = None,
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        super().__init__(name or f"camera {camera}", world)
        self.camera = camera
        self.position = distribution(position, (3,))
        self.rotation = distribution(rotation, (3,))
        self.horizontal_fov = None if horizontal_fov is None else distribution(horizontal_fov)
        self._mounts()

    def draw(self, rng: Generator, world: int) -> dict[str, Any]:
        """Draws the pose of the camera on its link, and its angle of view.

        Returns:
            ``pose``: x y z [m], qx qy qz qw in the link's frame; ``horizontal_fov`` [rad].

        Raises:
            UnknownEntityError: The camera does not exist.
        """
        described = self._mounts().described(self.camera)
        position = self.position(rng, (3,))
        pose = described.pose @ Pose(position, Euler(*self.rotation(rng, (3,))))
        angle = described.horizontal_fov
        if self.horizontal_fov is not None:
            angle = float(self.horizontal_fov(rng, ()))
        return {"pose": [float(number) for number in pose], "horizontal_fov": angle}

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Sets the pose of the camera on its link, and its angle of view."""
        mounts = self._mounts()
        for each, number in zip(values, worlds, strict=True):
            mount = CameraMount(Pose.from_array(each["pose"]), each["horizontal_fov"])
            mounts.set(self.camera, mount, np.array([number]))

    def _mounts(self) -> CameraMounts:
        simulator = self.world.simulator
        if simulator.camera_mounts is None:
            raise UnsupportedError(
                f"{type(simulator).__name__} cannot move cameras: its `camera_mounts` is None"
            )
        return simulator.camera_mounts
