# SPDX-License-Identifier: Apache-2.0
"""The robots that ship with DeepSim move on MuJoCo Warp as on MuJoCo."""

from __future__ import annotations

import os

import numpy as np
import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_robots import ROBOTS, Robot
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World

deepsim_warp = pytest.importorskip("deepsim_warp", reason="make warp installs it")

OWN = [name for name, entry in ROBOTS.items() if not entry.package]
GROUND = """<sdf version="1.7"><world name="w"><model name="ground"><static>true</static>
  <link name="link"><collision name="c"><geometry><plane/></geometry></collision></link>
</model></world></sdf>"""


def robot(name, on_warp, worlds=1):
    """Returns a robot in a world of 1 ms, two steps per tick."""
    world = GazeboXMLLoader().load_world(GROUND)
    if on_warp:
        simulator = deepsim_warp.WarpSimulator(world, worlds=worlds, device="cpu")
    else:
        simulator = MujocoSimulator(world, worlds=worlds)
    return Robot(World(simulator, steps_per_tick=2), ROBOTS[name].load(), name)


def test_an_arm_follows_its_targets_as_on_mujoco():
    """Within 1e-5 rad over 500 ticks, in which the targets move."""
    found = []
    for on_warp in (True, False):
        arm = robot("arm", on_warp, worlds=2)
        rows, home, way = arm.joints.rows, arm.joints.traits.home, []
        for tick in range(500):
            rows.put(target_position=home + 0.3 * np.sin(0.02 * tick))
            arm.world.tick()
            way.append(rows.position.copy())
        found.append(np.array(way))
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-5)
    assert np.median(np.ptp(found[1], axis=0)) > 0.3  # it moves, its fingers by centimetres


@pytest.mark.skipif(os.environ.get("DEEPSIM_WARP") != "whole", reason="make warp runs it")
@pytest.mark.parametrize("name", OWN)
def test_it_holds_its_pose_as_on_mujoco(name):
    """After 2 s, joints and base are within 1e-4 rad and m of those on MuJoCo."""
    ends = []
    for on_warp in (True, False):
        held = robot(name, on_warp)
        for _ in range(1000):
            held.world.tick()
        ends.append((held.joints.rows.position.copy(), held.model.pose.copy()))
    for found, wanted in zip(*ends, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-4)
