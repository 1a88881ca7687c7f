# SPDX-License-Identifier: Apache-2.0
"""The sensors of robots as messages, live and in bags: one table of topics for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_math import quaternions
from deepsim_spawn import Lidar, ModelDescription, SensorDescription
from deepsim_sync import SCOPE, CameraView, Reading, SensorInfo

from .layout import Layout, optical_frame, own_name, ros_name, sensor_frame
from .message_types import MessageTypes

Floats = NDArray[np.float64]
CAMERAS = ("camera", "rgbd", "stereo", "segmentation")
"""The kinds of sensors that take pictures."""


@dataclass(frozen=True)
class Mounted:
    """A sensor of a robot.

    Attributes:
        name: Its name, ``model::link::sensor``.
        link: The row of its link, ``model::link``.
        info: Kind, rate and noise.
        description: Its description, None for sensors of MJCF.
        link_frame: The frame of its link.
        frame: The frame of its measurements.
    """

    name: str
    link: str
    info: SensorInfo
    description: SensorDescription | None
    link_frame: str
    frame: str

    @property
    def optical(self) -> str:
        """The frame of its pictures."""
        return optical_frame(self.link_frame, self.name.rpartition(SCOPE)[2])

    @property
    def lidar(self) -> Lidar | None:
        """The rays of a described lidar."""
        found = self.description.measurement if self.description is not None else None
        return found if isinstance(found, Lidar) else None


@dataclass(frozen=True)
class Measurement:
    """A measurement in one world.

    Attributes:
        sensor: The sensor.
        reading: The quantities in all worlds.
        world: Number of the world.
        time: Instant [ns].
        view: Returns the lens of a camera.
        link_pose: Returns the present pose of the link in the world frame, (7,).
        space: Prefix of all frames, such as ``world_2/``.
    """

    sensor: Mounted
    reading: Reading
    world: int
    time: int
    view: Callable[[], CameraView]
    link_pose: Callable[[], Floats]
    space: str = ""

    def __getitem__(self, quantity: str) -> NDArray[Any]:
        found: NDArray[Any] = self.reading[quantity][self.world]
        return found

    def header(self, types: MessageTypes, frame: str) -> Any:
        """Returns the header of a message."""
        return types.header(self.time, self.space + frame)


class Channel(NamedTuple):
    """A topic of a kind of sensor.

    Attributes:
        topic: Name of the topic below that of the sensor.
        type: The type of message, such as ``sensor_msgs/Imu``.
        encode: Returns a measurement as a message.
    """

    topic: str
    type: str
    encode: Callable[[MessageTypes, Measurement], Any]


def sensor_topics(
    infos: Mapping[str, SensorInfo],
    model: Any,
    robot: str,
    layout: Layout,
    *,
    has_lenses: bool = True,
) -> Iterator[tuple[Mounted, Channel, str]]:
    """Yields the topics of a robot's sensors, such as ``scan`` if no other sensor has the same.

    Cameras, and sensors of which there are several, have their name, and if that is not unique
    their link's, before it. Sensors that no message can carry have none.

    Args:
        infos: The sensors of all models, by name.
        model: The description of the robot, if it is known.
        robot: Name of the robot.
        layout: The names of its frames.
        has_lenses: Whether the lenses of cameras are known.
    """
    mounted = [*_mounted(infos, model, robot, layout)]
    channels = [
        (sensor, channel)
        for sensor in mounted
        for channel in channels_of(sensor)
        if has_lenses or channel is not _LENS
    ]
    names = [ros_name(sensor.name.rpartition(SCOPE)[2]) for sensor in mounted]
    for sensor, channel in channels:
        alone = sum(other.topic == channel.topic for _, other in channels) == 1
        if alone and not channel.topic.endswith(("image_raw", "camera_info")):
            yield sensor, channel, channel.topic
            continue
        own = ros_name(sensor.name.rpartition(SCOPE)[2])
        if names.count(own) > 1:
            own = "/".join(map(ros_name, sensor.name.split(SCOPE)[1:]))
        yield sensor, channel, f"{own}/{channel.topic}"


def _mounted(
    infos: Mapping[str, SensorInfo], model: Any, robot: str, layout: Layout
) -> Iterator[Mounted]:
    """Yields the sensors of a robot."""
    described: dict[str, SensorDescription] = {}
    if isinstance(model, ModelDescription):
        described = {
            SCOPE.join((robot, own, each.name)): each
            for own, link, _ in model.all_links()
            for each in link.sensors
        }
    for name, info in infos.items():
        if name.startswith(robot + SCOPE):
            link, _, own = name.rpartition(SCOPE)
            carrier = layout.link_frame(link) if SCOPE in link else layout.prefix(robot).rstrip("/")
            found = described.get(name)
            frame = sensor_frame(carrier, found) if found is not None else f"{carrier}/{own}"
            yield Mounted(name, link, info, found, carrier, frame)


def channels_of(sensor: Mounted) -> tuple[Channel, ...]:
    """Returns the topics of a sensor; none for those that no message can carry."""
    if sensor.info.kind == "lidar":
        lidar = sensor.lidar
        if lidar is None:
            return ()
        return _CLOUD if lidar.vertical.count > 1 else _SCAN
    return _CHANNELS[sensor.info.kind]


def _imu(types: MessageTypes, at: Measurement) -> Any:
    """Returns the measurement; variances are those of the noise, and 0 without it is unknown."""
    rates = ("angular_velocity", "linear_acceleration")
    variances = {f"{each}_covariance": _variances(at.sensor.info, each) for each in rates}
    return types.make(
        "sensor_msgs/Imu",
        header=at.header(types, at.sensor.frame),
        orientation=types.quaternion(at["orientation"]),
        orientation_covariance=np.zeros(9),
        **{each: types.vector(at[each]) for each in rates},
        **variances,
    )


def _variances(info: SensorInfo, quantity: str) -> Floats:
    noise = info.noise.get(quantity, ())
    if not noise:
        return np.zeros(9)
    return np.diag([noise[axis % len(noise)].stddev ** 2 for axis in range(3)]).reshape(9)


def _wrench(types: MessageTypes, at: Measurement) -> Any:
    header = at.header(types, at.sensor.frame)
    return _wrench_message(types, header, at["force"], at["torque"])


def _contact(types: MessageTypes, at: Measurement) -> Any:
    """Returns the force of contacts on a link, in its frame, with the torque about its origin."""
    pose, force, torque = at.link_pose(), at["force"], at["torque"]
    if force.any():
        torque = torque + np.cross(at["position"] - pose[:3], force)
    force, torque = (quaternions.inverse_rotate(pose[3:], each) for each in (force, torque))
    return _wrench_message(types, at.header(types, at.sensor.link_frame), force, torque)


def _wrench_message(types: MessageTypes, header: Any, force: Floats, torque: Floats) -> Any:
    wrench = types.make(
        "geometry_msgs/Wrench", force=types.vector(force), torque=types.vector(torque)
    )
    return types.make("geometry_msgs/WrenchStamped", header=header, wrench=wrench)


def _joints(types: MessageTypes, at: Measurement) -> Any:
    return types.make(
        "sensor_msgs/JointState",
        header=at.header(types, ""),
        name=[own_name(row) for row in at.sensor.info.joints],
        **{each: np.asarray(at[each], np.float64) for each in ("position", "velocity", "effort")},
    )


def _values(types: MessageTypes, at: Measurement) -> Any:
    layout = types.make("std_msgs/MultiArrayLayout", dim=[], data_offset=0)
    data = np.asarray(at["value"], dtype=np.float64).reshape(-1)
    return types.make("std_msgs/Float64MultiArray", layout=layout, data=data)


def _scan(types: MessageTypes, at: Measurement) -> Any:
    lidar, rate = at.sensor.lidar, at.sensor.info.update_rate
    assert lidar is not None  # of channels_of
    rays = lidar.horizontal
    return types.make(
        "sensor_msgs/LaserScan",
        header=at.header(types, at.sensor.frame),
        angle_min=rays.min_angle,
        angle_max=rays.max_angle,
        angle_increment=(rays.max_angle - rays.min_angle) / max(rays.count - 1, 1),
        time_increment=0.0,  # all rays are of one instant
        scan_time=1.0 / rate if rate > 0.0 else 0.0,
        range_min=lidar.min_range,
        range_max=lidar.max_range,
        ranges=at["ranges"][0].astype(np.float32),  # -inf and inf as in REP 117
        intensities=np.zeros(0, dtype=np.float32),
    )


def _cloud(types: MessageTypes, at: Measurement) -> Any:
    """Returns the points of a lidar of several rows, in the order of its ranges; nan for none."""
    lidar = at.sensor.lidar
    assert lidar is not None  # of channels_of
    turn, rise = (
        np.linspace(rays.min_angle, rays.max_angle, rays.count)
        for rays in (lidar.horizontal, lidar.vertical)
    )
    rise = rise[:, None]
    axes = np.broadcast_arrays(
        np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)
    )
    hits = np.where(np.isfinite(at["ranges"]), at["ranges"], np.nan)
    points = (np.stack(axes, axis=-1) * hits[..., None]).astype("<f4")
    fields = [
        types.make("sensor_msgs/PointField", name=name, offset=4 * axis, datatype=7, count=1)
        for axis, name in enumerate("xyz")
    ]
    return types.make(
        "sensor_msgs/PointCloud2",
        header=at.header(types, at.sensor.frame),
        height=points.shape[0],
        width=points.shape[1],
        fields=fields,
        is_bigendian=False,
        point_step=12,
        row_step=12 * points.shape[1],
        data=np.frombuffer(points.tobytes(), dtype=np.uint8),
        is_dense=bool(np.isfinite(points).all()),
    )


def _image(quantity: str, encoding: str, dtype: str) -> Callable[[MessageTypes, Measurement], Any]:
    """Returns a function that encodes a quantity as an Image."""

    def encode(types: MessageTypes, at: Measurement) -> Any:
        pixels = np.ascontiguousarray(at[quantity], dtype=dtype)
        return types.make(
            "sensor_msgs/Image",
            header=at.header(types, at.sensor.optical),
            height=pixels.shape[0],
            width=pixels.shape[1],
            encoding=encoding,
            is_bigendian=0,
            step=pixels.strides[0],
            data=np.frombuffer(pixels.tobytes(), dtype=np.uint8),
        )

    return encode


def _lens(types: MessageTypes, at: Measurement) -> Any:
    """Returns the lens; as in ROS, the centre of the first pixel is (0, 0)."""
    view = at.view()
    k = view.intrinsic - np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
    whole = {"x_offset": 0, "y_offset": 0, "height": 0, "width": 0, "do_rectify": False}
    return types.make(
        "sensor_msgs/CameraInfo",
        header=at.header(types, at.sensor.optical),
        height=view.height,
        width=view.width,
        distortion_model="plumb_bob",
        d=np.zeros(5),
        k=k.reshape(9),
        r=np.eye(3).reshape(9),
        p=np.column_stack([k, np.zeros(3)]).reshape(12),
        binning_x=0,
        binning_y=0,
        roi=types.make("sensor_msgs/RegionOfInterest", **whole),
    )


_LENS = Channel("camera_info", "sensor_msgs/CameraInfo", _lens)


def _pictures(topic: str, quantity: str, encoding: str, dtype: str) -> Channel:
    return Channel(f"{topic}image_raw", "sensor_msgs/Image", _image(quantity, encoding, dtype))


_COLOURS = _pictures("", "rgb", "rgb8", "u1")
_DEPTHS = _pictures("depth/", "depth", "32FC1", "<f4")  # inf for nothing, as in REP 118
_DISPARITIES = _pictures("disparity/", "disparity", "32FC1", "<f4")
_SCAN = (Channel("scan", "sensor_msgs/LaserScan", _scan),)
_CLOUD = (Channel("points", "sensor_msgs/PointCloud2", _cloud),)
_CHANNELS: dict[str, tuple[Channel, ...]] = {
    "imu": (Channel("imu", "sensor_msgs/Imu", _imu),),
    "force_torque": (Channel("wrench", "geometry_msgs/WrenchStamped", _wrench),),
    "contact": (Channel("contact", "geometry_msgs/WrenchStamped", _contact),),
    "joint_state": (Channel("measured_joint_states", "sensor_msgs/JointState", _joints),),
    "camera": (_COLOURS, _LENS),
    "rgbd": (_COLOURS, _DEPTHS, _LENS),
    "stereo": (_COLOURS, _DEPTHS, _DISPARITIES, _LENS),
    "segmentation": (  # rows, -1 for none
        _pictures("models/", "models", "32SC1", "<i4"),
        _pictures("links/", "links", "32SC1", "<i4"),
        _LENS,
    ),
    "value": (Channel("value", "std_msgs/Float64MultiArray", _values),),
}
"""The topics of each kind of sensor; those of lidars depend on the number of their rows."""
