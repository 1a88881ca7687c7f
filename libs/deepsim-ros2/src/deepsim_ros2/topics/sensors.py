# SPDX-License-Identifier: Apache-2.0
"""The messages of each kind of sensor, in one table."""

from __future__ import annotations

import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import WrenchStamped
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image, Imu, JointState, LaserScan, PointCloud2, PointField
from std_msgs.msg import Float64MultiArray

from deepsim_math import quaternions
from deepsim_ros2.served.geometry import Floats, write_vector
from deepsim_ros2.served.simulation import ServedWorld
from deepsim_spawn import Lidar, SensorDescription
from deepsim_sync import SensorInfo

from .layout import own_name

Reading = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Mounted:
    """A sensor of a robot.

    Attributes:
        name: Its name, ``model::link::sensor``.
        link: The row of its link, ``model::link``.
        info: Kind, rate and noise.
        description: Its description, None for sensors of MJCF.
        frame: The frame of its measurements.
        optical: The frame of its pictures.
        link_frame: The frame of its link.
    """

    name: str
    link: str
    info: SensorInfo
    description: SensorDescription | None
    frame: str
    optical: str
    link_frame: str


class Channel(NamedTuple):
    """A topic of a kind of sensor.

    Attributes:
        topic: Name of the topic below that of the sensor.
        type: The type of message.
        write: Writes the measurement of one world into a message.
    """

    topic: str
    type: Any
    write: Callable[[ServedWorld, Mounted, Reading, Any], None]


def channels_of(sensor: Mounted) -> tuple[Channel, ...]:
    """Returns the topics of a sensor; none for those that no message can carry."""
    if sensor.info.kind == "lidar":
        lidar = _lidar(sensor)
        if lidar is None:
            return ()
        return _CLOUD if lidar.vertical.count > 1 else _SCAN
    return _CHANNELS.get(sensor.info.kind, ())


def _write_imu(_served: ServedWorld, sensor: Mounted, reading: Reading, message: Any) -> None:
    message.header.frame_id = sensor.frame
    q = message.orientation
    q.x, q.y, q.z, q.w = reading["orientation"].tolist()
    write_vector(message.angular_velocity, reading["angular_velocity"])
    write_vector(message.linear_acceleration, reading["linear_acceleration"])
    for quantity in ("angular_velocity", "linear_acceleration"):
        noise = sensor.info.noise.get(quantity, ())
        if noise:
            variances = [noise[axis % len(noise)].stddev ** 2 for axis in range(3)]
            setattr(message, f"{quantity}_covariance", np.diag(variances).reshape(9))


def _write_wrench(_served: ServedWorld, sensor: Mounted, reading: Reading, message: Any) -> None:
    message.header.frame_id = sensor.frame
    write_vector(message.wrench.force, reading["force"])
    write_vector(message.wrench.torque, reading["torque"])


def _write_contact(served: ServedWorld, sensor: Mounted, reading: Reading, message: Any) -> None:
    """Writes the force of contacts on a link, in its frame, with the torque about its origin."""
    world = served.simulation.world
    pose = world.links.select([sensor.link]).pose[served.number, 0]
    force, torque = reading["force"], reading["torque"]
    torque = torque + np.cross(reading["position"] - pose[:3], force) if force.any() else torque
    message.header.frame_id = sensor.link_frame
    write_vector(message.wrench.force, quaternions.inverse_rotate(pose[3:], force))
    write_vector(message.wrench.torque, quaternions.inverse_rotate(pose[3:], torque))


def _write_joints(_served: ServedWorld, sensor: Mounted, reading: Reading, message: Any) -> None:
    message.name = [own_name(row) for row in sensor.info.joints]
    for quantity in ("position", "velocity", "effort"):
        setattr(message, quantity, reading[quantity].tolist())


def _write_values(_served: ServedWorld, _sensor: Mounted, reading: Reading, message: Any) -> None:
    message.data = reading["value"].tolist()


def _lidar(sensor: Mounted) -> Lidar | None:
    found = sensor.description.measurement if sensor.description is not None else None
    return found if isinstance(found, Lidar) else None


def _period(sensor: Mounted) -> float:
    rate = sensor.info.update_rate
    return 1.0 / rate if rate > 0.0 else 0.0


def _write_scan(_served: ServedWorld, sensor: Mounted, reading: Reading, message: Any) -> None:
    lidar = _lidar(sensor)
    assert lidar is not None  # of channels_of
    rays = lidar.horizontal
    message.header.frame_id = sensor.frame
    message.angle_min, message.angle_max = rays.min_angle, rays.max_angle
    message.angle_increment = (rays.max_angle - rays.min_angle) / max(rays.count - 1, 1)
    message.range_min, message.range_max = lidar.min_range, lidar.max_range
    message.scan_time = _period(sensor)
    message.ranges = array.array("f", reading["ranges"][0].astype(np.float32).tobytes())


def _write_cloud(_served: ServedWorld, sensor: Mounted, reading: Reading, message: Any) -> None:
    lidar = _lidar(sensor)
    assert lidar is not None  # of channels_of
    turn, rise = (
        np.linspace(rays.min_angle, rays.max_angle, rays.count)
        for rays in (lidar.horizontal, lidar.vertical)
    )
    level = np.cos(rise)[:, None]
    directions = np.stack(
        np.broadcast_arrays(level * np.cos(turn), level * np.sin(turn), np.sin(rise)[:, None]), -1
    )
    ranges = reading["ranges"]
    found = np.isfinite(ranges)
    message.header.frame_id = sensor.frame
    _write_points(message, ranges[found][:, None] * directions[found])


def _write_points(message: Any, points: Floats) -> None:
    """Writes points, (n, 3), into a PointCloud2 without order."""
    message.height, message.width = 1, len(points)
    message.fields = [
        PointField(name=name, offset=4 * axis, datatype=PointField.FLOAT32, count=1)
        for axis, name in enumerate("xyz")
    ]
    message.point_step, message.row_step = 12, 12 * len(points)
    message.is_dense = True
    message.data = array.array("B", np.ascontiguousarray(points, dtype="<f4").tobytes())


def _image(quantity: str, encoding: str, dtype: str) -> Callable[..., None]:
    """Returns a function that writes a quantity as an Image."""

    def write(_served: ServedWorld, sensor: Mounted, reading: Reading, message: Any) -> None:
        pixels = np.ascontiguousarray(reading[quantity], dtype=dtype)
        message.header.frame_id = sensor.optical
        message.height, message.width = pixels.shape[:2]
        message.encoding, message.step = encoding, pixels.strides[0]
        message.data = array.array("B", pixels.tobytes())

    return write


def _write_camera(served: ServedWorld, sensor: Mounted, _reading: Reading, message: Any) -> None:
    """Writes the lens; as in ROS, the centre of the first pixel is (0, 0)."""
    lenses = served.simulation.world.simulator.depth_cameras
    assert lenses is not None  # cameras of MuJoCo and of Gazebo have both
    view = lenses.view(sensor.name, served.number)
    k = view.intrinsic - np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
    message.header.frame_id = sensor.optical
    message.height, message.width = view.height, view.width
    message.distortion_model, message.d = "plumb_bob", [0.0] * 5
    message.k, message.r = k.reshape(9), np.eye(3).reshape(9)
    message.p = np.column_stack([k, np.zeros(3)]).reshape(12)


_LENS = Channel("camera_info", CameraInfo, _write_camera)
_COLOURS = Channel("image_raw", Image, _image("rgb", "rgb8", "u1"))
_DEPTHS = Channel("depth/image_raw", Image, _image("depth", "32FC1", "<f4"))
_DISPARITIES = Channel("disparity/image_raw", Image, _image("disparity", "32FC1", "<f4"))
_SCAN = (Channel("scan", LaserScan, _write_scan),)
_CLOUD = (Channel("points", PointCloud2, _write_cloud),)
_CHANNELS: dict[str, tuple[Channel, ...]] = {
    "imu": (Channel("imu", Imu, _write_imu),),
    "force_torque": (Channel("wrench", WrenchStamped, _write_wrench),),
    "contact": (Channel("contact", WrenchStamped, _write_contact),),
    "joint_state": (Channel("measured_joint_states", JointState, _write_joints),),
    "camera": (_COLOURS, _LENS),
    "rgbd": (_COLOURS, _DEPTHS, _LENS),
    "stereo": (_COLOURS, _DEPTHS, _DISPARITIES, _LENS),
    "segmentation": (
        Channel("models/image_raw", Image, _image("models", "32SC1", "<i4")),
        Channel("links/image_raw", Image, _image("links", "32SC1", "<i4")),
        _LENS,
    ),
    "value": (Channel("value", Float64MultiArray, _write_values),),
}
"""The topics of each kind of sensor; those of lidars depend on the number of their rows."""
