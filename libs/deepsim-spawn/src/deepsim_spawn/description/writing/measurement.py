# SPDX-License-Identifier: Apache-2.0
"""Measurements of a sensor, as elements of its `<sensor>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.measurement import (
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
)

from .values import put

if TYPE_CHECKING:
    from deepsim_spawn.description.measurement import Measurement
    from deepsim_sync import Noise

_NOISE = {
    "mean": "mean",
    "stddev": "stddev",
    "bias_mean": "bias_mean",
    "bias_stddev": "bias_stddev",
    "drift_stddev": "dynamic_bias_stddev",
    "drift_time": "dynamic_bias_correlation_time",
    "precision": "precision",
}


def write_measurement(sensor: etree._Element, measurement: Measurement) -> None:
    """Adds it to a sensor."""
    if isinstance(measurement, Imu):
        _write_axes(sensor, "imu/angular_velocity", measurement.angular_velocity)
        _write_axes(sensor, "imu/linear_acceleration", measurement.linear_acceleration)
    elif isinstance(measurement, ForceTorque):
        put(sensor, "force_torque/frame", "sensor")
        put(sensor, "force_torque/measure_direction", "parent_to_child")
        _write_axes(sensor, "force_torque/force", measurement.force)
        _write_axes(sensor, "force_torque/torque", measurement.torque)
    elif isinstance(measurement, ContactSensor):
        _write_collisions(sensor, measurement)
    elif isinstance(measurement, JointState):
        _write_joints(sensor, measurement)
    else:
        _write_lidar(sensor, measurement)


def _write_collisions(sensor: etree._Element, contact: ContactSensor) -> None:
    element = sensor.find("contact")
    if element is None:
        element = etree.SubElement(sensor, "contact")
    for collision in element.findall("collision"):
        element.remove(collision)
    for name in contact.collisions:
        etree.SubElement(element, "collision").text = name


def _write_joints(sensor: etree._Element, state: JointState) -> None:
    for old in sensor.findall("joint_state"):
        sensor.remove(old)
    element = etree.SubElement(sensor, "joint_state")
    for name in state.joints:
        etree.SubElement(element, "joint").text = name
    for name in ("position", "velocity", "effort"):
        column = etree.SubElement(element, name)
        for noise in getattr(state, name):
            added = etree.SubElement(column, "noise", type=_kind(noise))
            for parameter, tag in _NOISE.items():
                put(added, tag, getattr(noise, parameter))


def _write_lidar(sensor: etree._Element, lidar: Lidar) -> None:
    tag = "lidar" if sensor.find("lidar") is not None else "ray"
    for axis, rays in (("horizontal", lidar.horizontal), ("vertical", lidar.vertical)):
        put(sensor, f"{tag}/scan/{axis}/samples", rays.count)
        put(sensor, f"{tag}/scan/{axis}/resolution", 1)
        put(sensor, f"{tag}/scan/{axis}/min_angle", rays.min_angle)
        put(sensor, f"{tag}/scan/{axis}/max_angle", rays.max_angle)
    put(sensor, f"{tag}/range/min", lidar.min_range)
    put(sensor, f"{tag}/range/max", lidar.max_range)
    for noise in lidar.noise:
        put(sensor, f"{tag}/noise/type", _kind(noise))
        _write_noise(sensor, f"{tag}/noise", noise)


def _write_axes(sensor: etree._Element, path: str, noise: tuple[Noise, ...]) -> None:
    for axis, each in zip("xyz", noise * (3 if len(noise) == 1 else 1), strict=False):
        _write_noise(sensor, f"{path}/{axis}/noise", each)
        element = sensor.find(f"{path}/{axis}/noise")
        if element is not None:
            element.set("type", _kind(each))


def _kind(noise: Noise) -> str:
    return "gaussian_quantized" if noise.precision else "gaussian"


def _write_noise(sensor: etree._Element, path: str, noise: Noise) -> None:
    for name, tag in _NOISE.items():
        put(sensor, f"{path}/{tag}", getattr(noise, name))
