# SPDX-License-Identifier: Apache-2.0
"""Decodes calls of a simulator's capabilities from frames, and executes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_sync import CameraMount, CameraView, Simulator, UnsupportedError
from deepsim_transport.rows import Frame

Arrays = Mapping[str, NDArray[Any]]
Answer = tuple[dict[str, Any], dict[str, NDArray[Any]]]
T = TypeVar("T")

CAPABILITIES = (
    "cameras",
    "depth_cameras",
    "camera_mounts",
    "contacts",
    "dynamics",
    "sensors",
    "physics",
)
"""The capabilities that other processes can use; snapshots, which may have any type, are not."""


def chosen_worlds(simulator: Simulator, arrays: Arrays) -> NDArray[np.intp] | None:
    """Returns the numbers of the worlds in a request, (w,), or None for all worlds.

    Raises:
        ValueError: The numbers are not ascending, or a world does not exist.
    """
    if "worlds" not in arrays:
        return None
    worlds, count = arrays["worlds"], simulator.worlds
    ordered = worlds.ndim == 1 and worlds.dtype.kind == "i" and (np.diff(worlds) > 0).all()
    if not ordered or (worlds.size and not (worlds[0] >= 0 and worlds[-1] < count)):
        raise ValueError(f"worlds must be ascending numbers from 0 to {count - 1}")
    return worlds.astype(np.intp)


def _have(capability: T | None) -> T:
    if capability is None:
        raise UnsupportedError("the simulator of the other process lacks this capability")
    return capability


def _world(simulator: Simulator, asked: Frame) -> int:
    world = asked.header["world"]
    if type(world) is not int or not 0 <= world < simulator.worlds:
        raise ValueError(f"there are worlds 0 to {simulator.worlds - 1}, got {world!r}")
    return world


def _camera(asked: Frame) -> str | CameraView:
    if "pose" not in asked.arrays:
        return str(asked.header["camera"])
    width, height = map(int, asked.header["size"])
    return CameraView(
        Pose.from_array(asked.arrays["pose"]), float(asked.header["fov"]), width, height
    )


def _mounted(mount: CameraMount) -> Answer:
    return {"fov": mount.horizontal_fov}, {"pose": np.asarray(mount.pose)}


def _contacts(simulator: Simulator, asked: Frame) -> Answer:
    return {}, _have(simulator.contacts).read(_world(simulator, asked))._asdict()


def _jacobian(simulator: Simulator, asked: Frame) -> Answer:
    dynamics, joints = _have(simulator.dynamics), [*map(str, asked.header["joints"])]
    return {}, {
        "value": dynamics.jacobian(str(asked.header["link"]), joints, asked.arrays["point"])
    }


def _bias_forces(simulator: Simulator, asked: Frame) -> Answer:
    joints = [*map(str, asked.header["joints"])]
    return {}, {"value": _have(simulator.dynamics).bias_forces(joints)}


def _factors(simulator: Simulator, asked: Frame) -> Answer:
    return {}, {"value": _have(simulator.physics).factors(asked.header["name"])}


def _scale(simulator: Simulator, asked: Frame) -> Answer:
    links, worlds = [*map(str, asked.header["links"])], chosen_worlds(simulator, asked.arrays)
    _have(simulator.physics).scale(asked.header["name"], links, asked.arrays["factors"], worlds)
    return {}, {}


def _sensor_infos(simulator: Simulator, _asked: Frame) -> Answer:
    return {"infos": {name: asdict(i) for name, i in _have(simulator.sensors).infos.items()}}, {}


def _sensor_watch(simulator: Simulator, asked: Frame) -> Answer:
    _have(simulator.sensors).watch(str(asked.header["name"]))
    return {}, {}


def _sensor_read(simulator: Simulator, asked: Frame) -> Answer:
    reading = _have(simulator.sensors).read(str(asked.header["name"]))
    return {"quantities": [*reading]}, dict(reading)


def _camera_names(simulator: Simulator, _asked: Frame) -> Answer:
    return {"cameras": [*_have(simulator.cameras).names]}, {}


def _render(simulator: Simulator, asked: Frame) -> Answer:
    camera, world = _camera(asked), _world(simulator, asked)
    return {}, {"value": _have(simulator.cameras).render(camera, world)}


def _measure(simulator: Simulator, asked: Frame) -> Answer:
    camera, world = _camera(asked), _world(simulator, asked)
    return {}, _have(simulator.depth_cameras).measure(camera, world)._asdict()


def _view(simulator: Simulator, asked: Frame) -> Answer:
    camera, world = str(asked.header["camera"]), _world(simulator, asked)
    view = _have(simulator.depth_cameras).view(camera, world)
    size = [view.width, view.height]
    return {"fov": view.horizontal_fov, "size": size}, {"pose": np.asarray(view.pose)}


def _mount(simulator: Simulator, asked: Frame) -> Answer:
    mounts, camera = _have(simulator.camera_mounts), str(asked.header["camera"])
    if asked.header["world"] is None:
        return _mounted(mounts.described(camera))
    return _mounted(mounts.get(camera, _world(simulator, asked)))


def _set_mount(simulator: Simulator, asked: Frame) -> Answer:
    mount = CameraMount(Pose.from_array(asked.arrays["pose"]), float(asked.header["fov"]))
    worlds = chosen_worlds(simulator, asked.arrays)
    _have(simulator.camera_mounts).set(str(asked.header["camera"]), mount, worlds)
    return {}, {}


CAPABILITY_CALLS: Mapping[Any, Callable[[Simulator, Frame], Answer]] = {
    "contacts": _contacts,
    "jacobian": _jacobian,
    "bias_forces": _bias_forces,
    "factors": _factors,
    "scale": _scale,
    "sensor_infos": _sensor_infos,
    "sensor_watch": _sensor_watch,
    "sensor_read": _sensor_read,
    "camera_names": _camera_names,
    "render": _render,
    "measure": _measure,
    "view": _view,
    "mount": _mount,
    "set_mount": _set_mount,
}
"""The functions that execute calls, by the name of the call."""
LOOKING_CAPABILITIES = CAPABILITY_CALLS.keys() - {"scale", "set_mount"}
"""Names of the capability calls that change nothing."""
