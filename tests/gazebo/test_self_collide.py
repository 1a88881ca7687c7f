# SPDX-License-Identifier: Apache-2.0
"""The same links of a model touch one another on the embedded engine and on Gazebo."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    CollisionDescription,
    Inertial,
    LinkDescription,
    ModelDescription,
    Sphere,
)
from deepsim_sync import Simulator, World


def ball(name: str, x: float, self_collide: bool | None = None) -> LinkDescription:
    """A ball of 1 m without gravity."""
    return LinkDescription(
        name,
        Pose((x, 0.0, 0.0)),
        inertial=Inertial(1.0, ixx=0.1, iyy=0.1, izz=0.1),
        collisions=(CollisionDescription("c", Sphere(0.5)),),
        gravity=False,
        self_collide=self_collide,
    )


def flat(whole: bool, a: bool | None, b: bool | None) -> ModelDescription:
    return ModelDescription("m", links=(ball("a", 0.0, a), ball("b", 0.8, b)), self_collide=whole)


def within(outer: bool, inner: bool) -> ModelDescription:
    """Both balls in a nested model."""
    nested = ModelDescription("n", links=(ball("a", 0.0), ball("b", 0.8)), self_collide=inner)
    return ModelDescription("m", links=(ball("far", 9.0),), models=(nested,), self_collide=outer)


def across(outer: bool, inner: bool) -> ModelDescription:
    """One ball in a model, the other in a nested one."""
    nested = ModelDescription("n", links=(ball("b", 0.8),), self_collide=inner)
    return ModelDescription("m", links=(ball("a", 0.0),), models=(nested,), self_collide=outer)


def siblings(whole: bool, a: bool, b: bool) -> ModelDescription:
    """Each ball in a nested model of its own."""
    one = ModelDescription("n", links=(ball("a", 0.0),), self_collide=a)
    two = ModelDescription("k", links=(ball("b", 0.8),), self_collide=b)
    return ModelDescription("m", links=(ball("far", 9.0),), models=(one, two), self_collide=whole)


CASES = {
    "flat": flat(False, None, None),
    "flat whole": flat(True, None, None),
    "flat a": flat(False, True, None),
    "flat a b": flat(False, True, True),
    "flat whole, not a": flat(True, False, None),
    "flat whole, not a b": flat(True, False, False),
    **{f"within {o} {i}": within(o, i) for o in (False, True) for i in (False, True)},
    **{f"across {o} {i}": across(o, i) for o in (False, True) for i in (False, True)},
    **{
        f"siblings {w} {a} {b}": siblings(w, a, b)
        for w in (False, True)
        for a in (False, True)
        for b in (False, True)
    },
}


def touch(simulator: Simulator, description: ModelDescription) -> bool:
    """Returns whether the overlapping balls a and b are pushed apart."""
    world = World(simulator, steps_per_tick=200)
    world.spawn(description, "m", Pose((0, 0, 5)))
    world.tick()
    names = [name for name in world.entities.links if name.endswith(("::a", "::b"))]
    rows = world.entities.links.rows(names)
    one, other = world.links.pose[0, rows, :3]
    world.delete("m")
    return bool(np.linalg.norm(one - other) > 0.82)


@pytest.mark.parametrize("case", CASES)
def test_the_same_links_touch(gazebo: GazeboSimulator, case: str) -> None:
    assert touch(MujocoSimulator(), CASES[case]) == touch(gazebo, CASES[case])
