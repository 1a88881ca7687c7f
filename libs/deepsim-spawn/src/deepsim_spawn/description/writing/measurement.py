# SPDX-License-Identifier: Apache-2.0
"""Measurements of a sensor, as elements of its `<sensor>`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.measurement import (
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
)
from deepsim_spawn.description.tags import NOISE, QUANTIZED

from .document import at, put, put_fields

if TYPE_CHECKING:
    from deepsim_spawn.description.measurement import Measurement
    from deepsim_sync import Noise


def write_measurement(sensor: etree._Element, measurement: Measurement) -> None:
    """Adds a measurement to a sensor."""
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
    element = at(sensor, "contact")
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
            _write_noise(etree.SubElement(column, "noise"), noise)


def _write_lidar(sensor: etree._Element, lidar: Lidar) -> None:
    ray = at(sensor, "lidar" if sensor.find("lidar") is not None else "ray")
    for axis, rays in (("horizontal", lidar.horizontal), ("vertical", lidar.vertical)):
        put(ray, f"scan/{axis}/samples", rays.count)
        put(ray, f"scan/{axis}/resolution", 1)
        put(ray, f"scan/{axis}/min_angle", rays.min_angle)
        put(ray, f"scan/{axis}/max_angle", rays.max_angle)
    put(ray, "range/min", lidar.min_range)
    put(ray, "range/max", lidar.max_range)
    write_noise(ray, lidar.noise)


def write_noise(owner: etree._Element, noise: Sequence[Noise]) -> None:
    """Adds the noise of a lidar or camera, with its type as an element."""
    for each in noise:
        put(owner, "noise/type", _kind(each))
        put_fields(at(owner, "noise"), each, NOISE | QUANTIZED)


def _write_axes(sensor: etree._Element, path: str, noise: tuple[Noise, ...]) -> None:
    for axis, each in zip("xyz", noise * (3 if len(noise) == 1 else 1), strict=False):
        _write_noise(at(sensor, f"{path}/{axis}/noise"), each)


def _write_noise(element: etree._Element, noise: Noise) -> None:
    element.set("type", _kind(noise))
    put_fields(element, noise, NOISE | QUANTIZED)


def _kind(noise: Noise) -> str:
    return "gaussian_quantized" if noise.precision else "gaussian"
