# SPDX-License-Identifier: Apache-2.0
"""The walk on MuJoCo Warp: the same bytes in any number of worlds, and MuJoCo's motion."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import PHYSICS_PROPERTIES, World
from deepsim_tasks.walk import WORLD, Field, trot

deepsim_warp = pytest.importorskip("deepsim_warp", reason="make warp installs it")

TICKS = 50
STEPS = 5  # per tick


def field(engine=None, worlds=3):
    """Returns the task in its first state."""
    description = GazeboXMLLoader().load_world(WORLD)
    if engine is None:
        simulator = deepsim_warp.WarpSimulator(description, worlds=worlds, device="cpu")
    else:
        simulator = engine(description, worlds=worlds)
    area = Field(World(simulator, seed=7, steps_per_tick=STEPS))
    area.reset(np.arange(worlds))
    area.world.flush()
    return area


def walked(area, ticks=TICKS):
    """Returns the poses of the trunk and the joint positions after each tick, (ticks, W, ...)."""
    actions = np.random.default_rng(3).uniform(-0.3, 0.3, (ticks, 1, 12)).astype(np.float32)
    trunk, joints = [], []
    for action in actions:
        with area.world:
            area.act(np.broadcast_to(action, (len(area.world), 1, 12)))
            area.world.tick()
        trunk.append(area.robot.model.pose[:, 0].copy())
        joints.append(area.joints.position.copy())
    return np.array(trunk), np.array(joints)


def test_a_world_has_the_same_bytes_among_any_number_and_in_each_run():
    """1, 3 and 33 worlds with contacts, and 3 once more."""
    reference = walked(field(worlds=33))
    for worlds in (1, 3, 3):
        for found, wanted in zip(walked(field(worlds=worlds)), reference, strict=True):
            assert found.tobytes() == wanted[:, :worlds].tobytes()


def test_it_walks_as_on_mujoco():
    """Within 1e-5 m over .4 s, before contacts make any difference grow."""
    ticks = 20
    area = field()
    assert ticks * STEPS * area.world.simulator.timestep == pytest.approx(0.4)
    found, wanted = walked(area, ticks), walked(field(MujocoSimulator), ticks)
    np.testing.assert_allclose(found[0][..., :3], wanted[0][..., :3], atol=1e-5)
    assert np.ptp(wanted[0][..., 0]) > 0.01  # it walks


FACTORS = {
    "mass": 1.3,
    "friction": 0.6,
    "damping": 2.0,
    "joint_friction": 1.5,
    "armature": 1.2,
    "gravity": 0.9,
}


def trotted(area, ticks):
    """Returns poses and joint positions while the joints follow targets that start anew."""
    trunk, joints = [], []
    for tick in range(ticks):
        area.joints.put(target_position=trot(np.full(3, 0.02 * tick)))
        area.world.tick()
        trunk.append(area.robot.model.pose.copy())
        joints.append(area.joints.position.copy())
    return np.array(trunk).tobytes() + np.array(joints).tobytes()


def test_snapshots_and_resets_have_the_same_bytes_after_all_physics_factors():
    """Factors, different in each world, leave no trace after a reset, nor after a snapshot."""
    area = field()
    world, physics = area.world, area.world.simulator.physics
    start = world.get_state()
    described = trotted(area, 4)
    assert set(FACTORS) == set(PHYSICS_PROPERTIES)
    links = [name for name in world.entities.links if name.startswith("quadruped")]
    for name, factor in FACTORS.items():
        physics.scale(name, links, np.full((3, len(links)), factor) * [[1.0], [1.1], [0.9]])
    scaled = trotted(area, 3)
    middle = world.get_state()
    later = trotted(area, 3)
    world.set_state(start)
    assert trotted(area, 4) == described
    assert scaled not in described
    world.set_state(middle)
    assert trotted(area, 3) == later
    world.simulator.reset()
    world.set_state(start)
    assert trotted(area, 4) == described
    world.reset()
    again = field()
    again.world.reset()
    assert trotted(area, 4) == trotted(again, 4)
