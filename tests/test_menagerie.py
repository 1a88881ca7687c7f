# SPDX-License-Identifier: Apache-2.0
"""Robots of MuJoCo Menagerie hold things and fly by the actuators of their files.

`make menagerie MENAGERIE_ROOT=FOLDER` runs these tests; elsewhere they are skipped. With
PICTURES=FILE, their pictures become one file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from deepsim_math import Euler, Pose, poses, quaternions
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import EndEffectorPose, Gripper, GripperDrive, Part, Robot, find_robot
from deepsim_spawn import GazeboXMLLoader, MjcfModel, Physics
from deepsim_sync import CameraView, World

SIDE = 300  # of a picture [pixels]
pytestmark = [
    pytest.mark.skipif("MENAGERIE_ROOT" not in os.environ, reason="needs MENAGERIE_ROOT"),
    pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning"),
]

SCENE = """<sdf version="1.9"><world name="scene">
<model name="ground"><static>true</static><link name="link"><collision name="plane"><geometry>
<plane/></geometry></collision><visual name="plane"><geometry><plane><size>6 6</size></plane>
</geometry><material><diffuse>.6 .65 .7 1</diffuse></material></visual></link></model>
<light type="directional" name="sun"><direction>-.5 .3 -1</direction></light></world></sdf>"""
BOX = 'type="box" size=".02 .02 .03" mass=".08"'
STEP = 0.002  # [s]
TICK = 5  # steps
SECOND = round(1 / (STEP * TICK))  # ticks
UPSIDE_DOWN = Pose((0.0, 0.0, 0.4), Euler(np.pi, 0.0, 0.0))

Vector = Sequence[float] | NDArray[np.float64]


def make() -> World:
    """A world with a ground and a sun."""
    description = GazeboXMLLoader().load_world(SCENE)
    physics = Physics(max_step_size=STEP)
    return World(MujocoSimulator(replace(description, physics=physics)), steps_per_tick=TICK)


def run(world: World, seconds: float) -> None:
    for _ in range(round(seconds * SECOND)):
        world.tick()


Show = Callable[[World, Vector, Vector], None]


@pytest.fixture(scope="module")
def show() -> Iterator[Show]:
    """Takes a picture of a world from a point towards a point, if pictures are asked for."""
    pictures: list[NDArray[np.uint8]] = []
    file = os.environ.get("PICTURES")

    def take(world: World, eye: Vector, target: Vector) -> None:
        if file is None:
            return
        x, y, z = np.subtract(target, eye)
        look = Euler(0.0, -np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x))
        view = CameraView(Pose(tuple(eye), look), 0.7, SIDE, SIDE)
        assert world.simulator.cameras is not None
        pictures.append(world.simulator.cameras.render(view))

    yield take
    if file is not None:
        rows = [np.hstack(pictures[start : start + 4]) for start in range(0, len(pictures), 4)]
        Image.fromarray(np.vstack(rows)).save(file)


class Thing:
    """A thing to be held, which stands on the ground or on columns.

    Args:
        world: The world.
        geom: Attributes of its geom.
        at: Position of its centre [m].
        columns: Columns below it: points x, y.
        top: Height of the columns [m].
    """

    def __init__(
        self, world: World, geom: str, at: Vector, columns: Sequence[Vector] = (), top: float = 0.0
    ) -> None:
        self.world = world
        thing = f'<body name="thing"><freejoint/><geom rgba=".9 .35 .1 1" {geom}/></body>'
        self._spawn("thing", thing, at)
        self.rows = world.links.select(["thing::thing"])
        for x, y in columns:
            column = f'<geom type="cylinder" size=".006 {top / 2}" rgba=".3 .3 .3 1"/>'
            self._spawn(f"column {x} {y}", column, (x, y, top / 2))

    def _spawn(self, name: str, text: str, at: Vector) -> None:
        model = MjcfModel(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
        self.world.spawn(model, name, Pose(tuple(at)))

    @property
    def height(self) -> float:
        """Height of its centre [m]."""
        return float(self.rows.pose[0, 0, 2])

    def take_columns_away(self) -> None:
        for name in list(self.world.entities.models):
            if name.startswith("column"):
                self.world.delete(name)

    def slip(self, holder: str, push: Vector = (0.0, 0.0, 0.0)) -> float:
        """Returns how far it moves in the frame of a link in 10 s [m]; a force pushes for 1 s."""
        pair = self.world.links.select([holder, "thing::thing"])
        start = poses.relative(pair.pose[0, 0], pair.pose[0, 1])
        run(self.world, 4.0)
        for _ in range(SECOND):
            self.rows.force = tuple(push)
            self.world.tick()
        run(self.world, 5.0)
        end = poses.relative(pair.pose[0, 0], pair.pose[0, 1])
        return float(np.linalg.norm((end - start)[:3]))


@dataclass
class Arm:
    """An arm with a gripper: joints and controllers of both, width to close to, and place [m]."""

    joints: str
    effector: EndEffectorPose
    fingers: str
    gripper: Gripper
    closed: float
    x: float = 0.45


ROBOTIQ = Gripper(
    control="fingers_actuator",
    closed=255,
    opened=0,
    widths=(0.0, 0.009, 0.021, 0.032, 0.044, 0.055, 0.066, 0.076, 0.085),
    fingers=("left_pad", "right_pad"),
    gap=0.0146,
)
ARMS = {
    "franka_emika_panda": Arm(
        r"joint\d",
        EndEffectorPose(link="hand", point=(0, 0, 0.1034)),
        "finger_joint.*",
        Gripper(control="actuator8", widths=(0, 0.08), fingers=("left_finger", "right_finger")),
        0.0,
    ),
    "ufactory_xarm7": Arm(
        r"joint\d",
        EndEffectorPose(link="xarm_gripper_base_link", point=(0, 0, 0.172)),
        ".*_(driver|finger|inner_knuckle)_joint",
        Gripper(
            control="gripper",
            closed=255,
            opened=0,
            widths=(0.0026, 0.026, 0.0487, 0.0704, 0.0888),
            fingers=("left_finger", "right_finger"),
            gap=0.052,
        ),
        0.03,
    ),
    "stanford_tidybot": Arm(
        r"joint_\d",
        EndEffectorPose(link="base", point=(0, 0, 0.155)),
        ".*_(driver|coupler|follower|spring_link)_joint",
        ROBOTIQ,
        0.03,
        0.6,
    ),
}


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_picks_a_box_up_and_holds_it(name: str, show: Show) -> None:
    """It slips by less than a millimetre in 10 s, and the gripper is as wide as the box."""
    world, its = make(), ARMS[name]
    effector = replace(its.effector, frame="world", normalized=False, lower=-4.0, upper=4.0)
    parts = {"arm": Part([its.joints], effector), "hand": Part([its.fingers], its.gripper)}
    robot = Robot(world, replace(find_robot(f"menagerie/{name}").load(), parts=parts), "robot")
    thing = Thing(world, BOX, (its.x, 0.0, 0.03))
    drive = robot.parts["hand"]
    assert isinstance(drive, GripperDrive)

    def go(start: float, end: float, width: float) -> None:
        for height in np.linspace(start, end, 3 * SECOND):
            robot.set_action([its.x, 0.0, height, np.pi, 0.0, 0.0, width])
            world.tick()

    go(0.25, 0.03, 0.08)
    assert drive.width[0] == pytest.approx(0.08, abs=2e-3)
    go(0.03, 0.03, its.closed)
    go(0.03, 0.33, its.closed)
    run(world, 1.0)
    assert thing.height > 0.28
    assert drive.width[0] == pytest.approx(0.04, abs=2e-3)
    slip = thing.slip(f"robot::{effector.link}")
    show(world, (its.x + 0.45, -0.6, 0.5), (its.x - 0.05, 0.0, 0.37))
    assert slip < 1e-3


def test_a_robotiq_gripper_holds_a_box_against_a_push(show: Show) -> None:
    """It slips by less than 0.2 mm in 10 s after the column below is gone, despite 2 N."""
    world = make()
    config = find_robot("menagerie/robotiq_2f85").load(on_ground=False)
    parts = {"hand": Part([".*"], ROBOTIQ)}
    robot = Robot(world, replace(config, parts=parts), "robot", UPSIDE_DOWN)
    thing = Thing(world, BOX, (0.0, 0.0, 0.25), [(0.0, 0.0)], 0.22)
    drive = robot.parts["hand"]
    assert isinstance(drive, GripperDrive)
    for width, measured in ((0.08, 0.08), (0.06, 0.06), (0.03, 0.04)):
        robot.set_action([width])
        run(world, 1.0)
        assert drive.width[0] == pytest.approx(measured, abs=2e-3)
    thing.take_columns_away()
    slip = thing.slip("robot::base", (0.0, 2.0, 0.0))
    show(world, (0.35, -0.3, 0.35), (0.0, 0.0, 0.31))
    assert slip < 2e-4


def test_a_shadow_hand_holds_a_bar_below_its_palm(show: Show) -> None:
    """The tendons of four fingers let it slip by less than 2 mm in 10 s, despite 0.5 N."""
    world = make()
    config = find_robot("menagerie/shadow_hand").load(on_ground=False)
    robot = Robot(world, config, "robot", UPSIDE_DOWN)
    bar = 'type="cylinder" size=".022 .09" euler="90 0 0" mass=".1"'
    thing = Thing(world, bar, (0.34, 0.0, 0.351), [(0.34, -0.085), (0.34, 0.085)], 0.329)
    names = robot.parts["controls"].controls
    fingers = np.array([name.endswith("J3") and "TH" not in name for name in names])
    tendons = np.array([name.endswith("J0") for name in names])
    for closed in np.linspace(0.0, 1.0, 2 * SECOND):
        robot.set_action(closed * (1.4 * fingers + 2.0 * tendons))
        world.tick()
    run(world, 1.0)
    thing.take_columns_away()
    run(world, 1.0)
    slip = thing.slip("robot::lh_palm", (0.0, 0.0, -0.5))
    show(world, (0.5, -0.35, 0.2), (0.33, 0.0, 0.37))
    assert slip < 2e-3


def test_stretch_takes_a_box_from_a_column(show: Show) -> None:
    """It reaches out, grips, lifts, holds it within 0.1 mm for 10 s, and drives on with it."""
    world = make()
    robot = Robot.load(world, "menagerie/hello_robot_stretch", "robot")
    thing = Thing(world, BOX, (-0.02, -0.54, 0.53), [(-0.02, -0.54)], 0.5)
    names = robot.parts["controls"].controls
    action = np.zeros(len(names))

    def move(control: str, goal: float, seconds: float) -> None:
        number = names.index(control)
        for value in np.linspace(action[number], goal, round(seconds * SECOND)):
            action[number] = value
            robot.set_action(action)
            world.tick()

    move("grip", 0.015, 1.0)
    move("arm_extend", 0.2, 3.0)
    move("grip", -0.005, 2.0)
    move("lift", 0.15, 3.0)
    run(world, 1.0)
    assert thing.height > 0.66
    slip = thing.slip("robot::link_gripper_slider")
    show(world, (0.9, -1.1, 1.0), (-0.02, -0.35, 0.6))
    move("forward", 0.5, 1.0)
    move("forward", 0.0, 1.0)
    assert slip < 1e-4
    assert robot.model.pose[0, 0, 0] < -0.1  # as in plain MuJoCo
    assert thing.height > 0.66


@dataclass
class Drone:
    """A drone, and a controller of its position.

    Attributes:
        mass: [kg]
        inertia: Principal moments [kg m^2].
        wrench: Thrust [N] and torques about the centre of mass [N m] of each control, (4, n).
        position: Natural frequency of the position, critically damped [rad/s].
        attitude: The same for the attitude.
    """

    mass: float
    inertia: Vector
    wrench: NDArray[np.float64]
    position: float
    attitude: float

    def controls(self, pose: Vector, twist: Vector, goal: Sequence[Vector]) -> NDArray[np.float64]:
        """Returns the controls that bring it to a goal: position, velocity and acceleration."""
        turn = np.asarray(pose[3:])
        away, late = goal[0] - np.asarray(pose[:3]), goal[1] - np.asarray(twist[:3])
        lift = goal[2] + self.position**2 * away + 2 * self.position * late + [0.0, 0.0, 9.81]
        up = lift / np.linalg.norm(lift)
        left = np.cross(up, [1.0, 0.0, 0.0]) / np.linalg.norm(up[1:])
        upright = quaternions.from_matrix(np.stack([np.cross(left, up), left, up], axis=1))
        error = quaternions.multiply(quaternions.conjugate(turn), upright)
        rates = quaternions.inverse_rotate(turn, np.asarray(twist[3:]))
        torque = self.attitude**2 * quaternions.to_rotation_vector(error)
        torque = (torque - 2 * self.attitude * rates) * self.inertia
        thrust = self.mass * lift @ quaternions.rotate(turn, np.array([0.0, 0.0, 1.0]))
        return np.linalg.solve(self.wrench, [thrust, *torque])


def rotor(x: float, y: float, drag: float) -> Vector:
    """Returns thrust and torques of a rotor at a point, for 1 N."""
    return [1.0, y, -x, drag]


X2 = [
    rotor(-0.14, -0.18, -0.0201),
    rotor(-0.14, 0.18, 0.0201),
    rotor(0.14, 0.18, -0.0201),
    rotor(0.14, -0.18, 0.0201),
]
DRONES = {
    "skydio_x2": Drone(1.325, (0.0365, 0.0215, 0.0575), np.array(X2).T, 4.0, 20.0),
    "bitcraze_crazyflie_2": Drone(
        0.027, (2.3951e-5, 2.3951e-5, 3.2347e-5), np.diag([1.0, -1e-5, -1e-5, -1e-5]), 2.0, 8.0
    ),
}
LEG = 5.0  # [s]


@pytest.mark.parametrize("name", DRONES)
def test_a_drone_hovers_and_flies_a_square(name: str, show: Show) -> None:
    """It hovers within 1 mm, and follows the sides of 1 m, each in 5 s, within 20 mm."""
    world, drone = make(), DRONES[name]
    robot = Robot.load(world, f"menagerie/{name}", "drone")

    def fly(start: Vector, end: Vector) -> NDArray[np.float64]:
        """Flies along a line, with a polynomial of fifth degree; returns distances to it [m]."""
        off = []
        for time in np.arange(0.0, 1.0, 1 / (LEG * SECOND)):
            way = np.subtract(end, start)
            place = start + way * time**3 * (10 - 15 * time + 6 * time**2)
            speed = way * 30 * time**2 * (1 - time) ** 2 / LEG
            acceleration = way * 60 * time * (1 - time) * (1 - 2 * time) / LEG**2
            pose = robot.link(link).pose[0, 0]
            off.append(np.linalg.norm(pose[:3] - place))
            twist = robot.link(link).twist[0, 0]
            robot.set_action(drone.controls(pose, twist, (place, speed, acceleration)))
            world.tick()
        return np.array(off)

    link = "x2" if name == "skydio_x2" else "cf2"
    world.tick()
    corners = [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 1)]
    fly(robot.link(link).pose[0, 0, :3], corners[0])
    fly(corners[0], corners[0])
    hover = fly(corners[0], corners[0])
    near = 1.0 if name == "skydio_x2" else 0.35
    show(world, (near, -near, 1.0 + 0.6 * near), (0.0, 0.0, 1.0))
    square = np.concatenate([fly(*side) for side in pairwise(corners)])
    assert hover.max() < 1e-3
    assert square.max() < 0.02
