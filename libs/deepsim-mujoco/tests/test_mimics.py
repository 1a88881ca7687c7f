# SPDX-License-Identifier: Apache-2.0
"""Axes that follow others."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, ModelSpawner, Physics, WorldDescription
from deepsim_sync import SpawnError, World

_LINK = """<link name="{name}"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="{name}_joint" type="continuous"><parent link="palm"/><child link="{name}"/>
<axis xyz="0 0 1"/>{mimic}</joint>"""


def hand(**mimics: str) -> str:
    """A hand whose fingers have these joints; the palm is fixed to the world."""
    fingers = "".join(_LINK.format(name=name, mimic=mimic) for name, mimic in mimics.items())
    return (
        '<robot name="hand"><link name="world"/><link name="palm"/><joint name="held" type="fixed">'
        f'<parent link="world"/><child link="palm"/></joint>{fingers}</robot>'
    )


def world_with(text: str, worlds: int = 1) -> World:
    world = World(MujocoSimulator(worlds=worlds))
    ModelSpawner(GazeboXMLLoader().load_model(text)).spawn(world, "hand", Pose())
    return world


FOLLOWS = '<mimic joint="a_joint" multiplier="-2" offset="0.3"/>'


@pytest.mark.parametrize("push", [0.0, 5.0])
def test_a_follower_keeps_within_a_milliradian(push: float) -> None:
    """While its leader is driven, and while an effort pushes the follower aside."""
    world = world_with(hand(a="", b=FOLLOWS), worlds=3)
    leader = world.joints.select(["hand::a_joint"])
    follower = world.joints.select(["hand::b_joint"])
    targets = np.array([[0.5], [-0.5], [1.0]])
    leader.put(stiffness=50.0, damping=5.0, target_position=targets)
    follower.feedforward = push
    for _ in range(1000):
        world.tick()
        off = follower.position - (0.3 - 2.0 * leader.position)
        assert np.abs(off).max() < 1e-3
    assert np.abs(leader.position - targets).max() < 0.01 + 2.0 * push / 50.0 * 1.1


def light_hand(leader: str = "5e-6") -> str:
    """A hand of three light fingers; the inertia of the leading one is given [kg m^2]."""
    text = hand(a="", b='<mimic joint="a_joint"/>', c='<mimic joint="a_joint" multiplier="-1"/>')
    text = text.replace('<origin xyz="0.1 0 0"/><mass value="0.5"/>', '<mass value="0.02"/>')
    return text.replace('"0.01"', f'"{leader}"', 3).replace('"0.01"', '"5e-6"')


@pytest.mark.parametrize("serial", [False, True])
def test_light_fingers_follow_a_stiff_servo(serial: bool) -> None:
    """Its damping times dt over the inertia of a finger is 300; they would run ahead by radians."""
    text = light_hand()
    if serial:
        text = text.replace(
            '<parent link="palm"/><child link="b"/>', '<parent link="a"/><child link="b"/>'
        )
    world = world_with(text, worlds=2)
    leader = world.joints.select(["hand::a_joint"])
    followers = world.joints.select(["hand::b_joint", "hand::c_joint"])
    leader.put(stiffness=30.0, damping=1.5)
    for tick in range(1500):
        leader.target_position = 0.15 - 0.15 * np.cos(0.003 * tick)
        world.tick()
        off = followers.position - leader.position * (1.0, -1.0)
        assert np.abs(off).max() < 1e-3
    assert abs(leader.position[0, 0] - leader.target_position[0, 0]) < 0.03


@pytest.mark.parametrize("step", [0.001, 0.002, 0.005])
def test_fingers_of_10_g_close_in_step(step: float) -> None:
    """In plain MuJoCo, a servo of 1000 N/m and 100 N s/m parts them by 24 mm."""
    finger = """<link name="{0}"><inertial><mass value="0.01"/><inertia ixx="1e-6" ixy="0" ixz="0"
    iyy="1e-6" iyz="0" izz="1e-6"/></inertial></link><joint name="{0}_joint" type="prismatic">
    <parent link="palm"/><child link="{0}"/><axis xyz="0 {1} 0"/>
    <limit lower="-1" upper="1" effort="1000" velocity="100"/>{2}</joint>"""
    fingers = finger.format("a", 1, "") + finger.format("b", -1, '<mimic joint="a_joint"/>')
    world = World(MujocoSimulator(WorldDescription(physics=Physics(step))))
    text = hand().replace("</robot>", fingers + "</robot>")
    ModelSpawner(GazeboXMLLoader().load_model(text)).spawn(world, "hand", Pose())
    both = world.joints.select(["hand::a_joint", "hand::b_joint"])
    world.joints.select(["hand::a_joint"]).put(
        stiffness=1000.0, damping=100.0, target_position=0.04
    )
    for _ in range(round(1.0 / step)):
        world.tick()
        one, other = both.position[0]
        assert abs(one - other) < 1e-3
    assert both.position[0] == pytest.approx([0.04, 0.04], abs=1e-4)


def test_a_heavy_leader_keeps_up_with_a_stiff_servo_of_a_light_follower() -> None:
    """Its inertia is a thousand times that of the finger; the physics would diverge."""
    world = world_with(light_hand("5e-3"))
    leader = world.joints.select(["hand::a_joint"])
    follower = world.joints.select(["hand::b_joint"])
    follower.put(stiffness=30.0, damping=1.5)
    for tick in range(1500):
        follower.target_position = 0.15 - 0.15 * np.cos(0.003 * tick)
        world.tick()
        assert abs(follower.position[0, 0] - leader.position[0, 0]) < 1e-3
    assert abs(follower.position[0, 0] - follower.target_position[0, 0]) < 0.03


def test_factors_of_mass_count_alike_before_and_after_commands() -> None:
    """Bit for bit, also if they are taken back, and in another world that gets the state."""
    worlds = [world_with(light_hand("5e-4"), worlds=2) for _ in range(2)]
    world = worlds[0]
    links, scale = world.entities.links.within("hand"), world.simulator.physics.scale
    world.joints.select(["hand::a_joint"]).put(stiffness=30.0, damping=1.5)
    scale("mass", links, 2.0, [1])
    world.tick()
    scale("mass", links, 1.0, [1])
    worlds[1].set_state(world.get_state())
    moved = []
    for each in worlds:
        each.joints.select(["hand::a_joint"]).target_position = 0.5
        for _ in range(50):
            each.tick()
        moved.append(each.joints.select(["hand::a_joint", "hand::b_joint"]).position.copy())
    np.testing.assert_array_equal(moved[0][0], moved[0][1])
    np.testing.assert_array_equal(*moved)


def test_inertia_of_servos_and_factors_of_armature_add_up() -> None:
    """And a reset takes both back, so that the same commands give the same bits again."""
    world = world_with(hand(a="", b=FOLLOWS), worlds=2)

    def moved() -> np.ndarray:
        leader = world.joints.select(["hand::a_joint"])
        leader.put(stiffness=30.0, damping=3.0, target_position=0.5)
        for _ in range(50):
            world.tick()
        return leader.position.copy()

    first = moved()
    world.reset()
    links = world.entities.links.within("hand")
    world.simulator.physics.scale("armature", links, 2.0, [1])
    second = moved()
    np.testing.assert_array_equal(second[0], first[0])
    world.reset()
    np.testing.assert_array_equal(moved(), first)


def test_a_follower_begins_and_goes_where_its_leader_is_put() -> None:
    world = world_with(hand(a="", b=FOLLOWS), worlds=2)
    follower = world.joints.select(["hand::b_joint"])
    np.testing.assert_allclose(follower.position, 0.3)
    world.joints.select(["hand::a_joint"]).put([1], position=0.2, velocity=1.0)
    world.flush()
    np.testing.assert_allclose(follower.position, [[0.3], [-0.1]])
    np.testing.assert_allclose(follower.velocity, [[0.0], [-2.0]])


def test_chains_lead_back_to_the_first() -> None:
    """By c = 3 b + 0.1, where b = -2 a + 0.3."""
    chain = '<mimic joint="b_joint" multiplier="3" offset="0.1"/>'
    world = world_with(hand(c=chain, b=FOLLOWS, a=""))
    world.joints.select(["hand::a_joint"]).position = 0.1
    world.flush()
    last = world.joints.select(["hand::c_joint"])
    np.testing.assert_allclose(last.position, [[3.0 * (0.3 - 0.2) + 0.1]])


@pytest.mark.parametrize(
    ("other", "problem"),
    [('<mimic joint="b_joint"/>', "circle"), ("fixed", "has no axis")],
)
def test_what_cannot_lead_is_refused(other: str, problem: str) -> None:
    text = hand(a="" if other == "fixed" else other, b=FOLLOWS)
    if other == "fixed":
        text = text.replace('"a_joint" type="continuous"', '"a_joint" type="fixed"', 1)
    with pytest.raises(SpawnError, match=f"joint '[ab]_joint' mimics .*{problem}"):
        world_with(text)
