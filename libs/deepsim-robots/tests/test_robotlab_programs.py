# SPDX-License-Identifier: Apache-2.0
"""RobotLab's own programs, in our words: what they drive, hold and see comes out the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robots_of_tests import joint, link, model

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Gains, Mimic, PlanarBase, RobotConfig, find_robot
from deepsim_robots.robotlab import (
    CameraConfig,
    Entity,
    LabRobot,
    LabSimulator,
    Model,
    SimulatorConfig,
)

SLIDE = "<lower>0</lower><upper>.04</upper><effort>20</effort><velocity>1</velocity>"
MOBILE = model(
    link("base_link"),
    link("arm", at="0 0 .3 0 0 0", center=".1 0 0"),
    link("left", mass=0.1, at=".2 .02 .3 0 0 0"),
    link("right", mass=0.1, at=".2 -.02 .3 0 0 0"),
    joint("shoulder", "base_link", "arm"),
    joint("left_finger", "arm", "left", "0 1 0", "prismatic", SLIDE),
    joint("right_finger", "arm", "right", "0 -1 0", "prismatic", SLIDE),
)
"""A base with an arm of one joint and a gripper."""


def box(name, size, color=(1.0, 0.0, 0.0), mass=0.1):
    """A box of a size [m] and a color."""
    shape = f"<geometry><box><size>{' '.join(map(str, size))}</size></box></geometry>"
    paint = " ".join(map(str, color))
    return model(
        f"<link name='link'><inertial auto='true'><mass>{mass}</mass></inertial>"
        f"<collision name='c'>{shape}</collision><visual name='v'>{shape}<material>"
        f"<ambient>{paint} 1</ambient><diffuse>{paint} 1</diffuse></material></visual></link>",
        name=name,
    )


@pytest.fixture
def make_lab():
    labs = []

    def make(config, robot=None, elements=None, **options):
        labs.append(LabSimulator(MujocoSimulator, config, robot, elements, **options))
        labs[-1].reset()
        return labs[-1]

    yield make
    for lab in labs:
        lab.close()


class RedBox(Entity):
    """A box 5 m beside its scene's target."""

    def __init__(self, targets):
        super().__init__()
        self._targets = targets

    def _load(self, sim):
        x, y = self._targets[sim.scene.index]
        self.box = sim.scene.add(self.path, box("box", (0.2, 0.2, 0.2)))
        self.box.set_pose(Pose((x, y + 5.0, 0.1)))

    def _get_sapien_entities(self):
        return [self.box]


def test_batched_bases_turn_and_drive_while_grippers_open_and_close(make_lab):
    """Like a unicycle: ahead only if the target is ahead; cameras see each scene's own box."""
    n = 24
    angles = 2.0 * np.pi * np.arange(n) / n
    targets = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    robot = LabRobot(RobotConfig(MOBILE, gains={".*": Gains(2000.0, 100.0)}))
    fast = PlanarBase(lower=[-20] * 3, upper=[20] * 3, normalized=False)
    robot.register_controller("base", [], fast)
    robot.register_controller("arm", ["shoulder"], "pd_joint_vel")
    robot.register_controller("gripper", [".*_finger"], Mimic())
    view = CameraConfig(p=(0.0, 3.0, 4.0), look_at=(0.0, 5.0, 0.0), width=64, height=64)
    config = SimulatorConfig(n_scenes=n, control_freq=50)
    lab = make_lab(config, robot, {"box": RedBox(targets)}, cameras={"camera": view})
    robot.body.set_root_pose(Pose((0.0, 0.0, 0.0)))
    for step in range(100):
        action = np.zeros(robot.action_space.shape)
        action[:, -1] = 1.0 if step // 10 % 2 == 0 else -1.0
        base = robot.get_base_pose()
        way = targets - base[:, :2]
        left = (np.arctan2(way[:, 1], way[:, 0]) - base[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
        distance = np.linalg.norm(way, axis=1)
        action[:, 0] = 10.0 * distance * (np.abs(left) < np.pi / 2.0)
        action[:, 2] = 10.0 * left * (distance > 0.01)
        lab.step(action)
        if step == 19:
            width = robot.body.get_qpos()[:, 1:]
            assert width == pytest.approx(np.zeros((n, 2)), abs=2e-3)  # closed for ten steps
    assert np.linalg.norm(targets - robot.get_base_pose()[:, :2], axis=1).max() < 0.01
    camera = lab.get_sensor()["camera"]
    segmentation, params = camera.take_picture()["segmentation"], camera.get_camera_params()
    for scene in (0, n // 2):
        rows, columns = np.nonzero(segmentation[scene] == lab.world.entities.links.row("box::link"))
        top = [*(targets[scene] + [0.0, 5.0]), 0.2, 1.0]
        x, y, z = params["intrinsic_cv"] @ params["extrinsic_cv"][scene] @ top
        assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((x / z, y / z), abs=1.0)


def test_two_arms_do_the_same_at_two_places(make_lab):
    """One is the robot, the other an element that was put aside: the same angles, 2 m away."""
    config = find_robot("arm").load()
    first, second = LabRobot(config), LabRobot(config)
    lab = make_lab(SimulatorConfig(control_freq=100), first, {"robot2": second})
    second.body.set_pose(Pose((0.0, 2.0, 0.0)))
    opened = []
    for step in range(200):
        action = np.zeros(first.action_space.shape)
        action[[3, 5]] = 1.0 / 3.0, -0.5
        action[-1] = step // 100 % 2 * 2 - 1
        second.set_action(action)
        lab.step(action)
        if step % 100 == 99:
            opened.append(first.body.get_qpos()[0, -2:])
    assert opened[0] == pytest.approx([0.0, 0.0], abs=2e-3)
    assert opened[1] == pytest.approx([0.04, 0.04], abs=2e-3)
    angles = [each.body.get_qpos()[0] for each in (first, second)]
    assert angles[0] == pytest.approx(angles[1], abs=1e-6)
    assert np.ptp(angles[0][:6]) > 0.5
    tools = [lab.find(f"{name}/tool").get_pose()[0] for name in ("robot", "robot2")]
    assert tools[1][:3] - tools[0][:3] == pytest.approx([0.0, 2.0, 0.0], abs=1e-6)


def test_a_base_that_is_put_beside_a_wall_touches_only_the_ground(make_lab):
    """Placed by x, y and heading, at rest, it stays without actions."""
    robot = LabRobot(RobotConfig(box("robot", (0.4, 0.4, 0.2), mass=5.0)), Pose((0.0, 0.0, 0.1)))
    wall = box("wall", (0.2, 4.0, 1.0), mass=500.0)
    lab = make_lab(SimulatorConfig(), robot, {"wall": Model(wall, Pose((-4.2, -0.7, 0.5)))})
    robot.set_base_pose([-3.79, -0.747, 1.72])
    robot.body.set_velocity(np.zeros(6))
    lab.step(None)
    links = list(lab.world.entities.links)
    points = lab.world.simulator.contacts.read()
    met = {frozenset(links[row] for row in pair) for pair in points.links}
    assert met == {
        frozenset({"robot::link", "ground::link"}), frozenset({"wall::link", "ground::link"})
    }  # fmt: skip
    assert robot.get_base_pose()[0] == pytest.approx([-3.79, -0.747, 1.72], abs=1e-3)


class Bricks(Entity):
    """A red bar to take, a green plate to put it on, and a blue block in the way."""

    SIZES = (
        ("red", (0.04, 0.04, 0.12), (0.45, 0.15, 0.06)),
        ("green", (0.08, 0.08, 0.01), (0.45, -0.2, 0.005)),
        ("blue", (0.1, 0.04, 0.1), (0.45, 0.0, 0.05)),
    )

    def _load(self, sim):
        colors = np.eye(3)
        self.bricks = {
            name: sim.scene.add(f"{self.path}_{name}", box(name, size, colors[number]), Pose(place))
            for number, (name, size, place) in enumerate(self.SIZES)
        }

    def _get_sapien_entities(self):
        return list(self.bricks.values())


def test_an_arm_picks_a_bar_and_puts_it_onto_a_plate(make_lab):
    """Above it, down, close, up, over the block, down, open, up: the bar stands on the plate."""
    robot = LabRobot(replace(find_robot("arm").load(), parts={}, balance="gravity"))
    move = {"type": "pd_ee_pose", "link": "tool", "normalized": False}
    robot.register_controller("arm", ["joint_.*"], move)
    robot.register_controller("gripper", [".*_finger_joint"], Mimic())
    bricks = Bricks()
    lab = make_lab(SimulatorConfig(sim_freq=200, control_freq=20), robot, {"bricks": bricks})
    red, green = ((0.45, 0.15), (0.45, -0.2))
    for place, height, grip, seconds in [
        (red, 0.3, 1.0, 2.0), (red, 0.08, 1.0, 1.0), (red, 0.08, -1.0, 0.5),
        (red, 0.3, -1.0, 1.0), (green, 0.3, -1.0, 2.0), (green, 0.095, -1.0, 1.5),
        (green, 0.095, 1.0, 0.5), (green, 0.3, 1.0, 1.0),
    ]:  # fmt: skip
        start = lab.find("robot/tool").get_pose()[0, :3]
        for share in np.linspace(0.0, 1.0, int(20 * seconds)):
            goal = start + share * (np.array([*place, height]) - start)
            lab.step([*goal, 0.0, np.pi, 0.0, grip])
    pose = {name: brick.get_pose()[0, :3] for name, brick in bricks.bricks.items()}
    assert pose["red"] == pytest.approx([0.45, -0.2, 0.07], abs=0.015)
    assert pose["green"] == pytest.approx([0.45, -0.2, 0.005], abs=5e-3)
    assert pose["blue"] == pytest.approx([0.45, 0.0, 0.05], abs=1e-3)
