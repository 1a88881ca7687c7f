# SPDX-License-Identifier: Apache-2.0
"""MJCF models live in a world beside others, under names of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from deepsim_math import Euler, Pose, Twist
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import MjcfModel, ModelDescription, ModelSpawner
from deepsim_sync import SpawnError, SpawnRequest, Tables, Transform, World

Load = Callable[[str], ModelDescription]

ARM = """
<mujoco model="arm"><compiler angle="degree"/>
<default><joint damping="0.1"/><default class="drawn">
<geom contype="0" conaffinity="0" rgba="1 0.5 0 0.75"/></default></default>
<worldbody>
  <body name="base" pos="0 0 1" euler="0 0 90"><geom name="stand" class="drawn" size="0.1"/>
    <body name="upper" pos="0.2 0 0"><joint name="shoulder" axis="0 1 0" range="-170 170"/>
      <inertial mass="1" pos="0.3 0 0" diaginertia="0.02 0.03 0.04"/>
      <body name="lower" pos="0.5 0 0"><joint name="elbow" type="ball"/>
        <inertial mass="0.5" pos="0.2 0 0.1" diaginertia="0.01 0.01 0.01"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04"/>
      </body></body></body>
</worldbody>
<keyframe><key name="home" qpos="0.5 1 0 0 0"/><key name="bent" qpos="1.5 1 0 0 0"/></keyframe>
<actuator><motor joint="shoulder"/></actuator>
</mujoco>"""

SDF_ARM = """<link name="upper"><pose>0 0.2 1 0 0 {turn}</pose><inertial><pose>0.3 0 0 0 0 0</pose>
<mass>1</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial></link>
<link name="lower"><pose>0 0.7 1 0 0 {turn}</pose><inertial><pose>0.2 0 0.1 0 0 0</pose>
<mass>0.5</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
<joint name="shoulder" type="revolute"><parent>world</parent><child>upper</child>
<axis><xyz>0 1 0</xyz><limit><lower>-{limit}</lower><upper>{limit}</upper></limit>
<dynamics><damping>0.1</damping></dynamics></axis></joint>
<joint name="elbow" type="ball"><parent>upper</parent><child>lower</child></joint>"""

BALL = """<mujoco model="ball"><worldbody><body name="ball" pos="1 0 0.5"><freejoint/>
<geom size="0.2" mass="2"/></body></worldbody></mujoco>"""


def mjcf(text: str, keyframe: str | None = None) -> MjcfModel:
    return MjcfModel(text, keyframe=keyframe)


def poses(world: World) -> np.ndarray:
    tables = Tables(world.entities, world.simulator.worlds)
    world.simulator.read(tables)
    return tables.links.pose


@pytest.fixture
def still() -> str:
    """The arm without keyframes and actuators, of which a warning tells."""
    return ARM.split("<keyframe>")[0] + "</mujoco>"


def test_an_arm_moves_as_the_same_arm_of_sdf(load: Load, still: str) -> None:
    """Its damping of a ball joint apart, which SDF has not."""
    text = still.replace('type="ball"', 'type="ball" damping="0"').replace('type="capsule"', "")
    text = text.replace('fromto="0 0 0 0.3 0 0" size="0.04"', 'size="0.01" contype="0" mass="0"')
    world = World(MujocoSimulator())
    at = Pose((1, 2, 3), Euler(0, 0, 0.7))
    world.spawn(mjcf(text), "m", at)
    world.spawn(load(SDF_ARM.format(turn=math.pi / 2, limit=math.radians(170))), "s", at)
    for _ in range(800):
        world.tick()
    rows = world.entities.links.rows(["m::upper", "m::lower", "s::upper", "s::lower"])
    found = poses(world)[0, rows]
    np.testing.assert_allclose(found[:2, :3], found[2:, :3], atol=1e-6)
    assert abs(np.sum(found[:2, 3:] * found[2:, 3:], axis=1)) == pytest.approx([1, 1], abs=1e-9)
    assert np.linalg.norm(found[1, :3] - (1, 2, 3)) > 0.1


def test_links_and_visuals_have_names_below_the_name_of_the_model(still: str) -> None:
    world = World(MujocoSimulator())
    world.spawn(mjcf(still), "left", Pose())
    world.spawn_many([SpawnRequest(mjcf(still), name, Pose((0, 5, 0))) for name in ("a", "b")])
    links = [f"::{link}" for link in ("worldbody", "base", "upper", "lower")]
    assert list(world.entities.models) == ["left", "a", "b"]
    assert list(world.entities.links) == [
        f"{m}{link}" for m in ("left", "a", "b") for link in links
    ]
    assert list(world.entities.visuals)[:2] == ["left::base::stand", "left::lower::visual 1"]
    tables = Tables(world.entities, 1)
    world.simulator.read(tables)
    assert tables.visuals.diffuse[0, 0].tolist() == [1.0, 0.5, 0.0, 1.0]
    assert tables.visuals.transparency[0, 0] == pytest.approx(0.25)


@pytest.mark.parametrize(("keyframe", "angle"), [("home", 0.5), ("bent", 1.5)])
def test_a_keyframe_holds_at_spawn_and_after_a_reset(keyframe: str, angle: float) -> None:
    world = World(MujocoSimulator(worlds=2))
    world.spawn(mjcf(ARM, keyframe), "m", Pose((0, 0, 1)))
    elbow = [0, 0.2 + 0.5 * math.cos(angle), 2 - 0.5 * math.sin(angle)]
    lower = world.entities.links.row("m::lower")
    np.testing.assert_allclose(poses(world)[:, lower, :3], [elbow] * 2, atol=1e-9)
    for _ in range(100):
        world.tick()
    assert abs(poses(world)[0, lower, :3] - elbow).max() > 1e-3
    world.simulator.reset()
    np.testing.assert_allclose(poses(world)[:, lower, :3], [elbow] * 2, atol=1e-9)


def test_joints_take_commands_from_where_the_keyframe_has_them() -> None:
    """They are rows of the joints table, with the limits that the file gives."""
    limited = ARM.replace('range="-170 170"', 'range="-170 170" actuatorfrcrange="-80 80"')
    world = World(MujocoSimulator())
    world.spawn(mjcf(limited), "m", Pose())
    ball = ["m::elbow", "m::elbow::2", "m::elbow::3"]
    assert list(world.entities.joints) == ["m::shoulder", *ball]
    shoulder = world.joints.select(["m::shoulder"])
    assert shoulder.position[0, 0] == 0.5
    assert shoulder.effort_limit[0, 0] == 80.0
    shoulder.stiffness, shoulder.damping, shoulder.target_position = 500.0, 50.0, 1.0
    for _ in range(2000):
        world.tick()
    assert shoulder.position[0, 0] == pytest.approx(1.0, abs=0.02)


@pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning")
def test_a_keyframe_that_is_not_there_or_does_not_fit_is_named() -> None:
    world = World(MujocoSimulator())
    with pytest.raises(SpawnError, match="no keyframe 'up'; it has 'home', 'bent'"):
        world.spawn(mjcf(ARM, "up"), "m", Pose())
    with pytest.raises(SpawnError, match="'home' has 2 positions, expected 5"):
        world.spawn(mjcf(ARM.replace("0.5 1 0 0 0", "1 2"), "home"), "m", Pose())
    assert list(world.entities.models) == []


def test_a_free_body_of_mjcf_is_put_moved_and_thrown_as_a_model(ground: ModelDescription) -> None:
    """The frame of the model is that of its file, in which the ball is at (1, 0, 0.5)."""
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    turned = Pose((0, 0, 2), Euler(0, 0, math.pi / 2))
    world.spawn(mjcf(BALL), "ball", turned)
    row = world.entities.links.row("ball::ball")
    np.testing.assert_allclose(poses(world)[:, row, :3], [[0, 1, 2.5]], atol=1e-12)
    ball = Transform(world, "ball")
    assert ball.pose.isclose(turned)
    ball.pose = Pose((3, 0, 1))
    ball.twist = Twist((1, 0, 0), (0, 0, 0))
    world.tick()
    np.testing.assert_allclose(poses(world)[0, row, :3], [4.001, 0, 1.5], atol=1e-4)
    for _ in range(1500):
        world.tick()
    assert poses(world)[0, row, 2] == pytest.approx(0.2, abs=5e-3)


def test_a_held_model_is_moved_as_a_whole(still: str) -> None:
    world = World(MujocoSimulator())
    world.spawn(mjcf(still), "m", Pose())
    arm = Transform(world, "m")
    before = poses(world)[0, world.entities.links.row("m::lower"), :3]
    arm.pose = Pose((0, 0, 7))
    world.tick()
    after = poses(world)[0, world.entities.links.row("m::lower"), :3]
    np.testing.assert_allclose(after, before + np.array([0, 0, 7]), atol=1e-4)


def test_each_world_gives_the_bits_of_one_alone_and_others_stay(still: str) -> None:
    def run(worlds: int, disturb: bool) -> np.ndarray:
        world = World(MujocoSimulator(worlds=worlds))
        world.spawn(mjcf(still), "m", Pose())
        world.spawn(mjcf(BALL), "ball", Pose((0, 0, 3)))
        for tick in range(60):
            if disturb and tick == 20:
                world.spawn(mjcf(still), "other", Pose((9, 0, 0)))
            if disturb and tick == 40:
                world.delete("other")
            world.tick()
        return poses(world)

    alone = run(1, disturb=False)
    for found in (run(3, disturb=False), run(1, disturb=True)):
        for each in found:
            np.testing.assert_allclose(each, alone[0], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(run(3, disturb=False)[2], alone[0])


def test_models_come_again_and_go_in_any_order(still: str) -> None:
    world = World(MujocoSimulator())
    for _ in range(3):
        world.spawn(mjcf(still), "a", Pose())
        world.spawn(mjcf(BALL), "b", Pose())
        world.spawn(mjcf(still), "c", Pose((3, 0, 0)))
        world.delete("a")
        state = world.simulator.snapshots.get_state()
        for _ in range(20):
            world.tick()
        before = poses(world)
        world.simulator.snapshots.set_state(state)
        world.simulator.step(20)
        np.testing.assert_array_equal(poses(world), before)
        world.delete("c")
        world.delete("b")
    assert list(world.entities.links) == []


WALKER = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<body name="torso" pos="0 0 0.5"><joint type="slide" axis="0 0 1"/>
<joint type="hinge" axis="0 1 0"/><geom size="0.2"/></body></worldbody></mujoco>"""


def test_what_joints_hold_to_the_world_touches_the_floor_of_its_file() -> None:
    world = World(MujocoSimulator())
    world.spawn(mjcf(WALKER), "walker", Pose((0, 0, 3)))
    for _ in range(1500):
        world.tick()
    torso = world.entities.links.row("walker::torso")
    assert poses(world)[0, torso, 2] == pytest.approx(3.2, abs=5e-3)
    contact = world.simulator.contacts.read(0)
    floor = world.entities.links.row("walker::worldbody")
    assert {*contact.links[0].tolist()} == {torso, floor}


def test_references_to_the_world_of_the_file_move_with_the_model() -> None:
    """A body that is welded to it stays where the model is put."""
    text = BALL.replace("</worldbody>", '<geom name="g" size="0.01"/></worldbody>').replace(
        "</mujoco>", '<equality><weld body1="ball" solref="0.002 1"/></equality></mujoco>'
    )
    world = World(MujocoSimulator())
    world.spawn(mjcf(text), "m", Pose((0, 0, 4)))
    for _ in range(300):
        world.tick()
    ball = poses(world)[0, world.entities.links.row("m::ball"), :3]
    np.testing.assert_allclose(ball, [1, 0, 4.5], atol=5e-3)


def test_files_are_copied_and_shown_to_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    trimesh.creation.box(extents=[0.4] * 3).export(path)
    (tmp_path / "m.xml").write_text(
        """<mujoco><asset><mesh file="box.stl"/></asset><worldbody><body name="b"><freejoint/>
        <geom type="mesh" mesh="box"/></body></worldbody></mujoco>"""
    )
    world = World(MujocoSimulator())
    model = MjcfModel(tmp_path / "m.xml")
    world.spawn(model, "m", Pose())
    path.unlink()
    ModelSpawner(mjcf(BALL)).spawn(world, "ball")
    world.tick()
    with pytest.raises(SpawnError, match=r"'n'.*box\.stl"):
        world.spawn(model, "n", Pose())
    assert list(world.entities.models) == ["m", "ball"]
    world.tick()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco><nonsense/></mujoco>", "refuses its MJCF: .*nonsense"),
        ("<mujoco/>", "has no body"),
        (BALL.replace("<freejoint/>", "<freejoint/><freejoint/>"), "refuses its MJCF"),
        (
            BALL.replace("<freejoint/>", "<joint name='j' axis='nan 0 1'/>"),
            "cannot be simulated: joint axis xyz must be finite",
        ),
        (
            BALL.replace("<freejoint/>", "<freejoint/><geom size='1' rgba='0 0 nan 1'/>"),
            "cannot be simulated: colour channel b",
        ),
        (
            BALL.replace("<freejoint/>", "<freejoint/><camera name='c' resolution='17000 2'/>"),
            "its MJCF has a wrong camera: .* 1..16384 pixels",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:XML contains a 'NaN'")
def test_what_mujoco_refuses_is_told_and_leaves_the_world(text: str, message: str) -> None:
    world = World(MujocoSimulator())
    world.spawn(mjcf(BALL), "ball", Pose())
    with pytest.raises(SpawnError, match=f"'m'.*{message}"):
        world.spawn(mjcf(text), "m", Pose())
    world.spawn(mjcf(BALL), "m", Pose())  # nothing of the refused one is left
    world.tick()
    assert list(world.entities.models) == ["ball", "m"]


PAIRED = """<mujoco model="m"><worldbody><body name="a" pos="0 0 0.5"><freejoint/>
<geom name="ball" size="0.2" mass="2" contype="0" conaffinity="0"/></body>
<geom name="top" type="box" size="1 1 0.1" contype="0" conaffinity="0"/></worldbody>
<contact><pair geom1="ball" geom2="top"/></contact></mujoco>"""

WRAPPED = """<mujoco model="m"><worldbody><body name="a" pos="0 0 2"><freejoint/>
<inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/><site name="a"/></body>
<geom name="drum" type="cylinder" size="0.2 0.3" euler="90 0 0" pos="0 0 3" contype="0"
conaffinity="0"/><site name="top" pos="-0.5 0 2"/><site name="side" pos="0.5 0 3.5"/></worldbody>
<tendon><spatial name="t" stiffness="500" springlength="0"><site site="top"/>
<geom geom="drum" sidesite="side"/><site site="a"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("text", [PAIRED, WRAPPED], ids=["pair", "tendon"])
def test_geoms_that_collide_with_nothing_act_where_they_are_named(text: str) -> None:
    """Those of a pair of contacts, and those that a tendon goes around, as if they did collide."""
    ends = []
    for each in (text, text.replace('contype="0"', 'contype="2"')):
        world = World(MujocoSimulator())
        world.spawn(mjcf(each), "m", Pose((0, 0, 1)))
        for _ in range(500):
            world.tick()
        ends.append(poses(world)[0, world.entities.links.row("m::a")])
    np.testing.assert_array_equal(*ends)
    assert np.isfinite(ends).all()
