# SPDX-License-Identifier: Apache-2.0
"""`<sensor>` and `<plugin>` elements, which are also kept as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deepsim_math import Point, Pose, Quaternion
from deepsim_spawn.description.joint import JointDescription
from deepsim_spawn.description.measurement import ForceTorque
from deepsim_spawn.description.sensor import (
    STEREO,
    CameraDescription,
    PluginDescription,
    SensorDescription,
)
from deepsim_spawn.xml import Element, read_description
from deepsim_spawn.xml.values import word

from .frames import Scope, read_pose
from .measurement import read_measurement, read_noise

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
    return read_description(
        element,
        SensorDescription,
        name=element.require_attribute("name", word),
        type=kind,
        pose=pose,
        camera=camera,
        measurement=read_measurement(element, kind),
        xml=element.to_xml(),
    )


def _camera(lens: Element, baseline: float = 0.0) -> CameraDescription:
    noise = read_noise(lens.find("noise"))
    return read_description(lens, CameraDescription, baseline=baseline, noise=noise)


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


def read_plugin(element: Element) -> PluginDescription:
    """Returns a plugin of a model or world."""
    return PluginDescription(
        name=element.attribute("name", str, ""),
        filename=element.attribute("filename", str, ""),
        xml=element.to_xml(),
    )
