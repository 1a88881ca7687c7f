# SPDX-License-Identifier: Apache-2.0
"""Implements the capabilities of a simulator in another process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose
from deepsim_sync import (
    CameraMount,
    CameraView,
    ContactPoints,
    DepthPicture,
    Noise,
    PhysicsProperty,
    Reading,
    SensorInfo,
)
from deepsim_sync.port.physics_properties import check_property, checked_factors
from deepsim_transport.rows import Frame

Call = Callable[..., Frame]
"""Sends the name, header and arrays of a call, and returns the answer."""
Worlds = NDArray[np.intp] | None


def _arrays(worlds: Worlds, **arrays: ArrayLike) -> dict[str, NDArray[Any]]:
    made = {name: np.asarray(each, np.float64) for name, each in arrays.items()}
    return made if worlds is None else {**made, "worlds": np.asarray(worlds)}


class RemoteContacts:
    """The contact points of links."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points of one world."""
        arrays = self._call("contacts", {"world": int(world)}).arrays
        return ContactPoints(*(arrays[name] for name in ContactPoints._fields))


class RemoteDynamics:
    """Jacobians of links, and bias forces of joints."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> NDArray[np.float64]:
        """Returns the Jacobian of a point on a link for k joints, (W, 6, k)."""
        header = {"link": link, "joints": [*joints]}
        return self._call("jacobian", header, _arrays(None, point=point)).arrays["value"]

    def bias_forces(self, joints: Sequence[str]) -> NDArray[np.float64]:
        """Returns the efforts of k joints that balance gravity and velocities, (W, k)."""
        return self._call("bias_forces", {"joints": [*joints]}).arrays["value"]


class RemotePhysics:
    """Mass, friction and damping of links in W worlds."""

    def __init__(self, call: Call, worlds: int) -> None:
        self._call, self._worlds = call, worlds

    def factors(self, name: PhysicsProperty) -> NDArray[np.float64]:
        """Returns the factors of one property for all n links, (W, n)."""
        return self._call("factors", {"name": name}).arrays["value"]

    def scale(
        self,
        name: PhysicsProperty,
        links: Iterable[str],
        factors: ArrayLike,
        worlds: Worlds = None,
    ) -> None:
        """Sets the factors of one property for some links and worlds."""
        check_property(name)
        chosen = [*links]
        count = self._worlds if worlds is None else len(worlds)
        values = checked_factors(name, chosen, factors, count)
        self._call("scale", {"name": name, "links": chosen}, _arrays(worlds, factors=values))


class RemoteSensors:
    """The inertial, force-torque, contact, lidar and camera sensors of another process.

    Args:
        call: The function that calls the other process.
        generation: Returns the current generation of the entities; if it changes, the sensors are
            listed again.
    """

    def __init__(self, call: Call, generation: Callable[[], int]) -> None:
        self._call, self._generation = call, generation
        self._known: tuple[int, Mapping[str, SensorInfo]] | None = None

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """Descriptions of all sensors by name."""
        if self._known is None or self._known[0] != self._generation():
            listed = self._call("sensor_infos").header["infos"]
            infos = {name: _info(fields) for name, fields in listed.items()}
            self._known = (self._generation(), infos)
        return self._known[1]

    def watch(self, name: str) -> None:
        """Starts measuring with a sensor."""
        self._call("sensor_watch", {"name": name})

    def read(self, name: str) -> Reading:
        """Returns the current measurement of a watched sensor."""
        answer = self._call("sensor_read", {"name": name})
        return {each: answer.arrays[each] for each in answer.header["quantities"]}


class RemoteCameras:
    """Pictures and depths of any world, and the mounts of camera sensors.

    It implements three capabilities of the port: cameras, depth cameras and camera mounts.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors."""
        return tuple(self._call("camera_names").header["cameras"])

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture, (height, width, 3) RGB."""
        picture: NDArray[np.uint8] = self._shoot("render", camera, world)["value"]
        return picture

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Measures the depth, and identifies the model and link, of each pixel."""
        arrays = self._shoot("measure", camera, world)
        return DepthPicture(*(arrays[name] for name in DepthPicture._fields))

    def view(self, camera: str, world: int = 0) -> CameraView:
        """Returns a camera sensor's current pose in the world frame, and its lens."""
        answer = self._call("view", {"camera": camera, "world": int(world)})
        pose = Pose.from_array(answer.arrays["pose"])
        return CameraView(pose, answer.header["fov"], *answer.header["size"])

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the current mount of a camera sensor on its link."""
        return self._mount(camera, int(world))

    def described(self, camera: str) -> CameraMount:
        """Returns the mount of a camera sensor in the model's description."""
        return self._mount(camera, None)

    def set(self, camera: str, mount: CameraMount, worlds: Worlds = None) -> None:
        """Sets the mount of a camera sensor in some worlds."""
        header = {"camera": camera, "fov": float(mount.horizontal_fov)}
        self._call("set_mount", header, _arrays(worlds, pose=mount.pose))

    def _mount(self, camera: str, world: int | None) -> CameraMount:
        answer = self._call("mount", {"camera": camera, "world": world})
        return CameraMount(Pose.from_array(answer.arrays["pose"]), answer.header["fov"])

    def _shoot(self, call: str, camera: str | CameraView, world: int) -> Mapping[str, Any]:
        header: dict[str, Any] = {"world": int(world)}
        if isinstance(camera, str):
            return self._call(call, {**header, "camera": camera}).arrays
        header |= {"fov": float(camera.horizontal_fov), "size": [camera.width, camera.height]}
        return self._call(call, header, _arrays(None, pose=camera.pose)).arrays


def _info(fields: Mapping[str, Any]) -> SensorInfo:
    noise = {
        quantity: tuple(Noise(**each) for each in listed)
        for quantity, listed in fields["noise"].items()
    }
    low, high = fields["limits"]
    joints = tuple(fields["joints"])
    return SensorInfo(**{**fields, "noise": noise, "limits": (low, high), "joints": joints})
