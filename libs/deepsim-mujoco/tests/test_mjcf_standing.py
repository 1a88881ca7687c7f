# SPDX-License-Identifier: Apache-2.0
"""MJCF models start on the ground, at a keyframe, and collide as their own scene says."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel, UnsupportedElementWarning
from deepsim_sync import SpawnError, World

TURNED = 'pos=".1 0 .3" quat=".8 .3 -.4 .2"'
SHAPES = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".05 .2"',
    "cylinder": 'type="cylinder" size=".05 .2"',
    "ellipsoid": 'type="ellipsoid" size=".05 .1 .2"',
    "box": 'type="box" size=".05 .1 .2"',
    "mesh": 'type="mesh" mesh="wedge"',
}
BODY = """<mujoco><asset><mesh name="wedge" vertex="0 0 0 .3 0 0 0 .2 0 0 0 .4 .1 .1 .1"/></asset>
<worldbody>{floor}<body name="base" {pose}><freejoint/><geom {turned} {shape}/>
<geom size="2" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
GROUND = """<model name="ground"><static>true</static><link name="link"><collision name="plane">
<geometry><plane/></geometry></collision></link></model>"""


def grounded(worlds: int = 1) -> World:
    text = f'<sdf version="1.9"><world name="w">{GROUND}</world></sdf>'
    return World(MujocoSimulator(GazeboXMLLoader().load_world(text), worlds=worlds))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("height", [-3.0, 0.4])
def test_the_lowest_colliding_point_is_on_the_ground(shape: str, height: float) -> None:
    """MuJoCo finds a contact there, whose depth is 0; what does not collide does not count."""
    settings = {"turned": TURNED, "shape": SHAPES[shape]}
    pose = f'pos="0 0 {height}" quat=".9 .1 .2 -.3"'
    world = World(MujocoSimulator())
    text = BODY.format(floor="", pose=pose, **settings)
    world.spawn(MjcfModel(text, on_ground=True), "m", Pose())
    x, y, z, *turn = world.links.select(["m::base"]).pose[0, 0].tolist()
    quaternion = f"{turn[3]} {turn[0]} {turn[1]} {turn[2]}"
    floor = '<geom type="plane" size="9 9 1" margin=".01"/>'
    placed = f'pos="{x} {y} {z}" quat="{quaternion}"'
    model = mujoco.MjModel.from_xml_string(BODY.format(floor=floor, pose=placed, **settings))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.contact.dist.min() == pytest.approx(0.0, abs=1e-5)


def test_a_fixed_base_is_raised_and_never_lowered() -> None:
    """An arm that is mounted high stays there; one that hangs into the ground is put on it."""
    arm = """<mujoco><worldbody><body name="base" pos="0 0 {}"><joint name="j" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".1"/></body></worldbody></mujoco>"""
    world = World(MujocoSimulator())
    world.spawn(MjcfModel(arm.format(0.2), on_ground=True), "low", Pose())
    world.spawn(MjcfModel(arm.format(2.0), on_ground=True), "high", Pose((3, 0, 0)))
    low, high = world.links.select(["low::base", "high::base"]).pose[0, :, 2]
    assert (low, high) == pytest.approx((0.6, 2.0))


@pytest.mark.parametrize(
    ("names", "wanted", "angle"),
    [
        (("other", "home"), None, 0.2),
        (("other",), None, 0.1),
        (("", "b"), "", 0.1),
        (("a", "b"), None, 0.0),
        (("a", "stand"), None, 0.2),
        (("a", "b"), "b", 0.2),
    ],
)
def test_the_keyframe_is_the_usual_or_the_only_one(
    names: tuple[str, ...], wanted: str | None, angle: float
) -> None:
    keys = "".join(f'<key name="{name}" qpos=".{n + 1}"/>' for n, name in enumerate(names))
    text = f"""<mujoco><worldbody><body name="base"><joint name="j"/><geom size=".1"/></body>
    </worldbody><keyframe>{keys.replace('name="" ', "")}</keyframe></mujoco>"""
    world = World(MujocoSimulator())
    world.spawn(MjcfModel(text, keyframe=wanted), "m", Pose())
    assert world.joints.position[0, 0] == pytest.approx(angle)


def beside_a_scene(folder: Path, scene: str) -> Path:
    """Writes a robot of which nothing collides, and a scene that includes it; returns the robot."""
    robot = folder / "robot.xml"
    robot.write_text("""<mujoco model="robot"><worldbody><body name="base" pos="0 0 1"><freejoint/>
    <geom name="foot" type="box" size=".1 .1 .05" pos="0 0 -.05" contype="0" conaffinity="0"/>
    <body name="leg" pos="0 0 .1"><joint name="knee" axis="0 1 0" stiffness="50" damping="2"/>
    <geom name="shin" type="box" size=".05 .05 .2" contype="0" conaffinity="0"/></body></body>
    </worldbody></mujoco>""")
    (folder / "scene.xml").write_text(f"""<mujoco><include file="robot.xml"/><worldbody>
    <geom name="floor" type="plane" size="9 9 1"/></worldbody>{scene}</mujoco>""")
    return robot


def test_a_robot_that_only_its_scene_holds_stands_on_any_ground(tmp_path: Path) -> None:
    """It stands where MuJoCo lets it stand on the floor of the scene."""
    contact = '<pair geom1="floor" geom2="foot" condim="4" friction="2 2 .01 .001 .001"/>'
    robot = beside_a_scene(tmp_path, f"<contact>{contact}</contact>")
    world = grounded()
    world.spawn(MjcfModel(robot, on_ground=True), "robot", Pose())
    for _ in range(1000):
        world.tick()
    height = world.links.select(["robot::base"]).pose[0, 0, 2]
    assert height == pytest.approx(0.1, abs=1e-3)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))
    data = mujoco.MjData(model)
    data.qpos[2] = 0.1
    for _ in range(500):
        mujoco.mj_step(model, data)
    assert height == pytest.approx(data.qpos[2], abs=1e-3)


def test_a_broken_scene_does_not_keep_a_robot_from_loading(tmp_path: Path) -> None:
    robot = beside_a_scene(tmp_path, "<worldbody>")
    with pytest.warns(UnsupportedElementWarning, match="scene beside it cannot be read"):
        assert MjcfModel(robot).name == "robot"


def test_a_keyframe_of_the_scene_counts_if_the_file_has_none(tmp_path: Path) -> None:
    """A keyframe that is for a larger scene is left out with a warning."""
    key = '<keyframe><key name="home" qpos="0 0 3 1 0 0 0 .4{}"/></keyframe>'
    world = World(MujocoSimulator())
    world.spawn(MjcfModel(beside_a_scene(tmp_path, key.format(""))), "m", Pose())
    assert world.joints.position[0, 0] == pytest.approx(0.4)
    assert world.links.select(["m::base"]).pose[0, 0, 2] == pytest.approx(3.0)
    robot = beside_a_scene(tmp_path, key.format(" 7 7"))
    with pytest.warns(UnsupportedElementWarning, match="'home' has 10 positions, expected 8"):
        world.spawn(MjcfModel(robot), "n", Pose())
    with pytest.raises(SpawnError, match="'home' has 10 positions, expected 8"):
        world.spawn(MjcfModel(robot, keyframe="home"), "o", Pose())
    np.testing.assert_array_equal(world.joints.position[0], [world.joints.position[0, 0], 0.0])
