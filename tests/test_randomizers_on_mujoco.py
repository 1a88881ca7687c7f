# SPDX-License-Identifier: Apache-2.0
"""Randomizers on the embedded engine: what they do to the physics and the pictures, and replay."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict

import numpy as np
import pytest

from deepsim_fx import (
    ArrayRandomizer,
    CameraRandomizer,
    Draw,
    JointRandomizer,
    LightRandomizer,
    ModelVisualRandomizer,
    PhysicsRandomizer,
    PoseRandomizer,
    RandomizerManager,
    TintEffect,
)
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
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


# Values, gains and arrays


def slide(world: World) -> np.ndarray:
    """Pushes the sled along x at 1 m/s; where it stops in each world [m]."""
    world.models.select(["sled"]).twist = [(1.0, 0, 0, 0, 0, 0)]
    for _ in range(200):
        world.tick()
    return world.models.select(["sled"]).pose[:, 0, 0]


def test_a_coefficient_of_friction_stops_the_sled_after_its_distance() -> None:
    """The distance is v² / (2 mu g), whatever friction the description has; a reset restores it."""
    world = make(1, worlds=8)
    randomizer = PhysicsRandomizer("sled", friction_coefficient=("uniform", 0.1, 0.9), world=world)
    drawn = randomizer.randomize()
    coefficients = [each.values["friction_coefficient"]["sled::link"] for each in drawn]
    assert np.ptp(coefficients) > 0.3
    found = slide(world)
    np.testing.assert_allclose(found, 1.0 / (2.0 * np.array(coefficients) * 9.8), rtol=0.05)
    world.reset()
    randomizer.randomize([2])
    as_described = np.delete(slide(world), 2)
    np.testing.assert_allclose(as_described, 1.0 / (2.0 * 0.4 * 9.8), rtol=0.05)


def test_a_coefficient_above_that_of_the_ground_is_warned_of() -> None:
    """Of two surfaces the lower friction counts: 1 is the ground's."""
    world = make(1)
    with pytest.warns(UserWarning, match=r"friction of 'sled::link' to 2, .*'ground::link' has 1"):
        PhysicsRandomizer("sled", friction_coefficient=2.0, world=world).randomize()


GROUND = """<sdf version="1.7"><model name="ground"><static>true</static><link name="link">
<collision name="c"><geometry><plane/></geometry></collision></link></model></sdf>"""
BOOM = """<sdf version="1.7"><model name="boom"><link name="trunk">
<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.12</iyy><izz>.15</izz></inertia></inertial>
<collision name="c"><geometry><box><size>.4 .4 .2</size></box></geometry></collision></link>
<link name="arm"><pose>0 0 -.3 0 0 0</pose><inertial><pose>{pose}</pose><mass>.5</mass>
<inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.03</izz></inertia></inertial>
<collision name="c"><pose>0 0 -.2 .3 0 0</pose><geometry><box><size>.1 .2 .1</size></box>
</geometry></collision></link>
<joint name="hinge" type="revolute"><parent>trunk</parent><child>arm</child>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


def boom(pose: str = "0 0 0 0 0 0", worlds: int = 1) -> World:
    """A trunk with an arm, which soon touches the ground."""
    world = World(MujocoSimulator(worlds=worlds), steps_per_tick=5)
    ModelSpawner(GROUND).spawn(world, "ground", Pose())
    ModelSpawner(BOOM.format(pose=pose)).spawn(world, "boom", Pose((0.0, 0.0, 0.6)))
    return world


def fall(world: World) -> np.ndarray:
    """Where the links are after a fall with a spin, (W, links, 7)."""
    world.models.select(["boom"]).twist = (0.1, 0.2, -0.3, 1.0, 2.0, 3.0)
    touched = False
    for _ in range(40):
        world.tick()
        touched |= len(world.simulator.contacts.read(0).depth) > 0
    assert touched
    return world.links.pose


@pytest.mark.parametrize(("height", "roll"), [(0.0, 0.0), (-0.2, 0.0), (-0.2, 0.3)])
def test_a_shifted_center_of_mass_moves_as_if_it_was_described_there(
    height: float, roll: float
) -> None:
    """Another world, whose description has the offset, falls alike; the other worlds do not.

    At last the center is that of the box which touches the ground; the box stays where it is.
    """
    own = f"0 0 {height} {roll} 0 0"
    world, described = boom(own, worlds=3), boom(f"0.04 -0.02 {height + 0.01} {roll} 0 0")
    values = {"center_of_mass": {"boom::arm": [0.04, -0.02, 0.01]}}
    randomizer = PhysicsRandomizer("boom", center_of_mass=0.0, links="arm", world=world)
    randomizer.replay(Draw(randomizer.name, 0, 0.0, json.loads(json.dumps(values)), world=1))
    found = fall(world)
    np.testing.assert_allclose(found[1], fall(described)[0], atol=1e-9)
    plain = fall(boom(own))[0]
    np.testing.assert_array_equal(found[0], plain)
    assert np.abs(found[1] - plain).max() > 1e-2
    world.reset()
    np.testing.assert_array_equal(fall(world)[1], plain)


def test_a_shifted_center_of_mass_is_in_snapshots() -> None:
    world, other = boom(worlds=2), boom(worlds=2)
    shift = PhysicsRandomizer("boom", center_of_mass=("normal", 0, 0.05), links="arm", world=world)
    shift.randomize()
    other.set_state(pickle.loads(pickle.dumps(world.get_state())))
    np.testing.assert_array_equal(fall(world), fall(other))


def test_a_center_of_mass_that_cannot_be_moved_is_refused() -> None:
    """MuJoCo compiles the inertia of a single box as a diagonal."""
    world = make(1)
    with pytest.raises(ValueError, match="center of mass of 'sled::link' cannot be moved"):
        PhysicsRandomizer("sled", center_of_mass=0.1, world=world).randomize()


def test_friction_is_a_factor_or_a_coefficient() -> None:
    with pytest.raises(ValueError, match="as a factor or as a coefficient"):
        PhysicsRandomizer("sled", friction=0.5, friction_coefficient=0.5, world=make(1))


def arm(worlds: int = 1, seed: int = 0) -> World:
    world = World(MujocoSimulator(worlds=worlds), seed=seed)
    Robot.load(world, "arm")
    return world


def test_gains_are_drawn_by_joint_and_replayed() -> None:
    """Factors apply to the configured gains, for the named joints, until a reset."""
    world = arm(3)
    names = [name.removeprefix("arm::") for name in world.joints.names]
    before = world.joints.stiffness.copy()
    randomizer = JointRandomizer(
        "arm", stiffness=("uniform", 0.5, 0.9), effort_limit=0.5, joints="joint_[12]", world=world
    )
    log = randomizer.randomize()
    for _ in range(2):  # draws replace each other
        for draw in log:
            number, factors = draw.world, draw.values["stiffness"]
            assert sorted(factors) == ["joint_1", "joint_2"]
            expected = before[number] * [factors.get(name, 1.0) for name in names]
            np.testing.assert_array_equal(world.joints.stiffness[number], expected)
        randomizer.randomize()
        for draw in log:
            randomizer.replay(Draw(**json.loads(json.dumps(asdict(draw)))))
    world.reset(worlds=np.array([1]))
    np.testing.assert_array_equal(world.joints.stiffness[1], before[1])
    assert (world.joints.stiffness[2] != before[2]).sum() == 2


def test_draws_of_gains_are_those_of_one_world_alone() -> None:
    drawn = [
        JointRandomizer("arm", damping=("normal", 1, 0.1), world=world).randomize()[-1].values
        for world in (arm(33), arm(1, seed=32))
    ]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("mode", ["value", "scale", "add"])
def test_arrays_are_drawn_per_world_and_replayed(mode: str) -> None:
    """Rows of the given worlds change in place, relative to the rows at the construction."""
    world = make(1, worlds=4)
    array = np.arange(8.0).reshape(4, 2)
    own = array.copy()
    randomizer = ArrayRandomizer("bias", array, ("uniform", 1, 2), mode=mode, world=world)
    log = randomizer.randomize([1, 3])
    np.testing.assert_array_equal(array[[0, 2]], own[[0, 2]])
    for draw in log:
        value, before = np.array(draw.values["value"]), own[draw.world]
        expected = {"value": value, "scale": before * value, "add": before + value}[mode]
        np.testing.assert_array_equal(array[draw.world], expected)
    drawn = array.copy()
    randomizer.randomize()
    for draw in log:
        randomizer.replay(Draw(**json.loads(json.dumps(asdict(draw)))))
    np.testing.assert_array_equal(array[[1, 3]], drawn[[1, 3]])


def test_arrays_of_whole_numbers_get_whole_numbers() -> None:
    world, steps = make(1, worlds=50), np.zeros(50, int)
    ArrayRandomizer("delay", steps, ("choice", [1, 2, 3]), world=world).randomize()
    assert set(steps.tolist()) == {1, 2, 3}
    with pytest.raises(ValueError, match=r"a row for each of 50 worlds, got shape \(49,\)"):
        ArrayRandomizer("delay", steps[1:], 1, world=world)
    with pytest.raises(TypeError, match="an array of numbers in place"):
        ArrayRandomizer("delay", [1] * 50, 1, world=world)
