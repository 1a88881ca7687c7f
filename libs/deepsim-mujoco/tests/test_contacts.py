# SPDX-License-Identifier: Apache-2.0
"""What touches what, where, and how it slides: self-collision, masks and friction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from deepsim_math import Pose, Twist
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    CollisionDescription,
    Inertial,
    LinkDescription,
    ModelDescription,
    Plane,
    Sphere,
    Surface,
)
from deepsim_sync import Transform, World

Load = Callable[[str], ModelDescription]

INERTIAL = """<inertial><mass>1</mass>
<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>"""


def touching_balls(whole: str = "", first: str = "", second: str = "") -> str:
    """Links a and b, which overlap and float."""
    link = f"""<link name="{{}}"><pose>{{}} 0 0 0 0 0</pose><gravity>false</gravity>{INERTIAL}
    <collision name="c"><geometry><sphere><radius>0.5</radius></sphere></geometry></collision>
    {{}}</link>"""
    return whole + link.format("a", 0, first) + link.format("b", 0.8, second)


ON, OFF = "<self_collide>1</self_collide>", "<self_collide>0</self_collide>"
FAR = f"<link name='far'><pose>9 0 0 0 0 0</pose>{INERTIAL}</link>"
HALVES = touching_balls().replace('<link name="b">', '<model name="n"><link name="b">') + "</model>"


@pytest.mark.parametrize(
    ("inside", "touch"),
    [
        (touching_balls(), False),
        (touching_balls(ON), True),
        (touching_balls("", ON), True),
        (touching_balls(ON, OFF), True),
        (touching_balls(ON, OFF, OFF), False),
        (f"{FAR}<model name='n'>{touching_balls(ON)}</model>", True),
        (f"{ON}{FAR}<model name='n'>{touching_balls()}</model>", False),
        (HALVES, True),
        (
            f"{HALVES}<joint name='j' type='ball'><parent>a</parent><child>n::b</child></joint>",
            False,
        ),
    ],
)
def test_links_of_one_model_touch_as_on_gazebo(load: Load, inside: str, touch: bool) -> None:
    """Of one model those that self-collide; any of two nested models; none that a joint joins."""
    world = World(MujocoSimulator())
    world.spawn(load(inside), "m", Pose())
    names = [name for name in world.entities.links if name.endswith(("::a", "::b"))]
    rows = world.entities.links.rows(names)
    for _ in range(100):
        world.tick()
    one, other = world.links.pose[0, rows, :3]
    assert (np.linalg.norm(one - other) > 0.81) == touch


@pytest.mark.parametrize("mu", [2.0, 100.0, 1e100])
def test_high_friction_holds_a_box_on_the_ground_and_does_not_let_it_through(mu: float) -> None:
    """MuJoCo makes contacts of high friction soft; with its own settings things fall through."""
    rough = Surface(mu=mu, mu2=mu)

    def of(shape: Box | Plane, *, static: bool) -> ModelDescription:
        collision = CollisionDescription("c", shape, surface=rough)
        link = LinkDescription("l", inertial=Inertial(), collisions=(collision,))
        return ModelDescription("m", links=(link,), static=static)

    world = World(MujocoSimulator())
    world.spawn(of(Plane((0, 0, 1)), static=True), "ground", Pose())
    world.spawn(of(Box((1, 1, 0.1)), static=False), "box", Pose((0, 0, 0.05)))
    Transform(world, "box").twist = Twist((1, 0, 0))
    for _ in range(500):
        world.tick()
    stopped_by = 1.0 / (2 * min(mu, 10.0) * 9.8)  # v^2 / (2 mu g)
    position = Transform(world, "box").pose.position
    assert position.isclose((stopped_by, 0, 0.05), abs_tol=1e-3)


@pytest.mark.parametrize(
    ("one", "other", "touch"),
    [
        (0x80000000, 0x80000000, True),
        (0x80000000, 0xFFFFFFFF, True),
        (0x80000000, 0x7FFFFFFF, False),
        (0x80000001, 0x00000001, True),
    ],
)
def test_every_bit_of_a_collision_mask_counts(one: int, other: int, touch: bool) -> None:
    world = World(MujocoSimulator())
    for x, mask in enumerate((one, other)):
        surface = Surface(collide_bitmask=mask)
        collision = CollisionDescription("c", Sphere(0.5), surface=surface)
        link = LinkDescription("l", inertial=Inertial(), collisions=(collision,), gravity=False)
        model = ModelDescription("m", links=(link,))
        world.spawn(model, f"m{x}", Pose((0.8 * x, 0, 0)))
    for _ in range(100):
        world.tick()
    assert (world.models.pose[0, 1, 0] - world.models.pose[0, 0, 0] > 0.81) == touch
