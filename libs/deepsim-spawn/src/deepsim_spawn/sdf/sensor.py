# SPDX-License-Identifier: Apache-2.0
"""`<sensor>` and `<plugin>` elements, which are also kept as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from deepsim_math import Point, Pose, Quaternion
from deepsim_spawn.description.joint import JointDescription
from deepsim_spawn.description.sensor import (
    STEREO,
    CameraDescription,
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
    Measurement,
    PluginDescription,
    Rays,
    SensorDescription,
)
from deepsim_spawn.errors import ModelFormatError
from deepsim_spawn.xml.element import Element, integer, number, word
from deepsim_sync import SCOPE, Noise

from .frames import Scope, read_pose

_CAMERAS = ("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "segmentation_camera")


def read_sensor(element: Element, link: str, scope: Scope) -> SensorDescription:
    """Returns a sensor of a link."""
    pose, relative_to = read_pose(element)
    return _read(element, link, scope, scope.relative_pose(pose, relative_to, link, element))


def read_joint_sensor(element: Element, joint: JointDescription, scope: Scope) -> SensorDescription:
    """Returns a sensor of a joint as a sensor of the child link.

    A force-torque sensor measures at the joint's origin, in the axes of the child link or, if the
    file says so, of the sensor.
    """
    own, relative_to = read_pose(element)
    pose = joint.pose @ own
    if relative_to:
        pose = scope.relative_pose(own, relative_to, joint.child, element)
    sensor = _read(element, joint.child, scope, pose)
    if not isinstance(sensor.measurement, ForceTorque):
        return sensor
    axes = element.get("force_torque/frame", str, "child")
    if axes == "parent":
        element.warn("a force_torque sensor in the frame 'parent'", "the axes are the child's")
    turn = pose.orientation if axes == "sensor" else Quaternion()
    return replace(sensor, pose=Pose(joint.pose.position, turn))


def _read(element: Element, link: str, scope: Scope, pose: Pose) -> SensorDescription:
    kind = element.require_attribute("type", word)
    camera = None

    def place(lens: Element) -> Pose:
        """Returns the pose of a camera in the frame of the link."""
        own, relative_to = read_pose(lens)
        return scope.relative_pose(own, relative_to, link, lens) if relative_to else pose @ own

    if kind in _CAMERAS:
        # the picture is taken from the camera's own frame
        lens = element.require("camera")
        camera, pose = _camera(lens), place(lens)
    elif kind == STEREO:
        pair = _stereo(element, place)
        if pair is not None:
            camera, pose = pair
    return element.read_description(
        SensorDescription,
        name=element.require_attribute("name", word),
        type=kind,
        pose=pose,
        camera=camera,
        measurement=_read_measurement(element, kind),
        xml=element.to_xml(),
    )


def _camera(lens: Element, baseline: float = 0.0) -> CameraDescription:
    noise = _read_noise(lens.find("noise"))
    return lens.read_description(CameraDescription, baseline=baseline, noise=noise)


def _stereo(
    sensor: Element, place: Callable[[Element], Pose]
) -> tuple[CameraDescription, Pose] | None:
    """Returns a stereo pair's left camera and its pose, or None if the two are not parallel."""
    lenses = sensor.find_all("camera")
    if len(lenses) != 2:
        return None
    poses = [place(lens) for lens in lenses]
    beside = poses[0].relative(poses[1])
    if not Pose(Point(0.0, beside.position.y, 0.0)).isclose(beside, abs_tol=1e-6):
        return None
    left = 0 if beside.position.y < 0.0 else 1
    if beside.position.y == 0.0:
        return None
    return _camera(lenses[left], abs(beside.position.y)), poses[left]


def _read_measurement(sensor: Element, kind: str) -> Measurement | None:
    """Returns the measurement of a sensor, or None for a type that is only kept as text.

    A malformed sensor is kept as text too, unless the load is strict.
    """
    reader = _READERS.get(kind)
    if reader is None:
        return None
    try:
        return reader(sensor)
    except ModelFormatError as error:
        if sensor.document.load.strict:
            raise
        sensor.warn(str(error), "a malformed sensor does not measure")
        return None


def _imu(sensor: Element) -> Imu:
    return sensor.make(
        Imu,
        _noise_of_axes(sensor, "imu/angular_velocity") or _old_noise(sensor, "rate"),
        _noise_of_axes(sensor, "imu/linear_acceleration") or _old_noise(sensor, "accel"),
    )


def _force_torque(sensor: Element) -> ForceTorque:
    return sensor.make(
        ForceTorque,
        _noise_of_axes(sensor, "force_torque/force"),
        _noise_of_axes(sensor, "force_torque/torque"),
    )


def _contact(sensor: Element) -> ContactSensor:
    contact = sensor.find("contact")
    named = [] if contact is None else contact.find_all("collision")
    return ContactSensor(tuple(each.value(word).split(SCOPE)[-1] for each in named))


def _lidar(sensor: Element) -> Lidar:
    ray = sensor.find("ray") or sensor.find("lidar")
    if ray is None:
        raise sensor.error("<ray> is missing")
    return ray.make(
        Lidar,
        horizontal=_rays(ray, "scan/horizontal", 640),
        vertical=_rays(ray, "scan/vertical", 1),
        noise=_read_noise(ray.find("noise")),
        **{"max_range": 1e6, **ray.read_fields(Lidar)},
    )


def _joint_state(sensor: Element) -> JointState:
    """Returns the measurement of DeepSim's own `<joint_state>`: names of joints and their noise."""
    own = sensor.find("joint_state")
    if own is None:
        return JointState()
    joints = tuple(each.value(word) for each in own.find_all("joint"))
    noise = {
        column.tag: tuple(one for each in column.find_all("noise") for one in _read_noise(each))
        for column in own.find_all("position", "velocity", "effort")
    }
    return own.make(JointState, joints, **noise)


def _rays(ray: Element, path: str, samples: int) -> Rays:
    element = ray.find(path)
    if element is None:
        return Rays(samples)
    count = element.get("samples", integer, samples) * element.get("resolution", number, 1.0)
    return element.read_description(Rays, count=max(round(count), 1))


def _noise_of_axes(sensor: Element, path: str) -> tuple[Noise, ...]:
    """Returns the noise of x, y and z; empty if no axis has any."""
    axes = [sensor.find(f"{path}/{axis}/noise") for axis in "xyz"]
    found = [_read_noise(axis) or (Noise(),) for axis in axes]
    noise = tuple(each for (each,) in found)
    return noise if any(each != Noise() for each in noise) else ()


def _old_noise(sensor: Element, quantity: str) -> tuple[Noise, ...]:
    """Returns the noise of all axes in the form of SDF 1.4 and older."""
    return _read_noise(sensor.find(f"imu/noise/{quantity}"), "gaussian")


def _read_noise(element: Element | None, kind: str = "none") -> tuple[Noise, ...]:
    """Returns the Gaussian noise of a `<noise>` element; empty for None and for other noise."""
    if element is None:
        return ()
    kind = element.attribute("type", str, "") or element.get("type", str, kind)
    if kind not in ("gaussian", "gaussian_quantized"):
        return ()
    noise = element.read_description(Noise)
    return (noise if kind == "gaussian_quantized" else replace(noise, precision=0.0),)


_READERS: Final[dict[str, Callable[[Element], Measurement]]] = {
    "imu": _imu,
    "force_torque": _force_torque,
    "contact": _contact,
    "ray": _lidar,
    "gpu_ray": _lidar,
    "lidar": _lidar,
    "gpu_lidar": _lidar,
    "joint_state": _joint_state,
}


def read_plugin(element: Element) -> PluginDescription:
    """Returns a plugin of a model or world."""
    return PluginDescription(
        name=element.attribute("name", str, ""),
        filename=element.attribute("filename", str, ""),
        xml=element.to_xml(),
    )
