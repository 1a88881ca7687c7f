# SPDX-License-Identifier: Apache-2.0
"""Capabilities of several servers, composed of those of each server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_gazebo.simulator import GazeboSimulator
from deepsim_sync import (
    CameraMount,
    CameraView,
    ContactPoints,
    DepthPicture,
    PhysicsProperty,
    Reading,
    SensorInfo,
    check_property,
    checked_factors,
)

from .calls import Calls

Floats = NDArray[np.float64]


class ServersCameras:
    """Cameras of the worlds of several servers, for pictures and depths.

    See `deepsim_sync.Cameras` and `deepsim_sync.DepthCameras`.
    """

    def __init__(self, servers: Sequence[GazeboSimulator]) -> None:
        self._cameras = [each.cameras for each in servers if each.cameras is not None]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        return self._cameras[0].names

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture of one world at the present instant."""
        return self._cameras[world].render(camera)

    def view(self, camera: str, world: int = 0) -> CameraView:
        """Returns the present pose and lens of a camera sensor in one world."""
        return self._cameras[world].view(camera)

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Measures depths and identifies models and links, in one world."""
        return self._cameras[world].measure(camera)


class ServersMounts:
    """The camera mounts in the worlds of several servers; see `deepsim_sync.CameraMounts`."""

    def __init__(self, servers: Sequence[GazeboSimulator]) -> None:
        self._mounts = [each.camera_mounts for each in servers if each.camera_mounts is not None]

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the present mount of a camera sensor in one world."""
        return self._mounts[world].get(camera)

    def described(self, camera: str) -> CameraMount:
        """Returns the mount in the model's description."""
        return self._mounts[0].described(camera)

    def set(self, camera: str, mount: CameraMount, worlds: NDArray[np.intp] | None = None) -> None:
        """Sets the mount of a camera sensor in some worlds."""
        self._mounts[0].check(camera)
        checked = mount.checked(camera)
        for world in range(len(self._mounts)) if worlds is None else np.asarray(worlds).tolist():
            self._mounts[world].set(camera, checked)


class ServersContacts:
    """The contact points of the worlds of several servers; see `deepsim_sync.Contacts`."""

    def __init__(self, servers: Sequence[GazeboSimulator]) -> None:
        self._contacts = [each.contacts for each in servers]

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points of one world at the present instant."""
        return self._contacts[world].read()


class ServersDynamics:
    """The dynamics of the worlds of several servers; see `deepsim_sync.Dynamics`."""

    def __init__(self, calls: Calls[GazeboSimulator], worlds: int) -> None:
        self._calls, self._worlds = calls, worlds

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Floats:
        """Returns the Jacobian of a point of a link for some joints, (W, 6, k)."""
        given = np.asarray(point, dtype=np.float64)
        if given.shape not in ((3,), (self._worlds, 3)):
            raise ValueError(
                f"point must have shape (3,) or ({self._worlds}, 3), got {given.shape}"
            )
        points = np.broadcast_to(given, (self._worlds, 3))
        return np.concatenate(
            self._calls.of_all(
                lambda world, server: server.dynamics.jacobian(link, joints, points[world])
            )
        )

    def bias_forces(self, joints: Sequence[str]) -> Floats:
        """Returns the efforts that balance gravity, centrifugal and Coriolis forces, (W, k)."""
        return np.concatenate(
            self._calls.of_all(lambda _, server: server.dynamics.bias_forces(joints))
        )


class ServersSensors:
    """The sensors of the worlds of several servers; see `deepsim_sync.Sensors`."""

    def __init__(self, calls: Calls[GazeboSimulator], first: GazeboSimulator) -> None:
        self._calls, self._first = calls, first
        self._watched: dict[str, None] = {}

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """All sensors by their names ``model::link::sensor``."""
        return self._first.sensors.infos

    def watch(self, name: str) -> None:
        """Starts a sensor, which measures from the next step on."""
        self._calls.of_all(lambda _, server: server.sensors.watch(name))
        self._watched[name] = None

    def watch_again(self, server: GazeboSimulator) -> None:
        """Starts all watched sensors on a server that was restarted."""
        for name in self._watched:
            if name in server.sensors.infos:
                server.sensors.watch(name)

    def read(self, name: str) -> Reading:
        """Returns the present measurement of a sensor, (W, ...)."""
        readings = self._calls.of_all(lambda _, server: server.sensors.read(name))
        return {what: np.concatenate([each[what] for each in readings]) for what in readings[0]}


class ServersPhysics:
    """The physics properties of several servers; see `deepsim_sync.PhysicsProperties`."""

    def __init__(self, calls: Calls[GazeboSimulator], worlds: int) -> None:
        self._calls, self._worlds = calls, worlds

    def factors(self, name: PhysicsProperty) -> Floats:
        """Returns the factors of one property, (W, links)."""
        return np.concatenate(self._calls.of_all(lambda _, server: server.physics.factors(name)))

    def scale(
        self,
        name: PhysicsProperty,
        links: Iterable[str],
        factors: ArrayLike,
        worlds: NDArray[np.intp] | None = None,
    ) -> None:
        """Sets factors of one property; no simulated time passes."""
        check_property(name)
        links = list(links)
        chosen = range(self._worlds) if worlds is None else np.asarray(worlds).tolist()
        values = checked_factors(name, links, factors, len(chosen))
        of_world = dict(zip(chosen, values))
        for answer in self._calls.of(
            lambda world, server: server.physics.scale(name, links, of_world[world]), chosen
        ).values():
            if isinstance(answer, Exception):
                raise answer
