# SPDX-License-Identifier: Apache-2.0
"""Models of every structure, built and moved: joints, parts, nests, offsets."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from cProfile import Profile

import numpy as np
import pytest

from deepsim_math import Euler, Pose, Twist
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    GazeboXMLLoader,
    Inertial,
    JointDescription,
    LinkDescription,
    ModelDescription,
    UnsupportedElementWarning,
)
from deepsim_sync import (
    CameraView,
    SpawnError,
    SpawnRequest,
    Transform,
    World,
    WriteRefusedError,
)

Load = Callable[[str], ModelDescription]

INERTIAL = """<inertial><mass>1</mass>
<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>"""
ARM = f"""<link name="base"><pose>0 0 0.5 0 0 0.3</pose>{INERTIAL}</link>
<link name="arm"><pose>1 0 0.5 0 0 0.3</pose>{INERTIAL}</link>
<joint name="elbow" type="revolute"><parent>base</parent><child>arm</child>
<axis><xyz>0 0 1</xyz></axis></joint>"""
TWO_PARTS = f"""<link name="a"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link>
<link name="b"><pose>-1 0 0 0 0 1</pose>{INERTIAL}</link>"""


def world_with(description: ModelDescription, pose: Pose | None = None) -> World:
    world = World(MujocoSimulator())
    world.spawn(description, "m", pose if pose is not None else Pose())
    return world


def test_parts_without_joints_get_the_velocities_of_one_rigid_motion(load: Load) -> None:
    """Where they are by now."""
    world = world_with(load(TWO_PARTS))
    model = Transform(world, "m")
    model.link("b").pose = Pose((0, 3, 0))
    world.flush()
    model.twist = Twist((0, 0, 0), (0, 0, 2))
    world.flush()
    assert model.link("a").twist.linear.isclose((0, 2, 0), abs_tol=1e-9)
    assert model.link("b").twist.linear.isclose((-6, 0, 0), abs_tol=1e-9)


def test_a_link_that_joints_hold_is_refused_and_the_rest_of_the_batch_is_applied(
    load: Load,
) -> None:
    world = world_with(load(ARM))
    model = Transform(world, "m")
    model.pose = Pose((5, 0, 0))
    model.link("arm").pose = Pose((9, 9, 9))
    with pytest.raises(WriteRefusedError, match="pose of link 'm::arm': joints hold it") as caught:
        world.flush()
    assert len(caught.value.refusals) == 1
    assert model.pose.isclose(Pose((5, 0, 0)))
    assert model.link("arm").pose.isclose(Pose((6, 0, 0.5), Euler(0, 0, 0.3)))


def test_nested_models_have_rows_of_their_own(load: Load) -> None:
    nested = load(
        f"""<link name="base">{INERTIAL}</link>
        <model name="hand"><pose>1 0 0 0 0 0.5</pose><link name="palm">{INERTIAL}</link></model>
        <joint name="wrist" type="fixed"><parent>base</parent><child>hand::palm</child></joint>"""
    )
    world = world_with(nested, Pose((0, 0, 1)))
    assert list(world.entities.models) == ["m", "m::hand"]
    assert list(world.entities.links) == ["m::base", "m::hand::palm"]
    hand = Transform(world, "m::hand")
    assert hand.pose.isclose(Pose((1, 0, 1), Euler(0, 0, 0.5)))
    hand.pose = Pose()
    with pytest.raises(WriteRefusedError, match="'m::hand': joints hold it: set model 'm' as a"):
        world.flush()


def test_a_link_without_gravity_floats_and_a_rotated_inertia_counts(load: Load) -> None:
    """Spinning about a principal axis goes on; about another axis it does not."""
    text = """<link name="link"><gravity>false</gravity><inertial><pose>0 0 0 0 0 0.7</pose>
    <mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.025</izz></inertia>
    </inertial></link>"""
    for angle, steady in ((0.7, True), (0.0, False)):
        world = world_with(load(text))
        model = Transform(world, "m")
        spin = Twist((0, 0, 0), (3 * math.cos(angle), 3 * math.sin(angle), 0))
        model.twist = spin
        for _ in range(500):
            world.tick()
        assert model.twist.isclose(spin, abs_tol=1e-3) is steady
        assert model.pose.position.isclose((0, 0, 0), abs_tol=1e-9)


def test_a_flat_inertia_is_accepted_in_any_orientation(load: Load) -> None:
    """Ixx + Iyy = Izz exactly, which rounding may make too little."""
    rng = np.random.default_rng(0)
    world = World(MujocoSimulator())
    for number in range(30):
        ixx, iyy = rng.uniform(0.01, 1.0, 2)
        turn = " ".join(str(angle) for angle in rng.uniform(-3, 3, 3))
        disc = load(
            f"""<link name="link"><inertial><pose>0 0 0 {turn}</pose><mass>1</mass>
            <inertia><ixx>{ixx}</ixx><iyy>{iyy}</iyy><izz>{ixx + iyy}</izz></inertia>
            </inertial></link>"""
        )
        world.spawn(disc, f"disc{number}", Pose())
    world.tick()


def test_what_is_left_out_is_named_once_per_kind(load: Load) -> None:
    skate = """<collision name="{}"><geometry><sphere><radius>1</radius></sphere></geometry>
    <surface><friction><ode><mu>1</mu><mu2>0.1</mu2></ode></friction></surface></collision>"""
    text = f"""<link name="link">{skate.format("one")}{skate.format("two")}
    <sensor name="s" type="sonar"/></link>"""
    description = load(text)
    with pytest.warns(UnsupportedElementWarning) as caught:
        world_with(description)
    assert sorted(str(warning.message) for warning in caught) == [
        "model 'm': a second friction coefficient of link::one and 1 more not simulated",
        "model 'm': sonar sensors of link::s not simulated",
    ]


HEAVY = """<inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""


@pytest.mark.parametrize(
    ("links", "kind"),
    [
        (f'<link name="a"/><link name="b">{HEAVY}</link>', "fixed"),  # as ``base_footprint``
        (f'<link name="a">{HEAVY}</link><link name="b"/>', "continuous"),  # as frames of grippers
    ],
    ids=["root", "moved by a joint"],
)
def test_a_link_without_mass_falls_with_the_others(links: str, kind: str) -> None:
    """As in most ROS robots: it is carried, or light."""
    joint = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/></joint>'
    robot = GazeboXMLLoader().load_model(f'<robot name="r">{links}{joint}</robot>')
    world = world_with(robot, Pose((0, 0, 5)))
    for _ in range(100):
        world.tick()
    assert Transform(world, "m").pose.position.z == pytest.approx(5 - 0.5 * 9.8 * 0.01, abs=1e-3)


def test_a_moving_link_without_any_mass_is_refused_by_name() -> None:
    robot = GazeboXMLLoader().load_model(
        """<robot name="r"><link name="a"/><link name="b"/>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
    )
    with pytest.raises(SpawnError, match=r"link 'a' moves, .* has a mass: give it an <inertial>"):
        world_with(robot)


def test_a_joint_of_equal_limits_is_locked(load: Load) -> None:
    slide = load(
        f"""<link name="cart">{INERTIAL}</link>
        <joint name="slide" type="prismatic"><parent>world</parent><child>cart</child>
        <axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>0</upper></limit></axis></joint>"""
    )
    world = world_with(slide, Pose((0, 0, 3)))
    for _ in range(500):
        world.tick()
    assert Transform(world, "m").link("cart").pose.position.z == pytest.approx(3, abs=2e-3)


def test_a_static_model_without_links_is_a_frame_that_can_be_put_anywhere() -> None:
    text = """<sdf version="1.7"><world name="w"><model name="empty"><static>true</static>
    <pose>1 2 3 0 0 0.5</pose><model name="inner"><pose>1 0 0 0 0 0</pose></model></model>
    </world></sdf>"""
    world = World(MujocoSimulator(GazeboXMLLoader().load_world(text)))
    model, inner = Transform(world, "empty"), Transform(world, "empty::inner")
    assert model.pose.isclose(Pose((1, 2, 3), Euler(0, 0, 0.5)))
    between = model.pose.inverse() @ inner.pose
    assert between.isclose(Pose((1, 0, 0)))
    model.pose = Pose((4, 5, 6))
    world.tick()
    assert model.pose.isclose(Pose((4, 5, 6)))
    assert inner.pose.isclose(Pose((5, 5, 6)))
    inner.pose = Pose()
    world.tick()
    assert inner.pose.isclose(Pose())
    assert model.pose.isclose(Pose((4, 5, 6)))
    world.delete("empty")
    assert list(world.entities.models) == []


def test_a_model_that_moves_needs_a_link() -> None:
    with pytest.raises(SpawnError, match="'m': it has no link, and is not static"):
        world_with(ModelDescription("m"))


def chain(links: int) -> ModelDescription:
    """Links one below the other."""
    joints = tuple(
        JointDescription(f"j{n}", "fixed", f"l{n}", f"l{n + 1}") for n in range(links - 1)
    )
    return ModelDescription(
        "m",
        links=tuple(LinkDescription(f"l{n}", inertial=Inertial()) for n in range(links)),
        joints=joints,
    )


def test_a_chain_may_have_a_thousand_links() -> None:
    world = world_with(chain(1000))
    assert len(world.entities.links) == 1000
    with pytest.raises(SpawnError, match="link 'l1000' ends a chain of more than 1000 links"):
        world_with(chain(1001))


def test_what_is_no_description_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"for a file, use MujocoSimulator\.from_file"):
        MujocoSimulator("some.world")
    with pytest.raises(TypeError, match=r"use deepsim_spawn\.ModelSpawner"):
        World(MujocoSimulator()).spawn("<sdf/>", "m", Pose())


def test_a_world_of_a_thousand_grey_visuals_is_drawn_in_grey(load: Load) -> None:
    """MuJoCo draws 999 materials at most, and takes its own default grey for no colour."""
    grey = "<material><diffuse>0.5 0.5 0.5 1</diffuse></material>"
    tile = "<geometry><box><size>1 1 0.1</size></box></geometry>"
    visuals = "".join(
        f'<visual name="v{i}"><pose>{i % 40} {i // 40} 0 0 0 0</pose>{tile}{grey}</visual>'
        for i in range(1040)
    )
    world = world_with(load(f'<static>1</static><link name="link">{visuals}</link>'))
    view = CameraView.from_above(20, 12, 8, size=(32, 24))
    middle = world.render(view)[12, 16].astype(int)
    assert middle.max() - middle.min() <= 2
    assert middle.max() < 200


def test_many_models_take_as_many_calls_each_as_few(load: Load) -> None:
    """Ours: how long MuJoCo compiles is its own matter."""
    description = load(ARM)

    def calls(count: int) -> int:
        world = World(MujocoSimulator())
        requests = [SpawnRequest(description, f"m{n}", Pose((n, 0, 0))) for n in range(count)]
        profile = Profile()
        gc.disable()  # the garbage of other tests would be counted
        try:
            profile.runcall(world.spawn_many, requests)
        finally:
            gc.enable()
        return sum(entry.callcount for entry in profile.getstats())

    calls(1)  # what is computed once for all
    few, more, many = map(calls, (50, 100, 200))
    assert many - more == pytest.approx(2 * (more - few), rel=0.01)


def test_a_plugin_that_is_not_run_is_told_with_what_replaces_it(load: Load) -> None:
    plugin = '<plugin name="{}" filename="libgazebo_ros_diff_drive.so"/>'
    model = load(f'<link name="link">{INERTIAL}</link>{plugin.format("a")}{plugin.format("b")}')
    with pytest.warns(UnsupportedElementWarning, match="plugin libgazebo_ros_diff_drive") as said:
        world_with(model)
    assert [str(each.message) for each in said] == [
        "model 'm': plugin libgazebo_ros_diff_drive.so (the wheels are commanded by the joints "
        "table, `world.joints`) of m and 1 more not simulated"
    ]
