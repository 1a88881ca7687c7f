# SPDX-License-Identifier: Apache-2.0
"""Wheels that are cylinders turn robots as quasi-static theory says; see `wheel_scenes`."""

from __future__ import annotations

import math
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from wheel_scenes import (
    DIFFERENTIAL,
    RADIUS,
    SKID,
    Drive,
    braked,
    circling,
    quasi_static,
    robot,
    turning,
)

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel, WorldDescription
from deepsim_sync import World

STEPS = pytest.mark.parametrize("step", [0.001, 0.002, 0.005])


def test_the_theory_is_that_of_a_rigid_line() -> None:
    """Without lag, wheels of width w and track b turn at 1 / (1 + w^2 / (2 b^2)) of no slip."""
    for width in (0.05, 0.02, 0.002):
        rate = quasi_static(DIFFERENTIAL, 1e9, 8.0, width)
        assert rate / 0.8 == pytest.approx(1 / (1 + width**2 / (2 * 0.4**2)), abs=2e-3)
    assert quasi_static(SKID, 1e9, 8.0) == pytest.approx(0.39, abs=0.005)


@STEPS
def test_a_robot_moves_as_in_plain_mujoco_with_its_settings(step: float) -> None:
    """The ground is slipperier than the wheels, whose softness and servos' inertia still count."""
    hard, soft = f'solref="{3 * step} 1.5" solimp="0.99 0.99 0.001"', 'solimp="0.01 0.99 0.0005"'
    spin, tilt = 0.5 * RADIUS**2 / 2, math.pi / 2 + 1e-5  # cylinders lean by 1e-5 rad
    wheels = "".join(
        f"""<body pos="0 {y} 0"><joint name="j{y}" axis="0 1 0"/><inertial pos="0 0 0" mass="0.5"
        diaginertia="{spin / 2 + 1e-4} {spin} {spin / 2 + 1e-4}"/><geom name="w{y}" type="cylinder"
        size="{RADIUS} 0.025" quat="{math.cos(tilt / 2)} {math.sin(tilt / 2)} 0 0"/></body>"""
        for y in (0.2, -0.2)
    )
    pairs = "".join(
        f'<pair geom1="floor" geom2="w{y}" friction="0.6 0.6 0 0 0" {hard.split(" solimp")[0]} '
        f"{soft}/>"
        for y in (0.2, -0.2)
    )
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{step}" gravity="0 0 -9.81" integrator="implicitfast"
        cone="elliptic" impratio="10" tolerance="1e-10"/><worldbody><geom name="floor" type="plane"
        size="9 9 1"/><body pos="0 0 {RADIUS}"><freejoint/><inertial pos="-0.05 0 0" mass="8"
        diaginertia="0.072 0.168 0.232"/><geom name="caster" size="0.03" pos="-0.2 0 -0.05"/>
        {wheels}</body></worldbody><contact>{pairs}<pair geom1="floor" geom2="caster" {hard}
        friction="1e-5 1e-5 0 0 0"/></contact><actuator><velocity joint="j0.2" kv="50"/>
        <velocity joint="j-0.2" kv="50"/></actuator></mujoco>"""
    )
    carried = 9.0 / 2 * RADIUS**2
    share = 0.1 * max(1.0, step / 0.001) ** 2 * carried
    model.dof_armature[6:] = min(max(share, 0.05 * 50 * step), 0.5 * 50 * step)
    data = mujoco.MjData(model)
    drive = Drive(robot(DIFFERENTIAL), 50.0, 2, step, mu=0.6)
    for _ in range(round(0.2 / step)):
        mujoco.mj_step(model, data)
    data.ctrl[:] = 1.0, 6.0
    for _ in range(round(0.5 / step)):
        mujoco.mj_step(model, data)
    drive.run(0.5, [1.0, 6.0])
    assert drive.place == pytest.approx(data.qpos[:3], abs=1e-4)
    assert drive.body.twist[0, 0, 5] == pytest.approx(data.qvel[5], abs=5e-3)


@STEPS
@pytest.mark.parametrize("width", [0.05, 0.02, 0.002])
def test_a_differential_drive_turns_on_the_spot(step: float, width: float) -> None:
    theory = quasi_static(DIFFERENTIAL, 50.0, 8.0, width)
    assert turning(DIFFERENTIAL, 50.0, 8.0, step, width) == pytest.approx(theory, rel=0.05)


@STEPS
@pytest.mark.parametrize(
    ("damping", "load"), [(50.0, 1.0), (50.0, 8.0), (5.0, 8.0), (50.0, 80.0), (500.0, 80.0)]
)
def test_skid_steering_turns_on_the_spot(step: float, damping: float, load: float) -> None:
    """Servos of 50 N m s/rad on 1 kg at 5 ms turned it 12 times too fast."""
    theory = quasi_static(SKID, damping, load)
    assert turning(SKID, damping, load, step) == pytest.approx(theory, rel=0.05)


def turned(drive: Drive) -> float:
    """Returns the mean yaw rate of a robot on four wheels that turns on the spot."""
    drive.run(0.8, [-2.0, 2.0, -2.0, 2.0])
    return float(drive.run(1.0)[:, 5].mean())


@STEPS
@pytest.mark.parametrize("damping", [500.0, 5000.0])
def test_a_heavy_robot_on_large_wheels_turns_on_the_spot(step: float, damping: float) -> None:
    """Of 180 kg, on wheels of 0.3 m; at 5 ms it turned at 0.64 of theory, because it hopped."""
    places = [(3.5 * x, 3.5 * y) for x, y in SKID]
    model = robot(places, 0.2, 150.0, radius=0.3, mass=8.0)
    theory = quasi_static(places, damping, 150.0, 0.2, 0.3, 8.0)
    assert turned(Drive(model, damping, 4, step, height=0.3)) == pytest.approx(theory, rel=0.05)


@STEPS
@pytest.mark.parametrize("shape", ["capsule", "sphere", "mesh"])
def test_wheels_of_any_round_shape_turn_a_robot(step: float, shape: str, tmp_path: Path) -> None:
    """A mesh is round if its rim has points all around."""
    trimesh.creation.cylinder(RADIUS, 0.05, sections=48).export(tmp_path / "wheel.stl")
    size = f"<radius>{RADIUS}</radius>" + "<length>0.05</length>" * (shape == "capsule")
    rim = f"<{shape}>{'<uri>wheel.stl</uri>' if shape == 'mesh' else size}</{shape}>"
    text = re.sub("<cylinder>.*?</cylinder>", rim, robot(SKID).to_sdf(), flags=re.DOTALL)
    model = GazeboXMLLoader(tmp_path).load_model(text)
    theory = quasi_static(SKID, 50.0, 8.0)
    assert turned(Drive(model, 50.0, 4, step)) == pytest.approx(theory, rel=0.05)


def mjcf_robot(settings: str = "") -> MjcfModel:
    """Returns the robot on four wheels as MJCF, whose wheels have some settings."""
    spin = WHEEL_INERTIA
    wheels = "".join(
        f"""<body name="w{i}" pos="{x} {y} 0"><joint name="w{i} axle" axis="0 1 0"/><inertial
        pos="0 0 0" mass="0.5" diaginertia="{spin / 2 + 1e-4} {spin} {spin / 2 + 1e-4}"/>
        <geom type="cylinder" size="{RADIUS} 0.025" euler="90 0 0" {settings}/></body>"""
        for i, (x, y) in enumerate(SKID)
    )
    return MjcfModel(
        f"""<mujoco model="r"><worldbody><body name="base"><freejoint/><inertial pos="0 0 0"
        mass="8" diaginertia="0.072 0.168 0.232"/>{wheels}</body></worldbody></mujoco>"""
    )


@STEPS
def test_wheels_of_mjcf_turn_a_robot_on_a_described_ground(step: float) -> None:
    theory = quasi_static(SKID, 50.0, 8.0)
    assert turned(Drive(mjcf_robot(), 50.0, 4, step)) == pytest.approx(theory, rel=0.05)


def test_contact_settings_of_mjcf_stay() -> None:
    """Wheels with settings of their own are not made soft, and those without only in pairs."""
    hard = turned(Drive(mjcf_robot('solimp="0.95 0.99 0.001"'), 50.0, 4))
    assert hard < 0.7 * quasi_static(SKID, 50.0, 8.0)
    floor = '<body name="floor"><geom type="plane" size="9 9 1"/></body>'
    cart = """<body name="base" pos="0 0 0.08"><freejoint/>
    <inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/><body><joint name="j" axis="0 1 0"/>
    <geom type="cylinder" size="0.08 0.02" euler="90 0 0"/></body>
    <geom type="sphere" size="0.08" pos="0 0.3 0"/></body>"""
    world = World(MujocoSimulator(WorldDescription(gravity=(0, 0, -9.81))))
    for name, inside in (("floor", floor), ("cart", cart)):
        world.spawn(MjcfModel(f"<mujoco><worldbody>{inside}</worldbody></mujoco>"), name, Pose())
    plain = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.001" gravity="0 0 -9.81" cone="elliptic" impratio="10"
        tolerance="1e-10" integrator="implicitfast"/>
        <worldbody>{floor}{cart}</worldbody></mujoco>"""
    )
    data = mujoco.MjData(plain)
    axle, base = world.joints.select(["cart::j"]), world.links.select(["cart::base"])
    data.qvel[0], data.qvel[6], data.qpos[2] = 1.0, 3.0, base.pose[0, 0, 2]
    base.twist, axle.velocity = [[[1.0, 0, 0, 0, 0, 0]]], [[3.0]]
    for _ in range(500):
        mujoco.mj_step(plain, data)
        world.tick()
    assert axle.position[0, 0] == pytest.approx(data.qpos[7], abs=1e-6)
    assert abs(data.qpos[7]) > 1.0


@STEPS
def test_a_car_drives_in_a_circle(step: float) -> None:
    """At 5 ms its yaw rate had the wrong sign."""
    assert circling(step, 0.05) == pytest.approx(1.0, abs=0.03)
    assert circling(step, 0.02) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(("of_ground", "of_wheels"), [(0.5, 1.0), (1.0, 0.5), (0.7, 0.7)])
def test_friction_does_not_change_how_skid_steering_turns(
    of_ground: float, of_wheels: float
) -> None:
    """Without lag, the rate does not depend on the friction, nor on whose is the lower one."""
    drive = Drive(robot(SKID, mu=of_wheels), 50.0, 4, mu=of_ground)
    theory = quasi_static(SKID, 50.0 / min(of_ground, of_wheels), 8.0)
    assert turned(drive) == pytest.approx(theory, rel=0.05)


def test_a_description_says_what_is_a_wheel() -> None:
    """A rim on a joint with limits is no wheel by itself, and one without need not be one."""
    text = robot(SKID).to_sdf()
    never = text.replace("</surface>", "<wheel>false</wheel></surface>")
    drive = Drive(GazeboXMLLoader().load_model(never), 50.0, 4)
    assert turned(drive) < 0.6 * quasi_static(SKID, 50.0, 8.0)
    limits = "<limit><lower>-1000</lower><upper>1000</upper></limit>"
    limited = re.sub(r"<limit>.*?</limit>", limits, text, flags=re.DOTALL)
    limited = limited.replace("</surface>", "<wheel>true</wheel></surface>")
    drive = Drive(GazeboXMLLoader().load_model(limited), 5.0, 4)
    assert turned(drive) == pytest.approx(quasi_static(SKID, 5.0, 8.0), rel=0.05)


def test_a_robot_goes_straight_as_far_as_its_wheels_roll() -> None:
    drive = Drive(robot(DIFFERENTIAL), 50.0, 2)
    drive.run(1.0, [5.0, 5.0])
    start, angle = drive.place, drive.wheels.position[0, 0]
    drive.run(2.0)
    way, rolled = drive.place - start, RADIUS * (drive.wheels.position[0, 0] - angle)
    assert way[0] == pytest.approx(rolled, rel=0.003)
    assert abs(way[1]) < 2e-4


def test_a_robot_stands_where_it_is_put() -> None:
    """Wheels sink by less than 0.5 mm, and do not creep in 30 s."""
    drive = Drive(robot(DIFFERENTIAL), 50.0, 2)
    drive.run(0.8)
    start = drive.place
    assert RADIUS - start[2] < 5e-4
    drive.world.simulator.step(30_000)
    drive.world.tick()
    assert np.linalg.norm(drive.place - start) < 1e-6


@STEPS
def test_a_braked_robot_stands_on_a_slope(step: float) -> None:
    assert braked(step) < 1e-3


def test_an_effort_limit_accelerates_the_robot_as_its_mass_says() -> None:
    """The inertia that servos add to wheels delays it by less than an eighth."""
    drive = Drive(robot(SKID), 5.0, 4, effort=0.4)
    speed = drive.run(0.3, [20.0] * 4)[:, 0]
    spin = WHEEL_INERTIA / RADIUS**2
    theory = 4 * 0.4 / RADIUS / (10.0 + 4 * spin)
    assert speed[-1] / 0.3 == pytest.approx(theory, rel=0.125)
    assert speed[-1] / 0.3 < 1.01 * theory


WHEEL_INERTIA = 0.5 * RADIUS**2 / 2
