# SPDX-License-Identifier: Apache-2.0
"""Sensors, contacts and physics properties, over a simulated server."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator, MalformedReplyError
from deepsim_math import Pose
from deepsim_sync import QUANTITIES, Noise, SensorKind, SpawnRequest, UnknownEntityError

NOISE = "<noise type='gaussian'><stddev>0.1</stddev><bias_mean>0.2</bias_mean></noise>"
IMU = f"""<sensor name="imu" type="imu"><update_rate>50</update_rate><imu><angular_velocity>
    <y>{NOISE}</y></angular_velocity></imu></sensor>"""
TOUCH = '<sensor name="touch" type="contact"/>'
SCAN = """<sensor name="scan" type="ray"><ray><range><min>0.1</min><max>20</max></range>
    <noise><type>gaussian</type><stddev>0.01</stddev></noise></ray></sensor>"""

EYE = "<camera><pose>0 {} 0 0 0 0</pose></camera>"
CAMERAS = {
    "colour": '<sensor name="colour" type="camera"><update_rate>10</update_rate></sensor>',
    "depth": '<sensor name="depth" type="depth"/>',
    "rows": '<sensor name="rows" type="segmentation_camera"/>',
    "pair": f'<sensor type="multicamera">{EYE.format(0)}{EYE.format(0.25)}</sensor>',
    "three": f'<sensor type="multicamera">{EYE.format(0) * 3}</sensor>',
}


@pytest.fixture
def ball(simulator: GazeboSimulator, server: Any) -> GazeboSimulator:
    """A ball with an imu, a contact sensor, a lidar of 2 rows of 3 rays, and cameras."""
    server.sensors = [
        ("ball::link::imu", IMU, 0, 0, 0),
        ("ball::link::touch", TOUCH, 2, 0, 0),
        ("ball::link::scan", SCAN, 3, 2, 3),
        *((f"ball::link::{name}", text, 5, 0, 0) for name, text in CAMERAS.items()),
    ]
    server.measurements = [list(range(10)), [1, *range(1, 19)], [1, 2, 3, 4, 5, math.inf]]
    server.factors = np.ones((1, 6))
    simulator.spawn([SpawnRequest("free", "ball", Pose())])
    server.calls.clear()
    return simulator


def test_descriptions_have_rates_noise_and_limits(ball: GazeboSimulator) -> None:
    """As their SDF says; cameras come after them."""
    infos = ball.sensors.infos
    assert [name.rpartition("::")[2] for name in infos] == ["imu", "touch", "scan", *CAMERAS]
    assert infos["ball::link::colour"].update_rate == 10.0
    imu, scan = infos["ball::link::imu"], infos["ball::link::scan"]
    assert (imu.kind, imu.update_rate) == ("imu", 50.0)
    assert imu.noise["angular_velocity"] == (
        Noise(),
        Noise(stddev=0.1, bias_mean=0.2),
        Noise(),
    )
    assert imu.noise["linear_acceleration"] == ()
    assert scan.limits == (0.1, 20.0)
    assert scan.noise["ranges"] == (Noise(stddev=0.01),)
    assert ball.sensors.infos is infos


def test_a_measurement_has_all_quantities(ball: GazeboSimulator) -> None:
    """In the order of `QUANTITIES`, cut out of what the server measured."""
    sensors = ball.sensors
    imu = sensors.read("ball::link::imu")
    assert tuple(imu) == QUANTITIES["imu"]
    assert [each.tolist() for each in imu.values()] == [[[0, 1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]
    touch = sensors.read("ball::link::touch")
    assert tuple(touch) == QUANTITIES["contact"]
    assert (touch["found"].tolist(), touch["first_contact"].tolist()) == ([True], [True])
    assert touch["position"].tolist() == [[7, 8, 9]]
    assert touch["distance"].tolist() == [10]
    assert touch["normal"].tolist() == [[11, 12, 13]]
    assert touch["contact_time"].tolist() == [18]
    scan = sensors.read("ball::link::scan")
    np.testing.assert_array_equal(scan["ranges"], [[[1, 2, 3], [4, 5, math.inf]]])


def test_measurements_come_with_the_step(ball: GazeboSimulator, server: Any) -> None:
    """Those that were read since the last one; a write makes them out of date."""
    sensors = ball.sensors
    sensors.read("ball::link::imu")
    ball.step(1)
    server.calls.clear()
    sensors.read("ball::link::imu")
    sensors.read("ball::link::imu")
    assert server.calls == []
    server.measurements[0] = [9.0] * 10
    ball.step(1)
    assert server.calls == ["exchange"]
    assert (sensors.read("ball::link::imu")["orientation"] == 9.0).all()
    ball.step(1)
    ball.step(1)  # nobody read it
    server.calls.clear()
    sensors.read("ball::link::imu")
    assert server.calls == ["exchange"]


def test_sensors_are_watched_by_name(ball: GazeboSimulator, server: Any) -> None:
    """Contacts too, once their forces are asked for; an unknown name is refused."""
    ball.sensors.watch("ball::link::touch")
    server.points = [[0, -1, 1, 2, 3, 0, 0, -1, 0.01, 0, 0, -9.8]]
    points = ball.contacts.read()
    assert server.watched == ["ball::link::touch", "contacts"]
    assert points.links.tolist() == [[0, -1]]
    assert points.position.tolist() == [[1, 2, 3]]
    assert (points.depth.tolist(), points.force.tolist()) == ([0.01], [[0, 0, -9.8]])
    for call in (ball.sensors.watch, ball.sensors.read):
        with pytest.raises(UnknownEntityError, match="ball::link::radar"):
            call("ball::link::radar")


def test_too_few_numbers_are_malformed(ball: GazeboSimulator, server: Any) -> None:
    server.measurements[0] = [1.0]
    with pytest.raises(MalformedReplyError, match="1 numbers for sensors"):
        ball.sensors.read("ball::link::imu")
    server.points = [[1.0] * 11]
    with pytest.raises(MalformedReplyError, match="11 numbers"):
        ball.contacts.read()
    server.kinematics = [1.0]
    with pytest.raises(MalformedReplyError, match="1 numbers for 1 links"):
        ball.dynamics.bias_forces([])


def test_factors_follow_their_links(ball: GazeboSimulator, server: Any) -> None:
    """Rows that another client has moved meanwhile are found again by name."""
    assert list(ball.entities.links) == ["ball::link"]
    server.world.spawn([SpawnRequest(server.shapes["free"], "other", np.array([[0.0] * 6 + [1]]))])
    server.world.delete("ball")
    server.world.spawn([SpawnRequest(server.shapes["free"], "ball", np.array([[0.0] * 6 + [1]]))])
    server.factors = np.ones((2, 6))
    ball.physics.scale("friction", ["ball::link"], 3.0)
    assert server.factors[:, 2].tolist() == [1.0, 3.0]
    assert ball.physics.factors("friction").tolist() == [[1.0, 3.0]]


@pytest.mark.parametrize(
    ("name", "kind", "pictures"),
    [
        ("colour", "camera", 1),
        ("depth", "rgbd", 1),
        ("rows", "segmentation", 1),
        ("pair", "stereo", 2),
        ("three", "camera", 1),
    ],
)
def test_a_camera_measures_by_its_type(
    ball: GazeboSimulator, server: Any, name: str, kind: SensorKind, pictures: int
) -> None:
    """A pair of cameras side by side takes two pictures, all others one."""
    sensor = f"ball::link::{name}"
    assert ball.sensors.infos[sensor].kind == kind
    server.cameras = (sensor,)
    server.calls.clear()
    reading = ball.sensors.read(sensor)
    assert tuple(reading) == QUANTITIES[kind]
    assert all(values.shape[:3] == (1, 2, 4) for values in reading.values())
    assert server.calls == ["get_image"] * pictures
    if kind == "stereo":  # to the right of the left one, by its distance
        assert server.aimed[:4] == ("", 0, -0.25, 1)
