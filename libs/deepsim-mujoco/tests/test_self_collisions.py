# SPDX-License-Identifier: Apache-2.0
"""Which links of models touch: in numbers of models that share no bit, and pair by pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    CollisionDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    Mesh,
    ModelDescription,
    Sphere,
    Surface,
)
from deepsim_sync import SpawnRequest, World

MASKS = (0xFFFF, 0xFFFF, 1, 2, 0x8000, 0)


def link(name: str, mask: int = 0xFFFF, **more: object) -> LinkDescription:
    """A ball at the origin that floats."""
    collision = CollisionDescription("c", Sphere(0.5), surface=Surface(collide_bitmask=mask))
    return LinkDescription(
        name, inertial=Inertial(), collisions=(collision,), gravity=False, **more
    )


def chain(links: int) -> ModelDescription:
    """Links that joints hold one below the other."""
    joints = [JointDescription(f"j{i}", "ball", f"l{i - 1}", f"l{i}") for i in range(1, links)]
    each = tuple(link(f"l{i}") for i in range(links))
    return ModelDescription("m", links=each, joints=tuple(joints))


def touching(*models: ModelDescription) -> set[frozenset[str]]:
    """Spawns models on one spot; returns the pairs of links that touch."""
    simulator = MujocoSimulator()
    simulator.spawn([SpawnRequest(m, f"m{i}", Pose()) for i, m in enumerate(models)])
    names = simulator.entities.links
    return {frozenset(names[row] for row in pair) for pair in simulator.contacts.read().links}


def test_three_hundred_links_need_no_pairs_of_links() -> None:
    """There were 44,850."""
    simulator = MujocoSimulator()
    simulator.spawn([SpawnRequest(chain(300), "m", Pose())])
    assert simulator._states.model.nexclude == 0
    assert not len(simulator.contacts.read().links)


def test_numbers_are_used_again() -> None:
    """There are 4095, and many more models come and go."""
    simulator = MujocoSimulator()
    for _ in range(20):
        simulator.spawn([SpawnRequest(chain(2), f"m{i}", Pose((3 * i, 0, 0))) for i in range(3)])
        for i in range(3):
            simulator.delete(f"m{i}")
    simulator.spawn([SpawnRequest(chain(2), "m", Pose())])
    assert simulator._states.model.geom_contype.max() <= 3 << 4


def test_models_beyond_the_numbers_are_kept_off_pair_by_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("deepsim_mujoco.spec.self_collisions._MOST", 1)
    assert touching(chain(3), chain(3)) == {
        frozenset((f"m0::l{i}", f"m1::l{j}")) for i in range(3) for j in range(3)
    }


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(MASKS),
                st.sampled_from([None, True, False]),
                st.booleans(),
                st.booleans(),
            ),
            min_size=1,
            max_size=4,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_what_touches_is_as_gazebo_has_it(
    models: list[list[tuple[int, bool | None, bool, bool]]],
) -> None:
    """Against the rule, pair by pair: masks, self-collision, joints, and what cannot move."""
    described, links, joined = [], {}, set()
    for m, parts in enumerate(models):
        each, joints = [], []
        for i, (mask, collides, kinematic, hangs) in enumerate(parts):
            name = f"m{m}::l{i}"
            each.append(link(f"l{i}", mask, self_collide=collides, kinematic=kinematic))
            links[name] = (m, mask, bool(collides), kinematic)
            if i and hangs:
                joints.append(JointDescription(f"j{i}", "ball", f"l{i - 1}", f"l{i}"))
                if not kinematic:
                    joined.add(frozenset((f"m{m}::l{i - 1}", name)))
        described.append(ModelDescription("m", links=tuple(each), joints=tuple(joints)))
    expected = set()
    for (one, a), (other, b) in combinations(links.items(), 2):
        same_model = a[0] == b[0]
        masked = not a[1] & b[1]
        still = a[3] and b[3]
        passes = same_model and not (a[2] or b[2])
        if not (masked or still or passes or frozenset((one, other)) in joined):
            expected.add(frozenset((one, other)))
    assert touching(*described) == expected


def test_a_link_in_the_hollow_of_a_mesh_does_not_touch_its_hull(tmp_path: Path) -> None:
    """One that comes from outside touches it, and a ball of the same size in a solid base does."""
    path = tmp_path / "gutter.stl"
    sides = [trimesh.creation.box(extents=[2, 0.1, 1]) for _ in range(2)]
    for side, y in zip(sides, (-1.0, 1.0), strict=True):
        side.apply_translation((0.0, y, 0.0))
    trimesh.util.concatenate(sides).export(path)
    hull = CollisionDescription("c", Mesh(path))
    base = LinkDescription("base", inertial=Inertial(), collisions=(hull,), self_collide=True)
    near = link("near", pose=Pose((0.0, 0.0, 0.1)))
    far = link("far", pose=Pose((5.0, 0.0, 0.0)))
    arm = LinkDescription("arm", inertial=Inertial())
    joints = (
        JointDescription("a", "revolute", "base", "arm", axis=JointAxis((1.0, 0.0, 0.0))),
        JointDescription("b", "ball", "arm", "near"),
        JointDescription("c", "prismatic", "arm", "far", axis=JointAxis((1.0, 0.0, 0.0))),
    )
    robot = ModelDescription("m", links=(base, arm, near, far), joints=joints)
    simulator = MujocoSimulator()
    with pytest.warns(UserWarning, match=r"1 pairs .* 'm::base' and 'm::near' by"):
        simulator.spawn([SpawnRequest(robot, "m", Pose())])
    assert not len(simulator.contacts.read().links)
    world = World(simulator)
    world.joints.position = [[-4.0 if name == "m::c" else 0.0 for name in world.entities.joints]]
    world.flush()
    names = simulator.entities.links
    (pair,) = {frozenset(names[row] for row in each) for each in simulator.contacts.read().links}
    assert pair == {"m::base", "m::far"}
    solid = replace(base, collisions=(CollisionDescription("c", Box((2.0, 2.0, 1.0))),))
    whole = replace(robot, links=(solid, arm, near, far))
    assert touching(whole) == {frozenset({"m0::base", "m0::near"})}


def test_a_state_of_other_models_of_the_same_size_is_refused() -> None:
    simulator = MujocoSimulator()
    box, ball = (ModelDescription("m", links=(link(name),)) for name in ("box", "ball"))
    small = CollisionDescription("c", Sphere(0.1))
    other = ModelDescription(
        "m", links=(LinkDescription("box", inertial=Inertial(), collisions=(small,)),)
    )
    simulator.spawn([SpawnRequest(box, "m", Pose())])
    state = simulator.snapshots.get_state()
    for another in (ball, other):
        simulator.delete("m")
        simulator.spawn([SpawnRequest(another, "m", Pose((1, 2, 3)))])
        before = simulator.snapshots.get_state()
        with pytest.raises(ValueError, match="the state belongs to other models"):
            simulator.snapshots.set_state(state)
        assert np.array_equal(simulator.snapshots.get_state().integration, before.integration)
    simulator.delete("m")
    simulator.spawn([SpawnRequest(box, "m", Pose((4, 5, 6)))])
    simulator.snapshots.set_state(state)
