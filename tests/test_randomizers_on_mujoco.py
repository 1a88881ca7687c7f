# SPDX-License-Identifier: Apache-2.0
"""Randomizers on the embedded engine: what they do to the physics and the pictures, and replay."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict

import numpy as np
import pytest

from deepsim_fx import (
    CameraRandomizer,
    Draw,
    LightRandomizer,
    ModelVisualRandomizer,
    PhysicsRandomizer,
    PoseRandomizer,
    RandomizerManager,
    TintEffect,
)
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import CameraView, World

EYE = "sled::link::eye"
STREET = """<sdf version="1.7"><world name="street">
<light name="lamp" type="point"><pose>-1 1 2 0 0 0</pose><diffuse>.9 .9 .9 1</diffuse>
<attenuation><range>20</range><constant>.5</constant></attenuation></light>
<model name="ground"><static>true</static><link name="link"><collision name="c"><geometry>
<plane><normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link></model>
<model name="sled"><pose>0 0 .1 0 0 0</pose><link name="link">
<inertial><mass>1</mass><inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
<collision name="c"><geometry><box><size>.4 .4 .2</size></box></geometry>
<surface><friction><ode><mu>.4</mu><mu2>.4</mu2></ode></friction></surface></collision>
<visual name="paint"><geometry><box><size>.4 .4 .2</size></box></geometry></visual>
<sensor name="eye" type="camera"><pose>-1 0 .5 0 .4 0</pose><camera>
<horizontal_fov>1</horizontal_fov><image><width>40</width><height>30</height></image></camera>
</sensor></link></model></world></sdf>"""


def make(seed: int, worlds: int = 1) -> World:
    """A world with a sled."""
    street = GazeboXMLLoader().load_world(STREET)
    return World(MujocoSimulator(street, worlds=worlds), seed=seed, steps_per_tick=10)


@pytest.fixture
def worlds() -> list[World]:
    """Two worlds with a sled, of different seeds."""
    return [make(seed) for seed in (1, 2)]


def add_all(world: World) -> RandomizerManager:
    manager = world.get(RandomizerManager)
    for randomizer in (
        ModelVisualRandomizer("sled", world=world),
        LightRandomizer("lamp", linear=("uniform", 0, 1), world=world),
        PoseRandomizer("sled", position=[("normal", 0, 0.2), 0, 0.1], world=world),
        PhysicsRandomizer("sled", mass=("log-uniform", 0.3, 3), friction=0.6, world=world),
        CameraRandomizer(EYE, position=("normal", 0, 0.1), world=world),
    ):
        manager.add(randomizer)
    return manager


def episode(world: World, ticks: int = 100) -> list[tuple[bytes, bytes]]:
    """Pushes the sled for 1 s: its path and the last picture, for each world."""
    sled = world.models.select(["sled"])
    sled.twist = [(1.5, 0.2, 0, 0, 0, 0.5)]
    path = []
    for _ in range(ticks):
        world.tick()
        path.append(sled.pose[:, 0])
    return [
        (np.array(path)[:, w].tobytes(), world.render(EYE, w).tobytes()) for w in range(len(world))
    ]


@pytest.mark.parametrize("count", [1, 3])
def test_a_replayed_episode_is_the_same_bit_for_bit(count: int) -> None:
    """By way of JSON, in another world whose own draws were others before."""
    first, second = make(1, count), make(9, count)
    managers = [add_all(world) for world in (first, second)]
    first.reset()
    text = json.dumps([asdict(draw) for draw in managers[0].randomize()])
    seen = episode(first)
    second.reset()
    managers[1].randomize()
    for one, other in zip(seen, episode(second), strict=True):
        assert one[0] != other[0]
        assert one[1] != other[1]
    second.reset()
    managers[1].replay(Draw(**draw) for draw in json.loads(text))
    assert episode(second) == seen


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same world", "another world"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_snapshot_holds_what_was_randomized(count: int, elsewhere: bool) -> None:
    """Looks, lights, pose, physics and camera: path and picture are the same bits."""
    first, second = make(1, count), make(2, count)
    managers = [add_all(world) for world in (first, second)]
    managers[0].randomize()
    TintEffect("sled", (0, 1, 0), duration=9, world=first).attach([count - 1])
    state = pickle.loads(pickle.dumps(first.get_state()))
    seen = episode(first)
    target = second if elsewhere else first
    for manager in managers:
        manager.randomize()
    target.reset()
    target.set_state(state)
    assert episode(target) == seen


def test_friction_is_felt_and_a_reset_ends_it(worlds: list[World]) -> None:
    """Half the friction, twice the way; after a reset all is as described, bit for bit."""
    world = worlds[0]
    sled = world.models.select(["sled"])

    def way(factor: float | None) -> float:
        world.reset()
        if factor is not None:
            PhysicsRandomizer("sled", friction=factor, world=world, name="f").randomize()
        sled.twist = [(1.0, 0, 0, 0, 0, 0)]
        for _ in range(150):
            world.tick()
        return float(sled.pose[0, 0, 0])

    described = way(None)
    assert way(0.5) == pytest.approx(2 * described, rel=0.03)
    assert way(None) == described


def test_a_light_that_gets_its_colour_back_is_where_it_was(worlds: list[World]) -> None:
    """Neither place, direction nor shadows change with the colour."""
    world = worlds[0]
    view = CameraView.from_above(0, 0, 3, size=(80, 60))
    before = world.render(view)
    own = {"diffuse": world.lights.diffuse.copy(), "attenuation": world.lights.attenuation.copy()}
    LightRandomizer("lamp", quadratic=("uniform", 0.2, 0.5), world=world).randomize()
    assert (world.render(view) != before).any()
    world.put("lights", own)
    np.testing.assert_array_equal(world.render(view), before)


def test_a_randomized_model_goes_on_when_others_come_and_go(worlds: list[World]) -> None:
    """Spawning compiles the world anew; factors and mounts are kept."""
    world = worlds[0]
    add_all(world).randomize()
    physics, mounts = world.simulator.physics, world.simulator.camera_mounts
    assert physics is not None
    assert mounts is not None
    mass, mount = physics.factors("mass")[0, -1], mounts.get(EYE)
    text = STREET[STREET.index('<model name="ground">') : STREET.index('<model name="sled">')]
    ground = GazeboXMLLoader().load_model(f'<sdf version="1.7">{text}</sdf>')
    world.spawn(ground, "another", Pose((0, 0, -5)))
    row = world.entities.links.row("sled::link")
    assert physics.factors("mass")[0, row] == mass != 1.0
    assert mounts.get(EYE) == mount
