# SPDX-License-Identifier: Apache-2.0
"""Sensors on MuJoCo: exact physics, no missed touch, worlds by themselves, no cost unread."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deepsim_math import Pose, Quaternion
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    CollisionDescription,
    ContactSensor,
    ForceTorque,
    Imu,
    Inertial,
    JointAxis,
    JointDescription,
    JointState,
    Lidar,
    LinkDescription,
    ModelDescription,
    Plane,
    Rays,
    SensorDescription,
    Sphere,
)
from deepsim_sync import Noise, SpawnError, World

G = 9.8
FLOOR = ModelDescription(
    "floor",
    links=(LinkDescription("l", collisions=(CollisionDescription("c", Plane((0, 0, 1))),)),),
    static=True,
)
DT = 0.001


def sensor(name: str, measurement: Any, **settings: Any) -> SensorDescription:
    return SensorDescription(name, measurement=measurement, **settings)


BALL = ModelDescription(
    "ball",
    links=(
        LinkDescription(
            "l",
            inertial=Inertial(mass=2, ixx=0.02, iyy=0.02, izz=0.02),
            collisions=(CollisionDescription("c", Sphere(0.1)),),
            sensors=(
                sensor("imu", Imu()),
                sensor("touch", ContactSensor()),
                sensor("scan", Lidar(Rays(9, -1.0, 1.0))),
            ),
        ),
    ),
)
WAGON = ModelDescription(
    "wagon",
    links=(
        LinkDescription(
            "l",
            inertial=Inertial(mass=4, ixx=0.1, iyy=0.1, izz=0.1),
            collisions=tuple(
                CollisionDescription(f"foot {x} {y}", Sphere(0.05), Pose((0.3 * x, 0.2 * y, 0)))
                for x in (-1, 1)
                for y in (-1, 1)
            ),
            sensors=(
                sensor("all", ContactSensor()),
                sensor("left", ContactSensor(("foot -1 1", "foot 1 1"))),
                sensor("one", ContactSensor(("foot 1 1",))),
                sensor("none of these", ContactSensor(("unknown",))),
            ),
        ),
    ),
)


def make(*models: tuple[ModelDescription, Any], worlds: int = 1, steps: int = 1) -> World:
    world = World(MujocoSimulator(worlds=worlds), steps_per_tick=steps)
    for model, pose in models:
        world.spawn(model, model.name, pose)
    return world


def test_air_times_are_exact_in_steps() -> None:
    """However many steps a tick has."""
    counted = []
    for steps in (1, 7, 40):
        world = make((FLOOR, Pose()), (BALL, Pose((0, 0, 0.3))), steps=steps)
        touch, last = world.sensors["ball::l::touch"], 0.0
        for _ in range(280 // steps):
            world.tick()
            last = last or float(touch.last_air_time[0])
        counted.append(last)
        assert touch.contact_time[0] + touch.air_time[0] > 0
    free_steps = next(
        n for n in range(1000) if 0.3 - G * DT * DT * n * (n + 1) / 2 <= 0.1
    )  # semi-implicit Euler
    assert counted == pytest.approx([free_steps * DT] * 3, abs=1e-12)


def test_contact_sensors_bear_the_weight_together_and_by_foot() -> None:
    """A link on four feet, of which sensors feel all, two, or one."""
    world = make((FLOOR, Pose()), (WAGON, Pose((0, 0, 0.05))), steps=10)
    sensors = {name: world.sensors[f"wagon::l::{name}"] for name in ("all", "left", "one")}
    other = world.sensors["wagon::l::none of these"]
    for _ in range(100):
        world.tick()
    weight = 4 * G
    for name, share, place in (
        ("all", 1.0, (0, 0)),
        ("left", 0.5, (0, 0.2)),
        ("one", 0.25, (0.3, 0.2)),
    ):
        force = sensors[name].force[0]
        assert force == pytest.approx([0, 0, share * weight], abs=1e-3 * weight)
        assert sensors[name].position[0, :2] == pytest.approx(place, abs=1e-3)
        assert sensors[name].torque[0] == pytest.approx([0, 0, 0], abs=1e-2)
        assert sensors[name].normal[0] == pytest.approx([0, 0, 1])
        assert abs(sensors[name].distance[0]) < 1e-3
    assert (other.force == sensors["all"].force).all()
    points = world.simulator.contacts.read()
    assert points.force[:, 2].sum() == pytest.approx(weight, rel=1e-3)


def pendulum(*sensors: SensorDescription) -> ModelDescription:
    """An arm of 2 kg, .3 m long, on a hinge about y."""
    inertial = Inertial(mass=2, pose=Pose((0.3, 0, 0)), ixx=0.02, iyy=0.02, izz=0.02)
    return ModelDescription(
        "pendulum",
        links=(
            LinkDescription("base", inertial=Inertial(mass=5, ixx=1, iyy=1, izz=1)),
            LinkDescription("arm", inertial=inertial, sensors=sensors),
        ),
        joints=(
            JointDescription("foot", "fixed", "world", "base"),
            JointDescription("hinge", "revolute", "base", "arm", axis=JointAxis((0, 1, 0))),
        ),
    )


def test_a_swinging_arm_feels_its_acceleration() -> None:
    """At the moment of release: angular acceleration m g l / (I + m l^2), and the rest is held."""
    turn = Quaternion.from_euler(0, 0, math.pi / 2)
    model = pendulum(
        sensor("felt", ForceTorque()),
        sensor("turned", ForceTorque(), pose=Pose((0, 0, 0), turn)),
        sensor("tip", Imu(), pose=Pose((0.6, 0, 0))),
    )
    world = make((model, Pose((0, 0, 2))))
    names = ("felt", "turned", "tip")
    felt, turned, tip = (world.sensors[f"pendulum::arm::{name}"] for name in names)
    world.tick()
    alpha = 2 * G * 0.3 / (0.02 + 2 * 0.3**2)
    held = 2 * G - 2 * alpha * 0.3
    assert felt.force[0] == pytest.approx([0, 0, held], abs=1e-6)
    assert felt.torque[0] == pytest.approx([0, 0, 0], abs=1e-6)
    assert turned.force[0] == pytest.approx([0, 0, held], abs=1e-6)
    # The unit turns by alpha dt^2 in this step, and measures in its axes after it.
    assert tip.linear_acceleration[0] == pytest.approx([0, 0, G - alpha * 0.6], abs=1e-3)
    assert tip.angular_velocity[0] == pytest.approx([0, alpha * DT, 0], rel=1e-6)
    for _ in range(300):
        world.tick()
    force, torque = felt.force[0], felt.torque[0]
    assert turned.force[0] == pytest.approx([force[1], -force[0], force[2]], abs=1e-9)
    assert turned.torque[0] == pytest.approx([torque[1], -torque[0], torque[2]], abs=1e-9)
    # Towards the hinge: weight along the arm, and the centripetal force m v^2 / l.
    q, rate = world.joints.position[0, 0], world.joints.velocity[0, 0]
    assert force[0] == pytest.approx(-2 * (G * math.sin(q) + rate**2 * 0.3), rel=0.02)


def test_an_imu_feels_the_forces_of_a_tick() -> None:
    """A body that a force holds in the air, as rotors do, feels its weight."""
    world = make((BALL, Pose((0, 0, 5))), steps=10)
    imu = world.sensors["ball::l::imu"]
    for _ in range(20):
        world.links.force = [[[0, 0, 2 * G]]]
        world.tick()
        assert imu.linear_acceleration[0] == pytest.approx([0, 0, G], abs=1e-9)
    assert world.models.pose[0, 0, 2] == pytest.approx(5.0)


def test_a_world_that_is_reset_measures_its_beginning() -> None:
    """In the air again, it feels nothing, while the others rest."""
    world = make((FLOOR, Pose()), (BALL, Pose((0, 0, 0.3))), worlds=3, steps=10)
    imu, touch = world.sensors["ball::l::imu"], world.sensors["ball::l::touch"]
    for _ in range(200):
        world.tick()
    assert imu.linear_acceleration[:, 2] == pytest.approx([G] * 3, rel=1e-3)
    world.reset(worlds=[1])
    assert imu.linear_acceleration[:, 2] == pytest.approx([G, 0, G], rel=1e-3)
    assert touch.found.tolist() == [True, False, True]
    assert touch.force[:, 2] == pytest.approx([2 * G, 0, 2 * G], rel=1e-3)


def test_a_first_read_measures_the_present() -> None:
    """Also where the poses of links were derived before anybody watched."""
    world = make((pendulum(sensor("tip", Imu(), pose=Pose((0.6, 0, 0)))), Pose((0, 0, 2))))
    for _ in range(100):
        world.tick()
    turn = world.links.select(["pendulum::arm"]).pose[0, 0, 3:]
    rate = float(world.joints.velocity[0, 0])
    tip = world.sensors["pendulum::arm::tip"]
    assert abs(rate) > 1.0
    assert tip.angular_velocity[0] == pytest.approx([0, rate, 0])
    assert abs(tip.orientation[0] @ turn) == pytest.approx(1)


def test_an_imu_of_a_free_body_has_the_pose_and_the_spin_of_its_link() -> None:
    """Seen from its own place, also where it is mounted askew."""
    askew = Quaternion.from_euler(0.3, -0.8, 2.0)
    (link,) = BALL.links
    sensors = (sensor("imu", Imu()), sensor("askew", Imu(), pose=Pose((0.1, 0, 0), askew)))
    model = replace(BALL, links=(replace(link, sensors=sensors),))
    world = make((model, Pose((0, 0, 5))), worlds=3)
    plain, turned = (world.sensors[f"ball::l::{name}"] for name in ("imu", "askew"))
    world.models.twist = [[[0, 0, 0, 1, -2, 3]], [[1, 0, 0, 0, 0, -1]], [[0, 0, 0, 0, 0, 0]]]
    for _ in range(50):
        world.tick()
    place, spin = world.links.pose[:, 0, 3:], world.links.twist[:, 0, 3:]
    np.testing.assert_array_equal(plain.orientation, place)
    for world_number in range(3):
        body = Quaternion(*place[world_number])
        for imu, mount in ((plain, Quaternion()), (turned, askew)):
            seen = body @ mount
            own = seen.inverse().rotate(spin[world_number])
            assert imu.angular_velocity[world_number] == pytest.approx(own, abs=1e-12)
            assert abs(np.dot(imu.orientation[world_number], seen)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    "names",
    [("all", "left", "one", "none of these"), ("all", "left", "one"), ("one", "all"), ("left",)],
)
def test_contact_sensors_measure_together_as_each_alone(names: tuple[str, ...]) -> None:
    """Bit for bit, whether some worlds step, are reset, or all rest."""
    pose = np.array([[0, 0, z, 0, 0, 0, 1] for z in (0.05, 0.2, 0.6)])
    world = make((FLOOR, Pose()), (WAGON, pose), worlds=3, steps=7)
    singles = [world.sensors[f"wagon::l::{name}"] for name in names]
    rows = world.sensors.select([each.name for each in singles])
    for tick in range(90):
        world.tick([0, 2] if tick % 10 == 3 else None)
        if tick == 60:
            world.reset(worlds=[1])
        together = rows.read()
        assert list(together) == list(singles[0].read())
        for quantity, values in together.items():
            expected = np.stack([each.read()[quantity] for each in singles], axis=1)
            np.testing.assert_array_equal(values, expected, err_msg=f"{quantity}, {tick}")
            assert not values.flags.writeable


def test_a_reading_stays_what_it_was_whenever_it_is_looked_at() -> None:
    """Quantities of contacts are computed late, and are those of the instant of the reading."""
    early, late = (
        make((FLOOR, Pose()), (WAGON, Pose((0, 0, 0.2))), worlds=2, steps=5) for _ in range(2)
    )
    readings = []
    for tick in range(60):
        for world in (early, late):
            world.tick()
            if tick == 40:
                world.reset(worlds=[0])
        at_once, kept = (world.sensors["wagon::l::left"].read() for world in (early, late))
        readings.append(({name: values.copy() for name, values in at_once.items()}, kept))
    assert any(first["first_contact"].any() for first, _ in readings)
    for first, kept in readings:
        for quantity, values in first.items():
            np.testing.assert_array_equal(kept[quantity], values, err_msg=quantity)


def run(world: World, names: list[str], ticks: int) -> list[bytes]:
    """The bits of all that is measured in the last world."""
    bits = []
    for tick in range(ticks):
        world.tick()
        if tick == ticks // 2:
            world.reset(worlds=[len(world) - 1])
        reading = [world.sensors[name].read() for name in names]
        bits.append(b"".join(each[-1].tobytes() for one in reading for each in one.values()))
    return bits


def noisy(model: ModelDescription) -> ModelDescription:
    (link,) = model.links
    imu = sensor("imu", Imu((Noise(stddev=1.0, bias_stddev=1.0),)), update_rate=100, delay=0.015)
    return replace(model, links=(replace(link, sensors=(imu, *link.sensors[1:])),))


def test_snapshots_hold_measurements() -> None:
    world = make((FLOOR, Pose()), (noisy(BALL), Pose((0, 0, 0.3))), worlds=2, steps=7)
    names = ["ball::l::imu", "ball::l::touch"]
    run(world, names, 29)
    state = world.get_state()
    at_once = world.sensors["ball::l::touch"].read()
    first = run(world, names, 20)
    world.set_state(state)
    again = world.sensors["ball::l::touch"].read()
    assert all((again[name] == values).all() for name, values in at_once.items())
    assert run(world, names, 20) == first


def test_measuring_does_not_change_the_physics() -> None:
    """The states of a run have the same bits with and without sensors that are read."""

    def states(*, measures: bool) -> list[bytes]:
        world = make((FLOOR, Pose()), (WAGON, Pose((0, 0, 0.3))), (BALL, Pose((0, 0, 2))), steps=5)
        found = []
        for _ in range(150):
            world.tick()
            if measures:
                for each in world.sensors.values():
                    each.read()
            found.append(world.models.pose.tobytes() + world.models.twist.tobytes())
        return found

    assert states(measures=True) == states(measures=False)


def test_sensors_go_on_when_models_come_and_go() -> None:
    world = make((FLOOR, Pose()), (BALL, Pose((0, 0, 0.1))), steps=10)
    imu, touch = world.sensors["ball::l::imu"], world.sensors["ball::l::touch"]
    for _ in range(100):
        world.tick()
    world.spawn(WAGON, "wagon", Pose((3, 0, 1)))
    assert imu.linear_acceleration[0] == pytest.approx([0, 0, G], abs=0.01)
    world.tick()
    assert touch.force[0, 2] == pytest.approx(2 * G, rel=1e-3)
    assert touch.contact_time[0] > 0.5


def test_a_lidar_in_a_crowd_sees_others_and_never_itself() -> None:
    """A robot of several links around its lidar; a wall is beyond the range, another too near."""
    around = [
        CollisionDescription(
            f"c{i}", Box((0.2, 0.2, 0.2)), Pose((0.5 * math.cos(i), 0.5 * math.sin(i), 0))
        )
        for i in range(7)
    ]
    scan = sensor("scan", Lidar(Rays(360, -math.pi, math.pi * 179 / 180), max_range=4, min_range=1))
    robot = ModelDescription(
        "robot",
        links=(LinkDescription("l", collisions=tuple(around), sensors=(scan,)),),
        static=True,
    )
    world = make((robot, Pose()))
    lidar = world.sensors["robot::l::scan"]
    assert np.isinf(lidar.ranges).all()
    wall = ModelDescription(
        "wall",
        links=(LinkDescription("l", collisions=(CollisionDescription("c", Box((0.2, 9, 9))),)),),
        static=True,
    )
    for name, x in (("far", 5.0), ("near", -0.9), ("seen", 2.0)):
        world.spawn(wall, name, Pose((x, 0, 0)))
    world.tick()
    ranges = lidar.ranges[0, 0]
    assert ranges[180] == pytest.approx(1.9, abs=1e-9)
    assert ranges[0] == -np.inf
    assert np.isposinf(ranges[90])


def swinging(sees_own: bool) -> ModelDescription:
    """A lidar in a housing, on a mast; a ball at 1 m around it, on a hinge of the base."""
    scan = sensor("scan", Lidar(Rays(5, -0.2, 0.2), max_range=9, sees_own=sees_own))
    housing = CollisionDescription("housing", Box((0.1, 0.1, 0.1)))
    ball = CollisionDescription("ball", Sphere(0.1), Pose((1, 0, 1)))
    return ModelDescription(
        "robot",
        links=(
            LinkDescription("base", inertial=Inertial(mass=9)),
            LinkDescription("mast", collisions=(housing,), sensors=(scan,), pose=Pose((0, 0, 1))),
            LinkDescription("arm", inertial=Inertial(mass=1), collisions=(ball,)),
        ),
        joints=(
            JointDescription("foot", "fixed", "world", "base"),
            JointDescription("mount", "fixed", "base", "mast"),
            JointDescription("hinge", "revolute", "base", "arm", axis=JointAxis((0, 0, 1))),
        ),
    )


@pytest.mark.parametrize("sees_own", [False, True])
def test_a_lidar_sees_its_own_robot_if_asked(sees_own: bool) -> None:
    """The ball of its arm where it is in each world, but never the link that carries the lidar."""
    turns = [0.05, 0.17, 1.5]
    world = make((swinging(sees_own), Pose((3, 0, 0))), worlds=len(turns))
    world.joints.select(["robot::hinge"]).position = np.array(turns)[:, None]
    world.flush()
    ranges = world.sensors["robot::mast::scan"].ranges[:, 0]
    for turn, found in zip(turns, ranges, strict=True):
        for angle, distance in zip(np.linspace(-0.2, 0.2, 5) - turn, found, strict=True):
            met = sees_own and abs(math.sin(angle)) < 0.1
            nearest = math.cos(angle) - math.sqrt(max(0.0, 0.01 - math.sin(angle) ** 2))
            assert distance == pytest.approx(nearest if met else math.inf, abs=1e-9)


def test_a_lidar_of_a_static_model_sees_its_other_links_if_asked() -> None:
    robot = replace(swinging(True), joints=(), static=True)
    world = make((robot, Pose()), (FLOOR, Pose()))
    assert world.sensors["robot::mast::scan"].ranges[0, 0, 2] == pytest.approx(0.9, abs=1e-9)


def test_a_joint_state_sensor_of_no_joint_is_refused() -> None:
    """The message names the sensor, the joint and those that there are."""
    model = pendulum(sensor("encoder", JointState(("elbow",))))
    match = r"'pendulum::arm::encoder' reads joint 'pendulum::elbow'.*pendulum::hinge"
    with pytest.raises(SpawnError, match=match):
        make((model, Pose()))
