# SPDX-License-Identifier: Apache-2.0
"""The sensors of a server, with their descriptions."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.ros.serialization import pack_strings
from deepsim_math import Euler, Pose
from deepsim_sync import QUANTITIES, SCOPE, Names, Noise, SensorInfo, SensorKind

from .client import BatchStateClient

_GENERATION = struct.Struct("<Q")
_BOOL = struct.Struct("<?")
_KINDS: tuple[SensorKind, ...] = ("imu", "force_torque", "contact", "lidar", "joint_state")
_CAMERA = len(_KINDS)
_CAMERAS: dict[str, SensorKind] = {
    "depth": "rgbd",
    "depth_camera": "rgbd",
    "rgbd": "rgbd",
    "rgbd_camera": "rgbd",
    "segmentation_camera": "segmentation",
}
"""Kind of a camera by the type in its description; other types take colour pictures."""
_SIZES = {"imu": 10, "force_torque": 6, "contact": 19, "joint_state": 0}
_NOISE = {
    "mean": "mean",
    "stddev": "stddev",
    "bias_mean": "bias_mean",
    "bias_stddev": "bias_stddev",
    "drift_stddev": "dynamic_bias_stddev",
    "drift_time": "dynamic_bias_correlation_time",
}


class SensorRow(NamedTuple):
    """A sensor that measures physics."""

    number: int
    """Row of the sensor on the server."""
    info: SensorInfo
    size: int
    """Numbers in a measurement."""
    shape: tuple[int, int]
    """Rows of a lidar, and rays in each."""


class CameraSensor(NamedTuple):
    """A sensor that takes pictures."""

    info: SensorInfo
    baseline: float
    """Distance between the cameras of a stereo pair [m]; 0 for other sensors."""


class SensorListing(NamedTuple):
    """The sensors of one generation of entities."""

    generation: int
    sensors: dict[str, SensorRow]
    """By name, in the order of their rows."""
    cameras: dict[str, CameraSensor]


def list_sensors(client: BatchStateClient, joints: Names) -> SensorListing:
    """Returns all sensors of a server; `joints` has the rows of the joints table."""
    reader = client.ask("get_sensors", b"", "all sensors")
    (generation,) = reader.fields(_GENERATION)
    names, texts = reader.strings(), reader.strings()
    kinds = reader.octets().tolist()
    rows, rays = reader.integers(), reader.integers()
    reader.end()
    if not len(names) == len(texts) == len(kinds) == len(rows) == len(rays):
        raise MalformedReplyError("the answer of get_sensors has columns of unlike lengths")
    sensors: dict[str, SensorRow] = {}
    cameras: dict[str, CameraSensor] = {}
    for number, (name, text, kind) in enumerate(zip(names, texts, kinds)):
        shape = rows[number], rays[number]
        if kind > _CAMERA:
            raise MalformedReplyError(f"the answer of get_sensors has a sensor of kind {kind}")
        element = ElementTree.fromstring(text.replace("deepsim:sensor", "sensor"))
        if kind == _CAMERA:
            cameras.setdefault(name, _camera(element))
            continue
        info = _info(name, _KINDS[kind], element, joints)
        size = _SIZES.get(info.kind, shape[0] * shape[1])
        sensors.setdefault(name, SensorRow(number, info, size, shape))
    return SensorListing(generation, sensors, cameras)


def watch(client: BatchStateClient, sensors: Sequence[str] = (), *, contacts: bool = False) -> None:
    """Starts measuring with sensors in each step; `contacts` keeps the forces at contacts too."""
    asked = f"watch {', '.join(sensors) or 'contacts'}"
    client.do("watch", pack_strings(sensors) + _BOOL.pack(contacts), asked)


def _info(name: str, kind: SensorKind, sensor: ElementTree.Element, joints: Names) -> SensorInfo:
    rate = _number(sensor, "update_rate", 0.0)
    limits = -math.inf, math.inf
    noise: dict[str, tuple[Noise, ...]] = {}
    found: tuple[str, ...] = ()
    if kind == "imu":
        noise = {
            "angular_velocity": _of_axes(sensor, "imu/angular_velocity"),
            "linear_acceleration": _of_axes(sensor, "imu/linear_acceleration"),
        }
    elif kind == "force_torque":
        noise = {each: _of_axes(sensor, f"force_torque/{each}") for each in ("force", "torque")}
    elif kind == "lidar":
        tag = "ray" if sensor.find("ray") is not None else "lidar"
        noise = {"ranges": _noise(sensor.find(f"{tag}/noise"))}
        least = _number(sensor, f"{tag}/range/min", 0.0)
        limits = least, _number(sensor, f"{tag}/range/max", 1e6)
    elif kind == "joint_state":
        model = name.rsplit(SCOPE, 2)[0]
        named = [f"{model}{SCOPE}{each.text}" for each in sensor.findall("joint_state/joint")]
        found = tuple(each for each in named or joints if each in joints.within(model))
        noise = {
            each: sum((_noise(one) for one in sensor.findall(f"joint_state/{each}/noise")), ())
            for each in ("position", "velocity", "effort")
        }
    return SensorInfo(kind, max(rate, 0.0), 0.0, noise, limits, found)


def _camera(sensor: ElementTree.Element) -> CameraSensor:
    baseline = _baseline(sensor)
    kind = "stereo" if baseline else _CAMERAS.get(sensor.get("type", ""), "camera")
    rate = max(_number(sensor, "update_rate", 0.0), 0.0)
    noise = _noise(sensor.find("camera/noise"))
    if not noise or "rgb" not in QUANTITIES[kind]:
        return CameraSensor(SensorInfo(kind, rate), baseline)
    return CameraSensor(SensorInfo(kind, rate, 0.0, {"rgb": noise}, (0.0, 1.0)), baseline)


def _baseline(sensor: ElementTree.Element) -> float:
    """Returns the distance between two cameras side by side [m]; 0 for other sensors."""
    poses = [_pose(lens) for lens in sensor.findall("camera")]
    if sensor.get("type") != "multicamera" or len(poses) != 2:
        return 0.0
    beside = poses[0].relative(poses[1])
    aside = Pose((0.0, beside.position.y, 0.0))
    return abs(beside.position.y) if aside.isclose(beside, abs_tol=1e-6) else 0.0


def _pose(element: ElementTree.Element) -> Pose:
    numbers = [float(word) for word in element.findtext("pose", "").split()] or [0.0] * 6
    return Pose(numbers[:3], Euler(*numbers[3:]))


def _of_axes(sensor: ElementTree.Element, path: str) -> tuple[Noise, ...]:
    """Returns the noise of x, y and z, or an empty tuple if no axis has any."""
    axes = [_noise(sensor.find(f"{path}/{axis}/noise")) or (Noise(),) for axis in "xyz"]
    noise = tuple(each for (each,) in axes)
    return noise if any(each != Noise() for each in noise) else ()


def _noise(element: ElementTree.Element | None) -> tuple[Noise, ...]:
    """Returns a tuple of one noise, or an empty one if there is no valid noise."""
    kind = "" if element is None else element.get("type") or element.findtext("type", "")
    if element is None or kind not in ("gaussian", "gaussian_quantized"):
        return ()
    values = {name: _number(element, tag, 0.0) for name, tag in _NOISE.items()}
    if kind == "gaussian_quantized":
        values["precision"] = _number(element, "precision", 0.0)
    try:
        return (Noise(**values),)
    except ValueError:
        return ()


def _number(element: ElementTree.Element, path: str, otherwise: float) -> float:
    try:
        return float(element.findtext(path, ""))
    except ValueError:
        return otherwise
