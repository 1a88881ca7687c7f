# SPDX-License-Identifier: Apache-2.0
"""RobotLab's behaviour: entities in n scenes, broadcast and per-scene writes."""

from __future__ import annotations

from dataclasses import replace

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
    find_robot,
)
from deepsim_robots.robotlab import (
    CameraConfig,
    Entity,
    GPUEngineConfig,
    LabRobot,
    LabSimulator,
    Model,
    SimulatorConfig,
)
from deepsim_sync import DeepSimError, UnknownEntityError, UnsupportedError

BOX = model(link("box"), name="box")
BASE = RobotConfig(
    model(link("base_link"), name="base"),
    {"base": Part([], PlanarBase(lower=[-2] * 3, upper=[2] * 3))},
)


class CircleBox(Entity):
    """A box whose place differs from scene to scene."""

    def __init__(self, n, first=0):
        super().__init__()
        self._n, self._first = n, first

    def _load(self, sim):
        angle = 2.0 * np.pi * (self._first + sim.scene.index) / self._n
        self.box = sim.scene.add(self.path, BOX)
        place = Pose((np.cos(angle), np.sin(angle) + 5.0, 0.5))
        self.box.set_pose(place)
        np.testing.assert_array_equal(self.box.get_pose(), np.asarray(place))  # before reset

    def _get_sapien_entities(self):
        return [self.box]


@pytest.fixture
def make_lab():
    labs = []

    def make(n, robot=None, elements=None, cameras=None, **options):
        config = SimulatorConfig(n_scenes=n, gravity=(0.0, 0.0, 0.0), **options)
        labs.append(LabSimulator(MujocoSimulator, config, robot, elements, False, cameras))
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


def test_scenes_have_the_bits_of_single_runs(make_lab):
    """Scene i of five gives the bits of one scene with the same box."""
    many = drive_to_circle(make_lab(5, LabRobot(BASE), {"box": CircleBox(5)}), 10)
    for index in range(5):
        one = drive_to_circle(make_lab(1, LabRobot(BASE), {"box": CircleBox(5, index)}), 10)
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
    assert robot.action_space.slices == {"arm": slice(0, 2)}
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


def test_drives_hold_what_they_are_told(make_lab):
    """Positions, in some scenes, then velocities, with the gains that were set."""
    body = LabRobot(RobotConfig(ARM, gains={".*": Gains(1.0, 1.0)}))
    lab = make_lab(2, body, control_freq=500)
    arm = lab.find("robot").body
    arm.set_drive_properties(400.0, 40.0)
    arm.set_drive_target([0.5, -0.5], ids=np.array([1]))
    for _ in range(1000):
        lab.step()
    assert arm.get_qpos() == pytest.approx(np.array([[0.0, 0.0], [0.5, -0.5]]), abs=1e-4)
    arm.set_drive_properties(0.0, [50.0, 50.0])
    arm.set_drive_velocity_target([0.2, -0.1])
    for _ in range(500):
        lab.step()
    assert arm.get_qvel() == pytest.approx(np.array([[0.2, -0.1]] * 2), abs=1e-3)


def test_settings_of_a_robot_are_those_of_its_configuration():
    robot = LabRobot(RobotConfig(ARM), fix_root=True, balance_passive_force=True)
    assert (robot.config.fixed_base, robot.config.balance) == (True, "bias")
    robot = LabRobot(RobotConfig(ARM, fixed_base=True, balance="gravity"))
    assert (robot.config.fixed_base, robot.config.balance) == (True, "gravity")


def test_settings_of_a_gpu_are_those_of_the_engine():
    given = {}

    def engine(description, **options):
        given.update(options)
        return MujocoSimulator(description, worlds=options["worlds"])

    gpu = GPUEngineConfig("cuda:1", contacts=64, constraints=256)
    lab = LabSimulator(engine, SimulatorConfig(n_scenes=3, gpu=gpu), None, {"box": Model(BOX)})
    lab.reset()
    lab.close()
    assert given == {"worlds": 3, "device": "cuda:1", "contacts": 64, "constraints": 256}


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
    assert getattr(controller, "one_speed", True)


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


def seen(name):
    """A box of 0.2 m that is drawn and touches nothing."""
    return model(
        f"<link name='{name}'><inertial><mass>1</mass></inertial><visual name='v'><geometry><box>"
        "<size>.2 .2 .2</size></box></geometry><material><diffuse>1 0 0 1</diffuse><ambient>1 0 0 1"
        "</ambient></material></visual></link>",
        name=name,
    )


def test_a_camera_on_the_world_measures_what_geometry_says(make_lab):
    """Depth, segmentation, place in the picture and the matrices, for boxes at other places."""
    config = CameraConfig(p=(-2.0, 0.0, 0.5), look_at=(0.0, 0.0, 0.5), width=64, height=48, far=9.0)
    lab = make_lab(2, None, {"box": Model(seen("box"))}, {"front": config})
    box, camera = lab.find("box").body, lab.get_sensor()["front"]
    box.set_pose(np.array([[0.0, 0.0, 0.5, 0, 0, 0, 1], [0.0, 0.4, 0.5, 0, 0, 0, 1]]))
    found = lab.get_observation()["front"]
    assert found["rgb"].shape == (2, 48, 64, 3)
    on_box = found["segmentation"] == lab.world.entities.links.row("box::box")
    assert found["depth"][0, 24, 32] == pytest.approx(1.9, abs=1e-3)
    assert np.isinf(found["depth"][~on_box]).all()
    params = camera.get_camera_params()
    focal = 24.0 / np.tan(0.5)
    assert params["intrinsic_cv"] == pytest.approx(
        np.array([[focal, 0, 32], [0, focal, 24], [0, 0, 1]])
    )
    for scene, y in enumerate((0.0, 0.4)):
        rows, columns = np.nonzero(on_box[scene])
        x, down, depth = params["extrinsic_cv"][scene] @ [-0.1, y, 0.5, 1.0]
        assert columns.mean() + 0.5 == pytest.approx(32 + focal * x / depth, abs=1.0)
        assert rows.mean() + 0.5 == pytest.approx(24 + focal * down / depth, abs=0.5)
        reds = found["rgb"][scene][on_box[scene]].mean(axis=0)
        assert reds[0] > 2 * reds[1:].max()
        world = np.vstack([params["extrinsic_cv"][scene], [0, 0, 0, 1]])
        to_gl = params["cam2world_gl"][scene] @ np.diag([1.0, -1.0, -1.0, 1.0])
        assert world @ to_gl == pytest.approx(np.eye(4), abs=1e-12)


def test_a_camera_on_a_link_moves_with_it_and_may_not_see_it(make_lab):
    """From inside a box only a camera that hides it sees the other box; then it is drawn again."""
    inside = CameraConfig("eye", q=(np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)), width=16, height=16)
    cameras = {"blind": inside, "free": replace(inside, hide_link=True, near=0.01)}
    lab = make_lab(2, None, {"eye": Model(seen("eye")), "box": Model(seen("box"))}, cameras)
    lab.find("eye").body.set_pose(np.array([[1.0, 0, 0, 0, 0, 0, 1], [5.0, 0, 0, 0, 0, 0, 1]]))
    lab.find("box").body.set_pose(Pose((1.0, 1.5, 0.0)))
    pose = lab.get_sensor()["free"].get_pose()
    assert pose[:, 0].tolist() == [1.0, 5.0]
    found = lab.get_observation()
    assert found["free"]["depth"][0, 8, 8] == pytest.approx(1.4, abs=1e-3)
    assert np.isinf(found["free"]["depth"][1]).all()
    assert lab.world.visuals.visible.all()
    lab.find("eye").body.set_pose(Pose((1.0, 0.5, 0.0)))
    assert lab.get_observation()["free"]["depth"][:, 8, 8] == pytest.approx([0.9] * 2, abs=1e-3)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"fov": 4.0}, "fov must lie"),
        ({"near": 2.0, "far": 1.0}, "near and far"),
        ({"look_at": (1.0, 0.0, 0.0), "q": (0.0, 0.0, 0.0, 1.0)}, "q or look_at"),
        ({"look_at": (0.0, 0.0, 0.0)}, "two finite points"),
        ({"hide_link": True}, "the world is its base"),
        ({"height": 0}, ">= 1 pixel"),
    ],
)
def test_cameras_that_do_not_fit_are_named(values, reason):
    with pytest.raises(ValueError, match=reason):
        CameraConfig(**values)


def test_an_entity_is_added_after_the_reset(make_lab):
    """It is found at once, at its own place in each scene, and is there after the next reset."""
    lab = make_lab(3, None, {"cup": Model(BOX)})
    lab.add("box", CircleBox(3))
    for _ in range(2):
        angles = 2.0 * np.pi * np.arange(3) / 3
        assert lab.find("box").box.get_pose()[:, 0] == pytest.approx(np.cos(angles))
        lab.reset()
    with pytest.raises(ValueError, match="'cup' is an entity already"):
        lab.add("cup", Model(BOX))

    class Odd(Model):
        def _load(self, sim):
            if sim.scene.index:
                raise RuntimeError("no cup is left")
            super()._load(sim)

    with pytest.raises(RuntimeError, match="no cup is left"):
        lab.add("late", Odd(BOX))
    lab.add("late", Model(BOX))
    assert lab.find("late").body.get_pose().shape == (3, 7)


def test_a_base_is_read_and_put_as_place_and_heading(make_lab):
    """In all scenes or some; the space of actions has the shape of the scenes."""
    lab = make_lab(3, LabRobot(BASE))
    robot = lab.find("robot")
    robot.set_base_pose([1.0, -2.0, 2.5])
    robot.set_base_pose([3.0, 4.0, -1.0], ids=np.array([1]))
    expected = [[1.0, -2.0, 2.5], [3.0, 4.0, -1.0], [1.0, -2.0, 2.5]]
    assert robot.get_base_pose() == pytest.approx(np.array(expected))
    robot.body.set_root_pose(Pose((7.0, 0.0, 0.0)))
    assert robot.get_base_pose()[:, 0].tolist() == [7.0] * 3
    assert robot.action_space.shape == (3, 3)
    sampled = robot.action_space.sample(np.random.default_rng(0))
    assert (np.abs(sampled) <= 1.0).all()
    assert make_lab(1, LabRobot(BASE)).find("robot").action_space.shape == (3,)


def test_an_end_effector_moves_at_a_rate(make_lab):
    """EE-delta at half of 0.5 m/s for 1 s lowers the goal by 0.25 m, whatever the control rate."""
    for control_freq in (10, 50):
        robot = LabRobot(replace(find_robot("arm").load(), parts={}))
        robot.register_controller("arm", ["joint_.*"], {"type": "EE-delta", "link": "tool"})
        lab = make_lab(1, robot, sim_freq=500, control_freq=control_freq)
        lab.step()
        start = lab.find("robot/tool").get_pose()[0].copy()
        for _ in range(control_freq):
            lab.step([0.0, 0.0, -0.5, 0.0, 0.0, 0.0])
        for _ in range(control_freq):
            lab.step(np.zeros(6))
        end = lab.find("robot/tool").get_pose()[0]
        assert end[:3] - start[:3] == pytest.approx([0.0, 0.0, -0.25], abs=5e-3)
