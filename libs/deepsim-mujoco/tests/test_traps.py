# SPDX-License-Identifier: Apache-2.0
"""Traps of MuJoCo that users must not fall into; each is a defect or habit of the engine itself."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deepsim_math import Euler, Pose, Twist
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import ModelDescription
from deepsim_sync import DuplicateEntityError, SimulationError, SpawnError, Transform, World

Box = Callable[..., ModelDescription]
Load = Callable[[str], ModelDescription]


def test_an_upright_cylinder_rests_on_a_plane(ground: ModelDescription, load: Load) -> None:
    """Rounding noise of its axis must not make a contact as deep as its radius."""
    cylinder = load(
        """<link name="link">
        <inertial><mass>31</mass><inertia><ixx>2</ixx><iyy>2</iyy><izz>2.8</izz></inertia></inertial>
        <collision name="c"><geometry><cylinder><radius>0.25</radius><length>0.8</length></cylinder>
        </geometry></collision></link>"""
    )
    rng = np.random.default_rng(0)
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    for number in range(100):
        tilt = Euler(*rng.normal(0.0, 1e-16, 2), rng.uniform(-3, 3))
        world.spawn(cylinder, f"c{number}", Pose((number % 10, number // 10, 0.4), tilt))
    for _ in range(200):
        world.simulator.step()
        world.tick()
        assert np.abs(world.models.twist[0, 1:, 2]).max() < 0.05


def test_500_spawns_and_deletes_leave_memory_flat(box: Box) -> None:
    """What a model brought goes with it; `MjSpec.attach` would leak and slow down."""
    description = box()
    world = World(MujocoSimulator())
    page = resource.getpagesize()

    def cycle() -> None:
        world.spawn(description, "x", Pose((0, 0, 1)))
        world.tick()
        world.delete("x")

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * page

    for _ in range(50):
        cycle()
    before = resident()
    for _ in range(500):
        cycle()
    assert resident() - before < 2_000_000


def test_a_refused_spawn_leaves_the_world_as_it_was(
    ground: ModelDescription, box: Box, load: Load
) -> None:
    """A spec that failed to compile would fail for ever after."""

    def run(refused: bool) -> bytes:
        world = World(MujocoSimulator())
        world.spawn(ground, "ground", Pose())
        world.spawn(box(), "a", Pose((0, 0, 0.5), Euler(0.2, 0.1, 0)))
        for _ in range(300):
            world.tick()
        if refused:
            plane = load(
                """<link name="link"><collision name="c"><geometry><plane><normal>0 0 1</normal>
                <size>1 1</size></plane></geometry></collision></link>"""
            )
            with pytest.raises(SpawnError, match=r"'bad'.*plane only allowed in static bodies"):
                world.spawn(plane, "bad", Pose())
            with pytest.raises(DuplicateEntityError, match="model named 'a' exists"):
                world.spawn(box(), "a", Pose())
        world.spawn(box(), "b", Pose((1, 0, 0.5)))
        for _ in range(300):
            world.tick()
        return world.models.pose.tobytes() + world.models.twist.tobytes()

    assert run(refused=True) == run(refused=False)


def test_a_diverged_world_says_so_and_can_be_reset(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MuJoCo would reset itself, and write MUJOCO_LOG.TXT into the current folder."""
    monkeypatch.chdir(tmp_path)
    world = World(MujocoSimulator())
    world.spawn(box(), "a", Pose())
    Transform(world, "a").twist = Twist((1e12, 0, 0))
    with pytest.raises(SimulationError, match=r"diverged by t = 0\.001 s .* at link 'a::"):
        world.tick()
    world.reset()
    world.tick()
    assert world.models.pose[0, 0, :3] == pytest.approx([0, 0, 0], abs=1e-4)
    assert list(tmp_path.iterdir()) == []
