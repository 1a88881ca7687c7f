# SPDX-License-Identifier: Apache-2.0
"""Many worlds at once; one simulator for each is the oracle."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from deepsim_math import Euler, Pose, Twist
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import ModelSpawner
from deepsim_sync import (
    ManyWorlds,
    SimulationError,
    SimulatorBatch,
    SimulatorsInTurn,
    World,
    Worlds,
    WriteRefusedError,
)

FLOOR = """<sdf version="1.6"><model name="floor"><static>true</static><link name="l">
<collision name="c"><geometry><plane><normal>0 0 1</normal><size>9 9</size></plane></geometry>
</collision></link></model></sdf>"""

BOX = """<sdf version="1.6"><model name="box"><link name="l">
<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.03</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.3 0.2 0.1</size></box></geometry></collision>
<visual name="v"><geometry><box><size>0.3 0.2 0.1</size></box></geometry></visual>
</link></model></sdf>"""

PENDULUM = """<sdf version="1.6"><model name="pendulum">
<link name="base"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><box><size>0.3 0.3 0.1</size></box></geometry></collision></link>
<link name="bob"><pose>0.2 0 0.2 0 0 0</pose><inertial><mass>0.3</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.06</radius></sphere></geometry></collision></link>
<joint name="hinge" type="revolute"><parent>base</parent><child>bob</child>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""

HELD = """<sdf version="1.6"><model name="held">
<link name="bob"><pose>0 0 0.2 0 0 0</pose><inertial><mass>0.3</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.06</radius></sphere></geometry></collision></link>
<joint name="hinge" type="revolute"><parent>world</parent><child>bob</child>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""

SHIFTED = BOX.replace('<link name="l">', '<link name="l"><pose>0.1 0 0.05 0 0 0.3</pose>')


def simulator(*more: str) -> MujocoSimulator:
    """A floor, which is moved by hand, two boxes that fall onto it, and more models."""
    world = World(MujocoSimulator())
    for number, text in enumerate((FLOOR, BOX, BOX, *more)):
        pose = Pose((0.1 * number, 0.0, 0.3 * number), Euler(0.2 * number, 0.3, 0.1))
        ModelSpawner(text).spawn(world, f"m{number}", pose)
    assert isinstance(world.simulator, MujocoSimulator)
    return world.simulator


SCENES = {"simple": (), "with joints": (PENDULUM, HELD), "shifted": (SHIFTED,)}
BATCHES: dict[str, Callable[[int, tuple[str, ...]], SimulatorBatch]] = {
    "in turn": lambda n, more: SimulatorsInTurn(simulator(*more) for _ in range(n)),
    "loop": lambda n, more: simulator(*more).copies(n, threads=None),
    "1 thread": lambda n, more: simulator(*more).copies(n, threads=1),
    "2 threads": lambda n, more: simulator(*more).copies(n, threads=2),
}


def play(batch: SimulatorBatch, ticks: int, first: int = 0) -> list[list[bytes]]:
    """Boxes are pushed, thrown and turned, the floor is tilted, and worlds are reset.

    Args:
        batch: The worlds.
        ticks: How many.
        first: Number of the first world, which decides when all this happens to it.

    Returns:
        All numbers of each world after each tick.
    """
    state = Worlds(batch, steps_per_tick=3)
    numbers = np.arange(first, first + len(state))
    seen = []

    def update(delta: np.ndarray, now: np.ndarray) -> None:
        models = state.models
        push = np.cross(models.pose[:, 1:3, :3], (0.0, 0.3, 1.0)) + np.sin(now)[:, None, None]
        twist = np.concatenate([push, models.twist[:, 1:3, 3:] * 0.9 + 0.3], axis=2)
        if tick % 40 < 5:  # then they fall
            state.put("models", {"twist": twist}, [1, 2])
        tilt = np.zeros((len(state), 1, 7))
        tilt[:, 0, 3], tilt[:, 0, 6] = 0.02 * np.sin(now + delta), 1.0
        state.put("models", {"pose": tilt}, [0])

    for tick in range(ticks):
        state.tick(update, np.flatnonzero((numbers + tick) % 7 != 0))
        thrown = np.flatnonzero((numbers + tick) % 11 == 0)
        if len(thrown):
            turned = Pose((0.2, 0.1, 1.0), Euler(tick * 0.1, 0.4, 1.0))
            state.put("models", {"pose": [turned]}, [2], thrown)
        reset = np.flatnonzero((numbers + tick) % 131 == 130)
        if len(reset):
            state.reset(reset)
        tables = (state.models.pose, state.models.twist, state.links.pose, state.links.twist)
        seen.append([b"".join(table[w].tobytes() for table in tables) for w in range(len(state))])
    return seen


@pytest.mark.parametrize("scene", SCENES)
def test_each_way_to_run_many_worlds_gives_the_same_bits(scene: str) -> None:
    runs = {name: play(make(5, SCENES[scene]), 200) for name, make in BATCHES.items()}
    for name, seen in runs.items():
        assert seen == runs["in turn"], name


def test_a_world_does_not_depend_on_how_many_there_are() -> None:
    many = play(simulator().copies(40), 60)
    alone = play(simulator().copies(1), 60, first=23)
    assert [worlds[23] for worlds in many] == [worlds[0] for worlds in alone]


@pytest.mark.parametrize("threads", [None, 0], ids=["loop", "batch"])
def test_a_snapshot_continues_bit_for_bit_and_goes_to_a_single_simulator(
    threads: int | None,
) -> None:
    worlds = simulator(PENDULUM).copies(3, threads=threads)
    play(worlds, 20)
    state = pickle.loads(pickle.dumps(worlds.get_state()))
    expected = play(worlds, 20)
    other = simulator(PENDULUM).copies(3, threads=threads)
    other.set_state(state)
    assert play(other, 20) == expected
    single = simulator(PENDULUM)
    single.set_state((int(state[0][1]), state[1][1]))
    assert single.time == state[0][1] * single.timestep
    single.step(30)
    worlds.set_state(state)
    worlds.step(30, np.array([1]))
    assert worlds.get_state()[1][1].tobytes() == single.get_state()[1].tobytes()
    with pytest.raises(ValueError, match="it is one of other models or another number"):
        simulator().copies(3).set_state(state)


@pytest.mark.parametrize("threads", [None, 0], ids=["loop", "batch"])
def test_a_world_that_diverges_is_named_and_well_after_its_reset(threads: int | None) -> None:
    worlds = Worlds(simulator().copies(3, threads=threads))
    fast = {"twist": [Twist((1e200, 0.0, 0.0), (1e200, 1e200, 0.0))]}
    worlds.put("models", fast, [1], np.array([2]))
    with pytest.raises(SimulationError, match=r"worlds \[2\] diverged"), np.errstate(all="ignore"):
        worlds.tick(lambda delta, now: None)
    worlds.tick(lambda delta, now: None, np.array([0, 1]))
    worlds.reset(np.array([2]))
    worlds.tick(lambda delta, now: None)
    assert worlds.ticks.tolist() == [3, 3, 1]
    assert np.isfinite(worlds.models.pose).all()


def test_rows_that_are_refused_are_named_with_their_world() -> None:
    worlds = Worlds(simulator(PENDULUM).copies(3))
    before = worlds.models.pose.copy()
    bob = worlds.entities.links.row("m3::bob")
    worlds.put("links", {"pose": [Pose()]}, [bob], np.array([1]))
    worlds.put("models", {"twist": [Twist((1.0, 0.0, 0.0))]}, [0], np.array([2]))
    worlds.put("models", {"pose": [Pose((0.0, 0.0, 2.0))]}, [1], np.array([2]))
    with pytest.raises(WriteRefusedError, match="it stays where it is put") as refused:
        worlds.flush()
    assert [(each.name, each.world) for each in refused.value.refusals] == [
        ("m0", 2), ("m3::bob", 1),
    ]  # fmt: skip
    assert worlds.models.pose[2, 1, 2] == 2.0
    assert np.array_equal(worlds.models.pose[:2], before[:2])


def test_looks_are_kept_for_each_world_and_leave_the_physics_alone() -> None:
    origin = simulator()
    worlds = Worlds(origin.copies(2))
    worlds.put("visuals", {"diffuse": [1.0, 0.0, 0.0, 1.0]}, worlds=np.array([1]))
    worlds.reset()
    assert (worlds.visuals.diffuse[1, :, 0] == 1.0).all()
    assert (worlds.visuals.diffuse[0, :, 0] != 1.0).all()
    assert World(origin).visuals.diffuse[0, 0, 0] != 1.0


def test_there_is_at_least_one_world_and_one_step() -> None:
    assert isinstance(simulator(), ManyWorlds)
    with pytest.raises(ValueError, match="at least 1 world, got 0"):
        simulator().copies(0)
    with pytest.raises(ValueError, match="n >= 1 steps, got 0"):
        simulator().copies(1).step(0, np.array([0]))
