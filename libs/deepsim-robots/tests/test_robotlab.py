# SPDX-License-Identifier: Apache-2.0
"""RobotLab's behaviour: entities in n scenes, broadcast and per-scene writes."""

from __future__ import annotations

import numpy as np
import pytest
from robots_of_tests import ARM, link, model

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import (
    EndEffectorPose,
    Gains,
    JointPosition,
    JointPositionVelocity,
    JointVelocity,
    Mimic,
    Part,
    PlanarBase,
    RobotConfig,
)
from deepsim_robots.robotlab import Entity, LabRobot, LabSimulator, Model, SimulatorConfig
from deepsim_sync import DeepSimError, UnknownEntityError, UnsupportedError

BOX = model(link("box"), name="box")
BASE = RobotConfig(
    model(link("base_link"), name="base"),
    {"base": Part([], PlanarBase(lower=[-2] * 3, upper=[2] * 3))},
)


class CircleBox(Entity):
    """A box whose place differs from scene to scene."""

    def __init__(self, n):
        super().__init__()
        self._n = n

    def _load(self, sim):
        angle = 2.0 * np.pi * sim.scene.index / self._n
        self.box = sim.scene.add(self.path, BOX)
        place = Pose((np.cos(angle), np.sin(angle) + 5.0, 0.5))
        self.box.set_pose(place)
        np.testing.assert_array_equal(self.box.get_pose(), np.asarray(place))  # before reset

    def _get_sapien_entities(self):
        return [self.box]


@pytest.fixture
def make_lab():
    labs = []

    def make(n, robot=None, elements=None, **options):
        config = SimulatorConfig(n_scenes=n, gravity=(0.0, 0.0, 0.0), **options)
        labs.append(LabSimulator(MujocoSimulator, config, robot, elements, add_ground=False))
        labs[-1].reset()
        return labs[-1]

    yield make
    for lab in labs:
        lab.close()


def drive_to_circle(lab, steps=100):
    """Drives the base of each scene to its box less (0, 5)."""
    for _ in range(steps):
        way = lab.find("box").box.get_pose()[:, :2] - [0.0, 5.0]
        way -= lab.find("robot/base_link").get_pose()[:, :2]
        action = np.zeros((len(way), 3))
        action[:, :2] = np.clip(2.0 * way / 2.0, -1.0, 1.0)
        lab.step(action)
    return lab.find("robot/base_link").get_pose()


def test_two_hundred_bases_drive_to_the_unit_circle(make_lab):
    """After 100 control steps every base is at its own point of the circle."""
    n = 200
    lab = make_lab(n, LabRobot(BASE), {"box": CircleBox(n)})
    angles = 2.0 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    np.testing.assert_allclose(lab.find("box").box.get_pose()[:, :2], circle + np.array([0.0, 5.0]))
    np.testing.assert_allclose(drive_to_circle(lab)[:, :2], circle, atol=1e-3)


def test_scenes_have_the_bits_of_single_runs(make_lab):
    """Scene i of five gives the bits of one scene with the same box."""

    class OneBox(CircleBox):
        def __init__(self, index):
            super().__init__(5)
            self._index = index

        def _load(self, sim):
            angle = 2.0 * np.pi * self._index / 5
            self.box = sim.scene.add(self.path, BOX)
            self.box.set_pose(Pose((np.cos(angle), np.sin(angle) + 5.0, 0.5)))

    many = drive_to_circle(make_lab(5, LabRobot(BASE), {"box": CircleBox(5)}), 10)
    for index in range(5):
        one = drive_to_circle(make_lab(1, LabRobot(BASE), {"box": OneBox(index)}), 10)
        np.testing.assert_array_equal(many[index], one[0])


def test_free_fall():
    """From 2 m, after half a second at 500 Hz, the box is where a semi-implicit step puts it."""
    config = SimulatorConfig(gravity=(0.0, 0.0, -9.81))
    lab = LabSimulator(MujocoSimulator, config, None, {"box": Model(BOX, Pose((0, 0, 2.0)))}, False)
    lab.reset()
    for _ in range(10):
        lab.step()
    height = lab.find("box").body.get_pose()[0, 2]
    lab.close()
    assert height == pytest.approx(2.0 - 9.81 * 0.002**2 * 250 * 251 / 2.0, abs=1e-9)  # 0.76885


def test_writes_after_reset_are_for_all_scenes_or_some(make_lab):
    """A pose is broadcast, given for each scene, or for those of `ids`."""
    lab = make_lab(3, None, {"group": {"box": Model(BOX)}})
    box = lab.find("group/box").body
    box.set_pose(Pose((1.0, 2.0, 3.0)))
    np.testing.assert_array_equal(box.get_pose()[:, :3], [[1.0, 2.0, 3.0]] * 3)
    each = np.array([Pose((float(n), 0.0, 0.0)) for n in range(3)])
    box.set_pose(each)
    np.testing.assert_array_equal(box.get_pose(), each)
    box.set_pose(Pose((9.0, 0.0, 0.0)), ids=np.array([1]))
    np.testing.assert_array_equal(box.get_pose()[:, 0], [0.0, 9.0, 2.0])
    lab.reset()
    np.testing.assert_array_equal(lab.find("group/box").body.get_pose()[:, 0], 0.0)


@pytest.mark.parametrize("controller", ["pd_joint_pos", "PDJointPos"])
def test_joints_are_read_and_written(make_lab, controller):
    """qpos, qvel, qf and drive targets are columns of the joints' table."""
    robot = LabRobot(RobotConfig(ARM, gains={".*": Gains(100.0, 10.0)}))
    robot.register_controller("arm", [".*"], controller)
    lab = make_lab(2, robot)
    assert robot.action_space["slices"] == {"arm": slice(0, 2)}
    body = robot.body
    body.set_qpos([[0.1, 0.2], [0.3, 0.4]])
    body.set_qvel([0.5, 0.0])
    body.set_qf([0.0, 1.0])
    np.testing.assert_array_equal(body.get_qpos(), [[0.1, 0.2], [0.3, 0.4]])
    np.testing.assert_array_equal(body.get_qvel(), [[0.5, 0.0]] * 2)
    np.testing.assert_array_equal(body.get_qf(), [[0.0, 1.0]] * 2)
    state = robot.get_state()
    lab.step(np.ones((2, 2)))
    robot.set_state(state)
    np.testing.assert_array_equal(body.get_qpos(), [[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(DeepSimError, match="before the robot is loaded"):
        robot.register_controller("again", [".*"], "pd_joint_pos")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("PDJointVel", JointVelocity),
        ("PDJointPos", JointPosition),
        ("MimicPDJointPos", Mimic),
        ("PDBaseVel", PlanarBase),
        ("PosVel", JointPositionVelocity),
        ("EE-delta", EndEffectorPose),
    ],
)
def test_controllers_have_robotlabs_names(name, kind):
    config = RobotConfig.from_yaml(f"parts: {{arm: {{controller: {name}}}}}\nhome: {{}}\n")
    controller = config.parts["arm"].controller
    assert isinstance(controller, kind)
    assert getattr(controller, "delta", True)


@pytest.mark.parametrize("path", ["robot/base_link", "table/cup/box"])
def test_reads_before_the_first_reset_ask_for_it(path):
    """Handles exist once the scenes are loaded."""
    elements = {"table": {"cup": Model(BOX)}}
    lab = LabSimulator(MujocoSimulator, SimulatorConfig(), LabRobot(BASE), elements)
    with pytest.raises(DeepSimError, match=rf"body of '{path.rpartition('/')[0]}'.*call reset"):
        lab.find(path)
    with pytest.raises(DeepSimError, match="world does not exist yet: call reset"):
        lab.world.tick()
    with pytest.raises(DeepSimError, match=r"robot of 'robot'.*call reset"):
        lab.find("robot").get_state()


def test_errors_name_what_is_wrong(make_lab):
    """Unknown paths, reads of what was not written, and scenes that differ."""
    lab = make_lab(1, LabRobot(BASE))
    with pytest.raises(UnknownEntityError, match="did you mean 'base_link'"):
        lab.find("robot/base_lnk")
    with pytest.raises(UnknownEntityError, match="did you mean 'robot'"):
        lab.find("robt")

    class Reader(Model):
        def _load(self, sim):
            super()._load(sim)
            self.body.get_velocity()

    class Odd(Model):
        def _load(self, sim):
            self.body = sim.scene.add(f"{self.path}{sim.scene.index}", BOX)

    with pytest.raises(UnsupportedError, match="twist of 'box'"):
        make_lab(1, None, {"box": Reader(BOX)})
    with pytest.raises(DeepSimError, match="scene 1 has an object 'box1'"):
        make_lab(2, None, {"box": Odd(BOX)})
    with pytest.warns(UserWarning, match="not a multiple"):
        SimulatorConfig(sim_freq=500, control_freq=60)


@pytest.mark.parametrize(
    "values", [{"n_scenes": 2.5}, {"gravity": -9.81}, {"friction": -0.1}, {"seed": -1}]
)
def test_settings_that_do_not_fit_are_named(values):
    with pytest.raises(ValueError, match=next(iter(values))):
        SimulatorConfig(**values)
