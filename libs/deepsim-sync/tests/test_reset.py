# SPDX-License-Identifier: Apache-2.0
"""Reset: the start of an episode; and the random numbers of a world."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Pose, Twist
from deepsim_sync import Behaviour, CallbackError, PerWorld, Transform, World
from deepsim_sync.testing import TableModel, TableSimulator


def test_everything_goes_back_to_the_start(world: World, simulator: TableSimulator) -> None:
    """Time, ticks, poses and twists; looks and entities stay."""
    ball = Transform(world, "ball")
    ball.twist = Twist((1, 0, 0))
    ball.transparency = 0.5
    world.spawn(TableModel(), "new", Pose((1, 1, 1)))
    for _ in range(5):
        world.tick()
    assert ball.pose != Pose((0, 0, 1))
    world.reset()
    assert (world.time, world.ticks) == (0.0, 0)
    assert ball.pose == Pose((0, 0, 1))
    assert ball.twist == Twist()
    assert ball.transparency == {"ball::link::visual": 0.5}
    assert Transform(world, "new").pose == Pose((1, 1, 1))


def test_pending_motion_is_void_and_pending_looks_are_not(world: World) -> None:
    """What an episode set at its end does not leak into the next."""
    ball = Transform(world, "ball")
    ball.pose = Pose((8, 8, 8))
    ball.link("link").twist = Twist((1, 0, 0))
    ball.transparency = 0.25
    world.reset()
    assert ball.pose == Pose((0, 0, 1))
    assert ball.twist == Twist()
    world.tick()
    assert ball.pose == Pose((0, 0, 1))
    assert ball.transparency == {"ball::link::visual": 0.25}


def test_behaviours_are_reset_after_the_simulator(world: World, simulator: TableSimulator) -> None:
    """What they set is there when reset returns, and was sent in one batch."""
    first = Behaviour("ball", initial_pose=Pose((1, 0, 0)))
    second = Behaviour("robot")
    second.on_reset = lambda: setattr(second.transform, "pose", Pose((2, 0, 0)))
    world.tick()
    simulator.log.clear()
    world.reset()
    assert [call.method for call in simulator.log if call.method != "read"] == ["reset", "write"]
    assert first.transform.pose == Pose((1, 0, 0))
    assert second.transform.pose == Pose((2, 0, 0))


def test_what_a_world_has_one_of_is_reset_before_behaviours(world: World) -> None:
    """So that behaviours find managers without a past."""
    notes = []

    class Scores(PerWorld):
        def reset(self, worlds: NDArray[np.intp]) -> None:
            notes.append("scores")

    Behaviour("ball").on_reset = lambda: notes.append("ball")
    Scores.get_instance()
    world.reset()
    assert notes == ["scores", "ball"]


def test_a_reset_of_no_world_resets_nothing(world: World) -> None:
    notes = []
    ball = Behaviour("ball", initial_pose=Pose((1, 0, 0)))
    ball.on_reset = lambda: notes.append("reset")
    world.tick()
    world.reset(seed=3, worlds=np.arange(0))
    assert (notes, world.ticks.tolist()) == ([], [1])
    assert ball.transform.pose == Pose((0, 0, 1))


def test_a_hook_that_fails_names_tick_zero(world: World) -> None:
    """The world can be reset again."""
    ball = Behaviour("ball")
    ball.on_reset = lambda: 1 / 0
    world.tick()
    with pytest.raises(CallbackError, match="in tick 0: division by zero"):
        world.reset()
    del ball.on_reset
    world.reset()
    world.tick()
    assert world.ticks == 1


def test_an_error_does_not_end_a_reset_halfway(world: World, simulator: TableSimulator) -> None:
    """All others are reset, what they set is sent, and the first error is raised."""
    notes = []

    class Broken(PerWorld):
        def reset(self, worlds: NDArray[np.intp]) -> None:
            raise ZeroDivisionError("first")

    class Scores(PerWorld):
        def reset(self, worlds: NDArray[np.intp]) -> None:
            notes.append("scores")

    world.get(Broken)
    world.get(Scores)
    Behaviour("ball").on_reset = lambda: {}["second"]
    robot = Behaviour("robot", initial_pose=Pose((2, 0, 0)))
    robot.on_reset = lambda: notes.append("robot")
    world.tick()
    simulator.log.clear()
    with pytest.raises(CallbackError, match=r"^Broken\.reset raised ZeroDivisionError") as caught:
        world.reset()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert notes == ["scores", "robot"]
    assert [call.method for call in simulator.log if call.method != "read"] == ["reset", "write"]


def test_reset_within_a_tick(world: World) -> None:
    """A behaviour may end the episode: the tick goes on from the start."""
    ball = Transform(world, "ball")
    ball.twist = Twist((1, 0, 0))
    judge = Behaviour("robot")
    judge.on_fixed_update = lambda delta_time, sim_time: world.reset() if sim_time > 0.035 else None
    for _ in range(5):
        world.tick()
    assert (world.time, world.ticks) == (0.01, 1)
    assert ball.pose == Pose((0, 0, 1))
    judge.on_fixed_update = lambda delta_time, sim_time: deltas.append((delta_time, sim_time))
    deltas: list[tuple[float, float]] = []
    world.tick()
    assert deltas == [(0.01, 0.01)]


def test_the_same_seed_gives_the_same_numbers(simulator: TableSimulator) -> None:
    """At the start and at any reset; without a seed the stream goes on."""
    world, again, other = (
        World(simulator, seed=7),
        World(simulator, seed=7),
        World(simulator, seed=8),
    )
    first = world.rng.random(4).tolist()
    assert again.rng.random(4).tolist() == first
    assert other.rng.random(4).tolist() != first
    world.reset()
    assert world.rng.random(4).tolist() == again.rng.random(4).tolist() != first
    world.reset(seed=7)
    assert world.rng.random(4).tolist() == first
    assert simulator.calls("reset") == [(None,), (7,)]


def test_a_stream_of_its_own_takes_no_numbers_from_others(simulator: TableSimulator) -> None:
    """It follows from the seed, the name and how far the others have come."""
    world, again = World(simulator, seed=7), World(simulator, seed=7)
    looks, wind = (world.stream(name).random(4).tolist() for name in ("looks", "wind"))
    assert again.stream("looks").random(4).tolist() == looks != wind
    first = world.rng.random(4).tolist()
    assert again.rng.random(4).tolist() == first
    assert first not in (looks, wind)
    assert again.stream("looks").random(4).tolist() == world.stream("looks").random(4).tolist()
    assert again.stream("looks").random(4).tolist() != looks
    world.reset(seed=7)
    assert world.stream("looks").random(4).tolist() == looks
    assert World(simulator, seed=8).stream("looks").random(4).tolist() != looks


@pytest.mark.parametrize(
    "kind", [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox]
)
def test_a_stream_works_with_any_generator(
    simulator: TableSimulator, kind: type[np.random.BitGenerator]
) -> None:
    """Also with one that a user put in the place of ours; resets reseed it in place."""
    world, again = World(simulator), World(simulator)
    for each in (world, again):
        each.rngs[0] = np.random.Generator(kind(5))
    looks = world.stream("looks").random(4).tolist()
    assert again.stream("looks").random(4).tolist() == looks
    assert world.rng.random() == again.rng.random()
    rng = world.rng
    world.reset(seed=7)
    again.reset(seed=7)
    assert world.rng is rng
    assert rng.random() == again.rng.random() == np.random.Generator(kind(7)).random()


def test_each_world_has_streams_of_its_own() -> None:
    worlds, alone = World(TableSimulator(worlds=3), seed=5), World(TableSimulator(), seed=7)
    numbers = [worlds.stream("looks", number).random() for number in range(3)]
    assert len(set(numbers)) == 3
    assert numbers[2] == alone.stream("looks").random()
