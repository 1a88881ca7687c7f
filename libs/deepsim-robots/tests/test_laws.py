# SPDX-License-Identifier: Apache-2.0
"""Laws that hold for every controller: new episodes, worlds apart, momentum, mirrors, origins."""

from __future__ import annotations

import dataclasses
import inspect
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robots_of_tests import ARM, GROUND, SEVEN, empty_world, joint, link, model, wheels

import deepsim_robots
from deepsim_math import Euler, Pose, poses, quaternions
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import (
    Controller,
    Gains,
    JointDeltaPosition,
    JointPosition,
    MountedSensor,
    Part,
    Robot,
    RobotConfig,
    RotorThrust,
)
from deepsim_spawn import Imu, Physics, SensorDescription, WorldDescription
from deepsim_sync import DeepSimError, World

JAWS = (
    '<mujoco><worldbody><body name="right" pos="-.1 0 0"><geom size=".02"/></body>'
    '<body name="left"><joint name="j" type="slide" axis="1 0 0"/><geom size=".02"/></body>'
    '</worldbody><actuator><intvelocity name="open" joint="j" kp="100" actrange="0 .04" '
    'ctrlrange="-1 1"/></actuator></mujoco>'
)
FOUR = ("fl", "fr", "rl", "rr")
SIDES = {"left": ["left"], "right": ["right"]}


def spring(inputs: np.ndarray) -> np.ndarray:
    """A network that has learnt an actuator."""
    return inputs @ [20.0, -5.0, -2.0, -1.0]


NEEDS = {  # what controllers must be given; all others drive the arm as they are
    "Ackermann": (
        wheels(*FOUR, steering=("sl", "sr")),
        {"steering": ("sl", "sr"), "front": FOUR[:2], "rear": FOUR[2:], "wheelbase": 0.6,
         "track": 0.4, "radius": 0.1, "acceleration": 20.0},
    ),
    "ActuatorNetwork": (ARM, {"network": spring, "history": [0, 1], "saturation_effort": 3.0}),
    "Delayed": (ARM, {"controller": JointPosition(), "delay": (0.0, 0.05)}),
    "DiffDrive": (
        wheels(*SIDES), {**SIDES, "separation": 0.4, "radius": 0.1, "acceleration": 20.0}
    ),
    "EndEffectorPose": (ARM, {"link": "lower", "delta": True, "rate": True}),
    "EndEffectorPosition": (ARM, {"link": "lower", "delta": True}),
    "Gripper": (JAWS, {"fingers": ("right", "left")}),
    "JointPid": (ARM, {"of": "velocity", "p": 5.0, "i": 9.0, "d": 0.2}),
    "Mecanum": (
        wheels(*FOUR),
        {"wheels": FOUR, "length": 1, "width": 1, "radius": 0.1, "acceleration": 20.0},
    ),
    "Mimic": (ARM, {"lower": 0.0, "upper": 0.5}),
    "ModelControls": (JAWS, {"lower": -0.5, "upper": 0.5}),
    "OmniWheels": (
        wheels(*FOUR), {"wheels": FOUR, "distance": 0.3, "radius": 0.1, "acceleration": 20.0}
    ),
    "PlanarBase": (model(link("base")), {}),
    "RotorThrust": (
        model(link("body")), {"links": ["body"] * 2, "points": [(1, 0, 0)] * 2, "drag": 0.1}
    ),
}  # fmt: skip
KINDS = [
    name
    for name in deepsim_robots.__all__
    if inspect.isclass(kind := getattr(deepsim_robots, name))
    and issubclass(kind, Controller)
    and not inspect.isabstract(kind)
]


START = Pose((1.0, 2.0, 0.3), Euler(0.0, 0.0, 0.7))


def make(name: str, worlds: int, seed: int, **changed: object) -> Robot:
    """A robot with the controller of this name, with some settings changed."""
    text, needed = NEEDS.get(name, (ARM, {}))
    controller = getattr(deepsim_robots, name)(**{**needed, **changed})
    part = Part([".*"] if "joint" in text else [], controller)
    world = World(MujocoSimulator(empty_world(False), worlds=worlds), seed=seed, steps_per_tick=5)
    gains = {".*": Gains(50.0, 5.0)} if "<sdf" in text and "joint" in text else {}
    return Robot(world, RobotConfig(text, {"part": part}, gains=gains), "robot", START)


def act(robot: Robot, chance: np.random.Generator, ticks: int) -> np.ndarray:
    """What the robot does for some ticks, (ticks, W, ...), by actions that change now and then."""
    rows, seen = robot.joints.rows, []
    for tick in range(ticks):
        if tick % 4 == 0 and robot.action_size:
            share = chance.uniform(0.0, 1.0, robot.action_size)
            low, high = np.maximum(robot.lower, -9.0), np.minimum(robot.upper, 9.0)
            robot.set_action(low + share * (high - low))
        every = np.arange(len(robot.world))
        for worlds in np.split(every, len(every)) if tick % 3 else [every]:
            robot.world.tick(worlds)  # mostly one after another
        each = (robot.observe(), rows.target_velocity, rows.effort, rows.feedforward)
        base = robot.model.pose[:, 0], robot.model.twist[:, 0]
        seen.append(np.concatenate([*each, *base], axis=1))
    return np.array(seen)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore:part .* computes efforts once per tick")
def test_an_episode_is_the_first_of_a_new_robot(name):
    """To the bit, whatever came before; another world goes on as if nothing had happened."""
    robot, alone = make(name, 2, 3), make(name, 1, 3)
    before = act(robot, np.random.default_rng(0), 21)
    robot.world.reset([8], worlds=[1])
    after = act(robot, np.random.default_rng(1), 21)
    whole = act(alone, np.random.default_rng(0), 21), act(alone, np.random.default_rng(1), 21)
    fresh = act(make(name, 1, 8), np.random.default_rng(1), 21)
    np.testing.assert_array_equal(after[:, 1], fresh[:, 0])
    np.testing.assert_array_equal([before[:, 0], after[:, 0]], [each[:, 0] for each in whole])
    if robot.action_size:
        assert np.ptp(before[:, 0], axis=0).any()  # it moves


OTHERS = {  # other values of settings, by name; those of numbers are half of them
    "angles": (0.0, 1.0, 2.5, 4.0), "closed": 0.01, "control": "shut", "controls": ["shut"],
    "controller": JointDeltaPosition(), "d": 1.0, "damping": 9.0, "delay": 0.03, "delta": False,
    "directions": (1, -1), "drag": 0.3, "effort_limit": 0.4, "fingers": ("right", "right"),
    "frame": "world", "front": (), "gap": 0.01, "history": [0, 2], "i": 3.0, "i_clamp": 0.01,
    "input_order": "velocity_position", "joints": ("x", "y", "w"), "left": ["right"],
    "link": "upper", "links": ["body"], "network": lambda inputs: -spring(inputs),
    "of": ("target", "position"), "one_speed": True, "opened": 0.02, "p": 30.0,
    "point": (0.1, 0.2, 0.0), "points": [(0, 1, 0)] * 2, "rate": (True, False), "rear": (),
    "reversed": (["left"], ["elbow"]), "right": ["left"], "saturation_effort": 0.6,
    "solver": "none", "steering": ("sr", "sl"), "steering_damping": 1.0, "step": 1e-3,
    "stiffness": 20.0, "velocity": 0.2, "velocity_limit": 0.05, "wheels": FOUR[::-1],
    "widths": (0.0, 0.01, 0.04),
}  # fmt: skip


def does(name: str, **changed: object) -> list[list[float]]:
    """The bounds of actions, the gripper's width, and what the robot does by some actions."""
    robot = make(name, 1, 3, **changed)
    if len(robot.joints):
        robot.joints.rows.velocity = 0.2
    moved = act(robot, np.random.default_rng(0), 13)
    width = robot.parts["part"].width if name == "Gripper" else [0.0]
    robot.world.close()
    return [robot.lower.tolist(), robot.upper.tolist(), list(width), moved.ravel().tolist()]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore:part .* computes efforts once per tick")
def test_every_setting_acts_or_is_refused(name):
    """Another value of any field changes what the robot does, or raises an error."""
    kind = getattr(deepsim_robots, name)
    plain, given = does(name), NEEDS.get(name, (ARM, {}))[1]
    for field in dataclasses.fields(kind):
        value = given.get(field.name, field.default)
        if not field.init or (name, field.name) == ("Passive", "normalized"):
            continue  # of no action
        if field.name in OTHERS:
            choice = OTHERS[field.name]
            other = (
                choice[value == choice[0]] if field.name in ("of", "rate", "reversed") else choice
            )
        elif field.name in ("lower", "upper"):
            other = (np.array(plain[field.name == "upper"]) - 0.1) * 0.5
        elif isinstance(value, bool):
            other = not value
        else:
            other = 0.5 * np.array(value)
        try:
            assert does(name, **{field.name: other}) != plain, (field.name, other)
        except (ValueError, DeepSimError):
            continue


def cart(mass: float, effort: float) -> str:
    """A cart on a rail."""
    limits = f"<lower>-9</lower><upper>9</upper><effort>{effort}</effort><velocity>3</velocity>"
    rail = joint("rail", "base", "cart", "1 0 0", "prismatic", limits)
    return model(
        link("base"), joint("mount", "world", "base", kind="fixed"), link("cart", mass), rail
    )


IMU = (MountedSensor("cart", SensorDescription("imu", measurement=Imu())),)
LOOSE = st.sampled_from([0.0, 3.0, 300.0])


@settings(max_examples=40)
@given(
    name=st.sampled_from(
        ["JointPosition", "JointVelocity", "JointPid", "JointEffort", "JointTrapezoid"]
    ),
    gains=st.tuples(LOOSE, LOOSE).filter(all),
    mass=st.sampled_from([0.2, 1.0, 50.0]),
    dt=st.sampled_from([0.001, 0.002, 0.005]),
    effort=st.sampled_from([4.0, 500.0]),
    goal=st.floats(-1.0, 1.0),
)
def test_the_impulse_of_the_effort_is_the_momentum(name, gains, mass, dt, effort, goal):
    """And the inertial unit adds up to the velocity, whatever drives the cart."""
    world = World(MujocoSimulator(WorldDescription(physics=Physics(max_step_size=dt))))
    part = Part(["rail"], getattr(deepsim_robots, name)())
    servo = {"rail": Gains(*gains)}
    robot = Robot(world, RobotConfig(cart(mass, effort), {"p": part}, {}, servo, IMU), "s")
    imu, rows = world.sensors["s::cart::imu"], robot.joints.rows
    robot.set_action([goal])
    felt = pushed = work = before = 0.0
    for _ in range(40):
        world.tick()
        felt += float(imu.linear_acceleration[0, 0]) * dt
        pushed += float(rows.effort[0, 0]) * dt
        speed = float(rows.velocity[0, 0])
        work += float(rows.effort[0, 0]) * dt * (before + speed) / 2.0
        before = speed
        assert abs(rows.effort[0, 0]) <= effort
    close = {"rel": 1e-6, "abs": 1e-9}
    assert [felt, pushed / mass] == pytest.approx([speed] * 2, **close)
    assert work == pytest.approx(mass * speed**2 / 2.0, **close)
    assert speed * goal > 0.0 or abs(goal) < 0.1
    world.close()


def test_a_derivative_of_the_velocity_gives_no_impulse_in_the_end(make_world):
    """It resists each change of the velocity, so its efforts add up to those of the last error."""
    world = make_world()
    pid = deepsim_robots.JointPid(of="velocity", p=20.0, d=2.0, normalized=False)
    robot = Robot(world, RobotConfig(cart(5.0, 500.0), {"cart": Part(["rail"], pid)}), "s")
    for asked in (1.0, -0.5, 0.0):
        robot.set_action([asked])
        impulse = 0.0
        for _ in range(300):
            world.tick()
            impulse += robot.joints.rows.feedforward[0, 0] * world.delta_time
        assert impulse == pytest.approx(0.0, abs=0.01)
        assert robot.joints.rows.velocity[0, 0] == pytest.approx(asked, abs=0.01)


@pytest.mark.parametrize("clamp", [np.inf, 1.0])
def test_an_integral_carries_the_load_up_to_its_clamp(make_world, clamp):
    """A lever of 1 kg weighs 1.96 N m at 0.2 m; what the integral does not carry is p times e."""
    lever = model(
        link("base"), joint("mount", "world", "base", kind="fixed"),
        link("lever", center="0.2 0 0"), joint("hinge", "base", "lever", "0 1 0"),
    )  # fmt: skip
    world = make_world(gravity=True)
    pid = deepsim_robots.JointPid(p=20.0, i=60.0, d=4.0, i_clamp=clamp, normalized=False)
    robot = Robot(world, RobotConfig(lever, {"arm": Part([".*"], pid)}), "arm")
    robot.set_action([0.3])
    for _ in range(600):
        world.tick()
    position = robot.joints.rows.position[0, 0]
    load = 9.81 * 0.2 * np.cos(position)
    assert 20.0 * (position - 0.3) == pytest.approx(max(load - clamp, 0.0), abs=1e-3)


ROTORS = np.array([(0.2, 0.1, 0.0), (-0.2, 0.0, 0.1), (0.0, 0.0, 0.0)])
THRUSTS = st.lists(st.floats(0.0, 5.0), min_size=3, max_size=3)


@settings(max_examples=12)
@given(THRUSTS, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_a_drone_flies_alike_wherever_its_origin_and_its_start_are(thrusts, shift, angle):
    """Its motion, as the centre of mass sees it, is that of a drone whose origin is there."""
    flights = []
    turn = Pose((3.0, -2.0, 9.0), Euler(angle, 0.3, 2.0 * angle))
    for origin, start in ((np.zeros(3), Pose()), (np.array([shift, 0.3, -0.2]), turn)):
        rotors = RotorThrust(
            links=["body"] * 3, points=ROTORS + origin,
            directions=[1, -1, 1], drag=0.05, normalized=False,
        )  # fmt: skip
        body = model(link("body", center=" ".join(map(str, origin))))
        world = World(MujocoSimulator(empty_world(False)), steps_per_tick=5)
        robot = Robot(world, RobotConfig(body, {"r": Part([], rotors)}), "r", start)
        robot.set_action(thrusts)
        for _ in range(5):
            world.tick()
        moved = poses.relative(np.asarray(start), robot.model.pose[0, 0])
        place = poses.compose(moved, np.array([*origin, 0, 0, 0, 1.0]))
        flights.append((place[:3] - origin, place[3:]))
        world.close()
    for here, there, close in zip(*flights, (1e-3, 1e-9), strict=True):
        np.testing.assert_allclose(here, there, atol=close)


@pytest.mark.parametrize(("name", "action"), [("diffbot", [0.4, 0.5]), ("car", [0.4, 0.5])])
def test_a_base_that_is_mirrored_turned_or_shifted_drives_the_same_way(name, action):
    """On the ground, by the opposite turn in the mirror."""
    world = World(MujocoSimulator(GROUND, worlds=3), steps_per_tick=10)
    moved = Pose((20.0, -7.0, 0.0), Euler(0.0, 0.0, 2.0))
    robot = Robot.load(world, name, pose=np.array([Pose(), Pose(), moved]))
    robot.set_action(np.array(action) * [[1, 1], [1, -1], [1, 1]])
    for _ in range(150):
        world.tick()
    plain, mirrored, turned = robot.model.pose[:, 0]
    signs = [1, -1, 1, -1, 1, -1, 1]
    assert np.linalg.norm(plain[:2]) > 0.1
    assert abs(plain[5]) > 0.05
    np.testing.assert_allclose(mirrored, plain * signs, atol=2e-3)
    np.testing.assert_allclose(poses.relative(np.asarray(moved), turned), plain, atol=2e-3)
    world.close()


@pytest.mark.parametrize("frame", ["tool", "root"])
def test_steps_turn_the_tool_about_the_axes_of_their_frame(make_world, frame):
    """About y and then about z, each by 0.2 rad: about the tool's own axes, or about the root's."""
    world = make_world(steps=10)
    hand = deepsim_robots.EndEffectorPose(link="link7", delta=True, frame=frame, normalized=False)
    home = {"joint2": 0.3, "joint4": -1.8, "joint6": 2.0}
    gains = {".*": Gains(2000.0, 200.0)}
    robot = Robot(world, RobotConfig(SEVEN, {"arm": Part([".*"], hand)}, home, gains), "arm", START)
    robot.reset()
    world.tick()
    drive = robot.parts["arm"]
    start = drive.pose()[0, 3:]
    steps = np.array([[0.0, 0.2, 0.0], [0.0, 0.0, 0.2]])
    for step in steps:
        for _ in range(2):
            robot.set_action([*np.zeros(3), *step / 2.0])
            for _ in range(40):
                world.tick()
    y, z = quaternions.from_rotation_vector(steps)
    root = np.asarray(START)[3:]
    turns = (start, y, z) if frame == "tool" else (root, z, y, quaternions.conjugate(root), start)
    expected = reduce(quaternions.multiply, turns)
    assert abs(drive.pose()[0, 3:] @ expected) > np.cos(0.01)  # half of 0.02 rad
