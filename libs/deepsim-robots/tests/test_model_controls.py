# SPDX-License-Identifier: Apache-2.0
"""Actions that are the controls of an MJCF model's own actuators."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import (
    Gripper,
    GripperDrive,
    JointPosition,
    ModelControls,
    Part,
    Robot,
    RobotConfig,
    find_robot,
)
from deepsim_spawn import MjcfModel
from deepsim_sync import UnknownEntityError, World

HAND = """<mujoco model="hand"><worldbody>
<body name="arm" pos="0 0 1"><joint name="lift" type="slide" axis="0 0 1" range="-.2 .3"/>
  <geom type="box" size=".05 .05 .05" mass="1"/>
  <body name="left" pos="0 .02 .1"><joint name="left" type="slide" axis="0 1 0" range="0 .04"
    damping="5"/><geom type="box" size=".01 .01 .04" mass=".05"/></body>
  <body name="right" pos="0 -.02 .1"><joint name="right" type="slide" axis="0 -1 0" range="0 .04"
    damping="5"/><geom type="box" size=".01 .01 .04" mass=".05"/></body>
  <body name="wrist" pos="0 0 -.1"><joint name="turn" axis="0 0 1" armature=".01" damping=".1"/>
    <geom type="box" size=".02 .03 .04" mass=".2"/></body></body></worldbody>
<tendon><fixed name="split"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed>
</tendon>
<equality><joint joint1="left" joint2="right"/></equality>
<actuator><general name="lift" joint="lift" gear="2" gainprm="4000" biastype="affine"
    biasprm="400 -4000 -200"/>
  <motor name="turn" joint="turn" gear="3" ctrlrange="-1 1"/>
  <general name="grip" tendon="split" ctrlrange="0 255" gainprm=".0156862745" biastype="affine"
    biasprm="0 -100 -10"/></actuator>
<keyframe><key name="home" qpos=".1 .02 .02 0"/></keyframe></mujoco>"""
MOVES = ([0.5, 0.2, 255.0], [-0.3, -0.4, 0.0], [0.0, 0.3, 100.0])


def make(controller: ModelControls, worlds: int = 1, joints: list[str] | None = None) -> Robot:
    parts = {"all": Part([".*"] if joints is None else joints, controller)}
    world = World(MujocoSimulator(worlds=worlds), steps_per_tick=5)
    return Robot(world, RobotConfig(MjcfModel(HAND), parts=parts), "hand")


def test_actions_are_the_controls_of_the_file() -> None:
    """The robot moves as plain MuJoCo moves it with the same controls."""
    robot = make(ModelControls())
    assert robot.parts["all"].controls == ("lift", "turn", "grip")
    np.testing.assert_allclose(robot.lower, [-0.5, -1.0, 0.0])
    np.testing.assert_allclose(robot.upper, [0.5, 1.0, 255.0])
    model = mujoco.MjModel.from_xml_string(HAND)
    model.opt.timestep, model.opt.gravity[2] = 0.001, -9.8
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for move in MOVES:
        robot.set_action(move)
        data.ctrl[:] = move
        for _ in range(40):
            robot.world.tick()
            mujoco.mj_step(model, data, 5)
        np.testing.assert_allclose(robot.joints.rows.position[0], data.qpos, atol=2e-5)


def test_until_the_first_action_the_robot_stays_at_home() -> None:
    """A position is held, a gripper keeps its opening, and a reset brings all of it back."""
    robot = make(ModelControls(), worlds=2)
    home, actuators = robot.joints.traits.home, robot.world.actuators
    held = actuators.target.copy()

    def rest() -> np.ndarray:
        for _ in range(100):
            robot.world.tick()
        position = robot.joints.rows.position
        np.testing.assert_allclose(position, np.tile(home, (2, 1)), atol=2e-3)
        return position

    first = rest()
    robot.set_action([[0.5, 0.5, 0.0], [0.0, -0.5, 255.0]])
    for _ in range(50):
        robot.world.tick()
    assert abs(robot.joints.rows.position - home).max() > 0.01
    robot.reset()
    np.testing.assert_array_equal(actuators.target, held)
    robot.world.reset()
    np.testing.assert_array_equal(rest(), first)


def test_normalized_actions_span_the_controls() -> None:
    """-1 and 1 are the ends of their ranges."""
    robot = make(ModelControls(normalized=True, lower=[0.0, -0.5, 0.0]))
    assert robot.upper.tolist() == [1.0, 1.0, 1.0]
    robot.set_action([-1.0, 1.0, 0.0])
    rows = robot.joints.rows
    assert rows.target_position[0, 0] == pytest.approx(0.05)
    assert rows.feedforward[0, 3] == pytest.approx(3.0)
    assert robot.world.actuators.target[0, 0] == pytest.approx(127.5)


def test_a_part_has_the_controls_of_its_joints_or_those_that_it_names() -> None:
    """Other parts may have other controllers for their joints."""
    config = RobotConfig(
        MjcfModel(HAND),
        parts={
            "arm": Part(["lift"], JointPosition()),
            "wrist": Part(["turn"], ModelControls(controls=["tu.*"])),
            "fingers": Part(["left", "right"], ModelControls(controls=["grip"])),
        },
    )
    robot = Robot(World(MujocoSimulator(worlds=3)), config, "hand")
    robot.set_action([0.0, 0.25, 40.0], worlds=np.array([1]))
    assert robot.world.actuators.target[:, 0].tolist()[1] == 40.0
    assert robot.joints.rows.feedforward[:, 3].tolist() == pytest.approx([0.0, 0.75, 0.0])
    own = replace(config, parts={"arm": Part(["lift"], ModelControls(controls=["turn"]))})
    fingers = {"fingers": config.parts["fingers"]}
    with pytest.raises(UnknownEntityError, match=r"control of part 'arm' of 'other'.*'turn'"):
        Robot(robot.world, own, "other")
    arm = replace(find_robot("arm").load(), parts={"all": Part([".*"], ModelControls())})
    with pytest.raises(ValueError, match="'arm' has no actuators"):
        Robot(robot.world, arm, "arm")
    twice = replace(config, parts={"wrist": Part(["turn"], ModelControls()), **fingers})
    with pytest.raises(ValueError, match="control 'grip' is in two parts, 'wrist' and 'fingers'"):
        Robot(robot.world, twice, "other")
    assert list(robot.world.entities.models) == ["hand"]


def test_a_gripper_opens_from_0_to_1_and_knows_its_width() -> None:
    """The width is twice the position of a finger, for both move alike."""
    hand = Gripper(control="grip", fingers=("left", "right"), gap=0.04)
    config = RobotConfig(MjcfModel(HAND), parts={"hand": Part(["left", "right"], hand)})
    robot = Robot(World(MujocoSimulator(worlds=3), steps_per_tick=5), config, "hand")
    robot.set_action([[0.0], [1.0], [0.5]])
    for _ in range(400):
        robot.world.tick()
    drive = robot.parts["hand"]
    assert isinstance(drive, GripperDrive)
    np.testing.assert_allclose(drive.width, [0.0, 0.08, 0.04], atol=5e-4)
    both = replace(config, parts={"hand": Part([".*"], replace(hand, control=".*i.*"))})
    with pytest.raises(ValueError, match="'hand' must be one of"):
        Robot(robot.world, both, "other")


def test_a_gripper_goes_to_a_width_in_metres() -> None:
    """That of a linkage, which is not linear in the control, goes through the measured widths."""
    hand = Gripper(control="grip", fingers=("left", "right"), gap=0.04, widths=(0.0, 0.08))
    config = RobotConfig(MjcfModel(HAND), parts={"hand": Part(["left", "right"], hand)})
    world = World(MujocoSimulator(worlds=3), steps_per_tick=5)
    robot = Robot(world, config, "hand")
    assert (robot.lower[0], robot.upper[0]) == (0.0, 0.08)
    robot.set_action([[0.01], [0.07], [1.0]])
    for _ in range(400):
        world.tick()
    drive = robot.parts["hand"]
    assert isinstance(drive, GripperDrive)
    np.testing.assert_allclose(drive.width, [0.01, 0.07, 0.08], atol=5e-4)
    linkage = replace(hand, widths=(0.0, 0.02, 0.08))  # at controls 0, 127.5 and 255
    other = Robot(world, replace(config, parts={"hand": Part(["left", "right"], linkage)}), "other")
    other.set_action([[0.01], [0.02], [0.05]])
    grip = world.actuators.select(["other::grip"]).target[:, 0]
    np.testing.assert_allclose(grip, [63.75, 127.5, 191.25])
    for widths in ((0.08, 0.0), (0.0,), (0.0, np.nan)):
        wrong = {"hand": Part(["left", "right"], replace(hand, widths=widths))}
        with pytest.raises(ValueError, match="widths of part 'hand' must be two numbers or more"):
            Robot(world, replace(config, parts=wrong), "wrong")


def test_a_gripper_lifts_a_box_and_holds_it() -> None:
    """It does not slip by a millimetre in ten seconds, and the fingers stay as wide as the box."""
    hand = Gripper(control="grip", fingers=("left", "right"), gap=0.04)
    parts = {
        "arm": Part(["lift"], ModelControls(controls=["lift"])),
        "hand": Part(["left", "right"], hand),
    }
    world = World(MujocoSimulator(), steps_per_tick=10)
    robot = Robot(world, RobotConfig(MjcfModel(HAND), parts=parts), "hand")
    box = MjcfModel("""<mujoco><worldbody><body name="box" pos="0 0 1.2"><freejoint/>
    <geom type="box" size=".01 .015 .02" mass=".01"/></body></worldbody></mujoco>""")
    world.spawn(box, "box", Pose())
    held = world.links.select(["box::box"])
    for _ in range(60):  # it floats until the fingers have it
        robot.set_action([0.1, 0.0])
        held.twist = (0.0,) * 6
        world.tick()
    robot.set_action([0.4, 0.0])
    for _ in range(100):
        world.tick()
    lifted = held.pose[0, 0, 2]
    assert lifted > 1.3
    for _ in range(1000):
        world.tick()
    assert held.pose[0, 0, 2] == pytest.approx(lifted, abs=1e-3)
    drive = robot.parts["hand"]
    assert isinstance(drive, GripperDrive)
    assert drive.width[0] == pytest.approx(0.03 - 0.02, abs=1e-3)
