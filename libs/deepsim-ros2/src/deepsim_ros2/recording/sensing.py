# SPDX-License-Identifier: Apache-2.0
"""Measurements of DeepSim's sensors as messages of ROS 2."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import poses
from deepsim_spawn import Lidar, SensorDescription
from deepsim_sync import SCOPE, CameraView, Reading, SensorInfo

from .cdr import header, message, quaternion, vector

OPTICAL = np.array([0.0, 0.0, 0.0, -0.5, 0.5, -0.5, 0.5])
"""REP 103's optical frame (z forward, x right, y down) in the frame of a camera, (7,)."""
Messages = Iterator[tuple[str, Any]]
"""Endings of topics, and their messages."""


@dataclass(frozen=True)
class Measured:
    """One measurement in one world.

    Attributes:
        name: The sensor, ``model::link::sensor``.
        info: Its kind and the joints that it reads.
        described: Its description, if its model has one.
        view: The lens of a camera; None for other sensors and for engines without depth cameras.
        time: Instant [ns].
        world: Number of the world.
        frame: The tf frame of the sensor; of a camera, its optical frame.
        world_frame: The tf frame of the world.
    """

    name: str
    info: SensorInfo
    described: SensorDescription | None
    view: CameraView | None
    time: int
    world: int
    frame: str
    world_frame: str


def messages(measured: Measured, reading: Reading) -> Messages:
    """Yields the messages of a measurement; kinds without any message yield none."""
    yield from _KINDS[measured.info.kind](measured, reading)


def _imu(at: Measured, reading: Reading) -> Messages:
    unknown = np.zeros(9)  # a covariance of zeros is unknown, by the message's definition
    yield (
        "imu",
        message(
            "sensor_msgs/Imu",
            header=header(at.time, at.frame),
            orientation=quaternion(reading["orientation"][at.world]),
            orientation_covariance=unknown,
            angular_velocity=vector(reading["angular_velocity"][at.world]),
            angular_velocity_covariance=unknown,
            linear_acceleration=vector(reading["linear_acceleration"][at.world]),
            linear_acceleration_covariance=unknown,
        ),
    )


def _wrench(
    ending: str, frame_of: Callable[[Measured], str]
) -> Callable[[Measured, Reading], Messages]:
    def wrench(at: Measured, reading: Reading) -> Messages:
        yield (
            ending,
            message(
                "geometry_msgs/WrenchStamped",
                header=header(at.time, frame_of(at)),
                wrench=message(
                    "geometry_msgs/Wrench",
                    force=vector(reading["force"][at.world]),
                    torque=vector(reading["torque"][at.world]),
                ),
            ),
        )

    return wrench


def _scan(at: Measured, reading: Reading) -> Messages:
    ranges = reading["ranges"][at.world]
    if at.described is None or not isinstance(at.described.measurement, Lidar):
        return
    lidar = at.described.measurement
    if len(ranges) > 1:
        yield "points", _cloud(at, lidar, ranges)
        return
    rays = lidar.horizontal
    yield (
        "scan",
        message(
            "sensor_msgs/LaserScan",
            header=header(at.time, at.frame),
            angle_min=rays.min_angle,
            angle_max=rays.max_angle,
            angle_increment=(rays.max_angle - rays.min_angle) / max(rays.count - 1, 1),
            time_increment=0.0,  # all rays are of one instant
            scan_time=1.0 / at.info.update_rate if at.info.update_rate else 0.0,
            range_min=lidar.min_range,
            range_max=lidar.max_range,
            ranges=ranges[0].astype(np.float32),  # -inf and inf as in REP 117
            intensities=np.zeros(0, dtype=np.float32),
        ),
    )


def _cloud(at: Measured, lidar: Lidar, ranges: NDArray[np.float64]) -> Any:
    """Returns the points of a lidar of several rows, organised as its ranges; nan without one."""
    rays, rows = lidar.horizontal, lidar.vertical
    along = np.linspace(rays.min_angle, rays.max_angle, rays.count)
    above = np.linspace(rows.min_angle, rows.max_angle, rows.count)[:, None]
    axes = np.broadcast_arrays(
        np.cos(above) * np.cos(along), np.cos(above) * np.sin(along), np.sin(above)
    )
    hits = np.where(np.isfinite(ranges), ranges, np.nan)
    points = (np.stack(axes, axis=-1) * hits[..., None]).astype("<f4")
    fields = [
        message("sensor_msgs/PointField", name=name, offset=4 * number, datatype=7, count=1)
        for number, name in enumerate("xyz")
    ]
    return message(
        "sensor_msgs/PointCloud2",
        header=header(at.time, at.frame),
        height=points.shape[0],
        width=points.shape[1],
        fields=fields,
        is_bigendian=False,
        point_step=12,
        row_step=12 * points.shape[1],
        data=np.frombuffer(points.tobytes(), dtype=np.uint8),
        is_dense=bool(np.isfinite(points).all()),
    )


def _joint_state(at: Measured, reading: Reading) -> Messages:
    yield (
        "measured_joint_states",
        message(
            "sensor_msgs/JointState",
            header=header(at.time, ""),
            name=[joint.partition(SCOPE)[2] for joint in at.info.joints],
            **{each: reading[each][at.world] for each in ("position", "velocity", "effort")},
        ),
    )


def _image(at: Measured, pixels: NDArray[Any], encoding: str) -> Any:
    data = np.ascontiguousarray(pixels)
    return message(
        "sensor_msgs/Image",
        header=header(at.time, at.frame),
        height=data.shape[0],
        width=data.shape[1],
        encoding=encoding,
        is_bigendian=0,
        step=data.strides[0],
        data=np.frombuffer(data.tobytes(), dtype=np.uint8),
    )


def _camera_info(at: Measured, height: int, width: int) -> Messages:
    if at.view is None:
        return
    lens = at.view.intrinsic
    lens[:2, 2] -= 0.5  # ROS counts from the middle of the first pixel
    yield (
        "camera_info",
        message(
            "sensor_msgs/CameraInfo",
            header=header(at.time, at.frame),
            height=height,
            width=width,
            distortion_model="plumb_bob",
            d=np.zeros(5),
            k=lens.reshape(-1),
            r=np.eye(3).reshape(-1),
            p=np.column_stack([lens, np.zeros(3)]).reshape(-1),
            binning_x=0,
            binning_y=0,
            roi=message(
                "sensor_msgs/RegionOfInterest",
                x_offset=0,
                y_offset=0,
                height=0,
                width=0,
                do_rectify=False,
            ),
        ),
    )


def _pictures(at: Measured, reading: Reading) -> Messages:
    """Yields the colours, the depths [m] and the rows of links of a camera, as far as it has them.

    Depths are ``32FC1`` with inf for nothing (REP 118), rows of links ``32SC1`` with -1 for none.
    """
    height, width = 0, 0
    for quantity, ending, encoding, dtype in (
        ("rgb", "image_raw", "rgb8", np.dtype(np.uint8)),
        ("depth", "depth/image_raw", "32FC1", np.dtype("<f4")),
        ("links", "labels/image_raw", "32SC1", np.dtype("<i4")),
    ):
        if quantity in reading:
            pixels = reading[quantity][at.world].astype(dtype)
            height, width = pixels.shape[:2]
            yield ending, _image(at, pixels, encoding)
    yield from _camera_info(at, height, width)


def _value(at: Measured, reading: Reading) -> Messages:
    layout = message("std_msgs/MultiArrayLayout", dim=[], data_offset=0)
    data = np.asarray(reading["value"][at.world], dtype=np.float64).reshape(-1)
    yield "value", message("std_msgs/Float64MultiArray", layout=layout, data=data)


_KINDS: dict[str, Callable[[Measured, Reading], Messages]] = {
    "imu": _imu,
    "force_torque": _wrench("wrench", lambda at: at.frame),
    "contact": _wrench("contact", lambda at: at.world_frame),
    "lidar": _scan,
    "joint_state": _joint_state,
    "camera": _pictures,
    "rgbd": _pictures,
    "stereo": _pictures,
    "segmentation": _pictures,
    "value": _value,
}


def optical_pose(view: CameraView, link: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the optical frame of a camera in the frame of its link, (7,)."""
    camera = poses.compose(poses.inverse(link), np.asarray(view.pose, dtype=np.float64))
    pose: NDArray[np.float64] = poses.compose(camera, OPTICAL)
    return pose
