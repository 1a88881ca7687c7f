# SPDX-License-Identifier: Apache-2.0
"""A world with a length: W worlds, ticked together and treated one by one."""

from __future__ import annotations

import pickle
from typing import Any, List, Tuple

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Pose, Twist
from deepsim_sync import (
    Behaviour,
    GetModelStateTracker,
    GetVisualTracker,
    PerWorld,
    SetModelStateTracker,
    SetVisualTracker,
    SimulationError,
    SpawnRequest,
    Transform,
    UnsupportedError,
    World,
    WriteRefusedError,
)
from deepsim_sync.testing import TableModel, TableSimulator


def make_world(count: int = 3, seed: int = 0) -> World:
    """A ball, which moves freely, and a wall, which stands still."""
    world = World(TableSimulator(worlds=count, timestep=0.01), seed=seed, steps_per_tick=2)
    world.spawn(TableModel(), "ball", Pose((0.0, 0.0, 1.0)))
    world.spawn(TableModel(static=True), "wall", Pose((9.0, 0.0, 0.0)))
    return world


@pytest.fixture
def worlds() -> World:
    """Three of them."""
    return make_world()


def push(worlds: World) -> None:
    """Ball w flies at w + 1 m/s along x."""
    twist = np.zeros((len(worlds), 1, 6))
    twist[:, 0, 0] = np.arange(1.0, len(worlds) + 1.0)
    worlds.models.select(["ball"]).twist = twist


class Times(List[Tuple[float, List[float]]]):
    """A tracker that notes the times."""

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        self.append((delta_time, sim_time.tolist()))


def test_a_world_has_a_length(worlds: World) -> None:
    assert len(worlds) == 3
    assert worlds.time.tolist() == [0.0] * 3
    assert worlds.ticks.tolist() == [0] * 3
    assert worlds.models.pose.shape == (3, 2, 7)
    assert (worlds.timestep, worlds.delta_time) == (0.01, 0.02)


def test_a_tick_advances_all_worlds(worlds: World) -> None:
    """Trackers run once, for all of them."""
    times = Times()
    worlds.trackers.add(times)
    push(worlds)
    worlds.tick()
    worlds.tick()
    assert worlds.models.pose[:, 0, 0] == pytest.approx([0.04, 0.08, 0.12])
    assert times == [(0.02, [0.0] * 3), (0.02, [0.02] * 3)]
    assert worlds.time == pytest.approx(0.04)
    assert worlds.ticks.tolist() == [2, 2, 2]


@pytest.mark.parametrize("count", [3, 33])
def test_each_world_gives_the_bits_that_it_gives_alone(count: int) -> None:
    """Random numbers, a tracker on arrays, resets of some worlds, and poses each its own."""

    def run(numbers: list[int]) -> list[list[bytes]]:
        world = make_world(len(numbers))
        world.reset([100 + number for number in numbers])
        tilt = [Pose((number / 7, 0, 1), (0.1, 0.2 * number, 0, 1)) for number in numbers]
        world.spawn(TableModel(), "spinner", np.array(tilt))
        movers = world.models.select(["spinner", "ball"])
        seen = []
        for step in range(12):
            noise = world.uniform(-1.0, 1.0, (2, 6))
            movers.twist = movers.twist * 0.9 + noise - 0.1 * movers.pose[..., :6]
            ticking = [place for place, number in enumerate(numbers) if (number + step) % 3]
            if ticking:
                world.tick(np.array(ticking))
            ending = [place for place, number in enumerate(numbers) if step == 5 + number % 4]
            if ending:
                world.reset([numbers[place] + step for place in ending], np.array(ending))
            state = zip(world.models.pose, world.models.twist, world.time)
            seen.append([b"".join(part.tobytes() for part in parts) for parts in state])
        return seen

    together = run(list(range(count)))
    for number in (0, count // 2, count - 1):
        alone = run([number])
        assert [state for (state,) in alone] == [states[number] for states in together]


def test_only_chosen_worlds_tick_and_are_changed(worlds: World) -> None:
    push(worlds)
    worlds.tick(np.array([0, 2]))
    assert worlds.models.pose[:, 0, 0] == pytest.approx([0.02, 0.0, 0.06])
    assert worlds.time == pytest.approx([0.02, 0.0, 0.02])
    assert worlds.ticks.tolist() == [1, 0, 1]
    up = np.array([[[0, 0, 5.0, 0, 0, 0, 1]], [[0, 0, 6.0, 0, 0, 0, 1]]])
    worlds.put("models", {"pose": up}, [0], np.array([0, 1]))
    for _ in range(2):
        assert worlds.models.pose[:, 0, 2].tolist() == [5.0, 6.0, 1.0]
        worlds.flush()


def test_trackers_know_which_worlds_tick(worlds: World) -> None:
    seen = []

    class Witness:
        def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
            seen.append(worlds.ticking.tolist())

    worlds.trackers.add(Witness())
    worlds.tick(np.array([1]))
    worlds.tick()
    assert seen == [[1], [0, 1, 2]]
    assert worlds.ticking.tolist() == [0, 1, 2]


def test_some_worlds_are_reset_and_the_others_keep_what_was_put(worlds: World) -> None:
    push(worlds)
    worlds.tick()
    push(worlds)
    worlds.put("models", {"pose": Pose((7.0, 0.0, 0.0))}, [0])
    worlds.put("visuals", {"transparency": 0.5})
    worlds.reset(worlds=np.array([1]))
    assert worlds.models.pose[:, 0, 0].tolist() == [7.0, 0.0, 7.0]
    assert worlds.models.twist[:, 0, 0].tolist() == [1.0, 0.0, 3.0]
    assert (worlds.visuals.transparency == 0.5).all()
    assert worlds.time == pytest.approx([0.02, 0.0, 0.02])
    assert worlds.ticks.tolist() == [1, 0, 1]


def test_managers_are_told_which_worlds_are_reset(worlds: World) -> None:
    seen = []

    class Scores(PerWorld):
        def reset(self, worlds: NDArray[np.intp]) -> None:
            seen.append(worlds.tolist())

    worlds.get(Scores)
    worlds.reset(worlds=np.array([0, 2]))
    worlds.reset()
    assert seen == [[0, 2], [0, 1, 2]]


def test_each_world_has_its_own_seed(worlds: World) -> None:
    """World w that of seed + w, whichever others are reset with it."""
    rngs = list(worlds.rngs)

    def drawn() -> list[float]:
        return [float(rng.random()) for rng in worlds.rngs]

    expected = [np.random.default_rng(4 + number).random() for number in range(3)]
    assert [rng.random() for rng in make_world(seed=4).rngs] == expected
    worlds.reset(seed=4)
    assert drawn() == expected
    worlds.reset(seed=4, worlds=np.array([1, 2]))
    assert drawn()[1:] == expected[1:]
    worlds.reset([4, None, 4])
    numbers = drawn()
    assert numbers[0] == numbers[2] == expected[0]
    worlds.reset([5], np.array([2]))
    assert worlds.rngs[2].random() == expected[1]
    assert all(one is other for one, other in zip(rngs, worlds.rngs))
    simulator: Any = worlds.simulator
    assert simulator.calls("reset") == [(4, 5, 6), (5, 6), (4, None, 4), (5,)]


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        ([4], ValueError, "2 worlds take 2 seeds, got 1"),
        ([4, -1], ValueError, "seed must be >= 0, got -1"),
        ([4, 1.5], TypeError, r"seed must be an int, got 1\.5"),
        (1.5, TypeError, r"seed must be an int, got 1\.5"),
        (True, TypeError, "seed must be an int, got True"),
    ],
)
def test_seeds_that_do_not_fit_reset_nothing(
    worlds: World, seed: Any, error: type[Exception], message: str
) -> None:
    before = [rng.bit_generator.state for rng in worlds.rngs]
    worlds.tick()
    with pytest.raises(error, match=message):
        worlds.reset(seed, np.array([0, 1]))
    assert worlds.ticks.tolist() == [1, 1, 1]
    assert [rng.bit_generator.state for rng in worlds.rngs] == before


def test_uniform_draws_from_each_worlds_own_generator(worlds: World) -> None:
    numbers = worlds.uniform(2.0, 3.0, (2, 4))
    assert numbers.shape == (3, 2, 4)
    expected = [np.random.default_rng(number).uniform(2.0, 3.0, (2, 4)) for number in range(3)]
    np.testing.assert_array_equal(numbers, expected)
    assert worlds.uniform(0.0, 1.0, worlds=np.array([1])).shape == (1,)
    assert worlds.rngs[0].bit_generator.state != worlds.rngs[1].bit_generator.state


def test_models_are_spawned_at_a_pose_of_their_own_in_each_world(worlds: World) -> None:
    """Quaternions of any length are made units; a reset puts them back there."""
    poses = np.array([Pose((number, 0, 0), (0, 0, 0, 2)) for number in range(3)])
    worlds.spawn(TableModel(), "each", poses)
    worlds.spawn_many([SpawnRequest(TableModel(), "all", Pose((5, 5, 5)))])
    each = worlds.models.select(["each", "all"])
    worlds.put("models", {"pose": Pose((8, 8, 8))})
    worlds.flush()
    worlds.reset()
    assert each.pose[:, 0, 0].tolist() == [0.0, 1.0, 2.0]
    assert (each.pose[:, 0, 6] == 1.0).all()
    assert (each.pose[:, 1, :3] == 5.0).all()
    worlds.delete("each")
    assert list(worlds.entities.models) == ["ball", "wall", "all"]


@pytest.mark.parametrize("shape", [(2, 7), (3, 6), (4, 7), (6,)])
def test_spawn_poses_of_another_shape_are_refused(worlds: World, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="pose of model 'new' must have shape"):
        worlds.spawn(TableModel(), "new", np.ones(shape))
    assert "new" not in worlds.entities.models


def test_a_world_that_diverges_stops_no_other(worlds: World) -> None:
    """The others have ticked; a reset of the one mends it."""
    push(worlds)
    worlds.put("models", {"twist": Twist((1e308, 0.0, 0.0))}, [0], np.array([1]))
    with pytest.raises(SimulationError, match="'ball' of world 1") as caught:
        worlds.tick()
    assert caught.value.worlds == (1,)
    assert worlds.models.pose[[0, 2], 0, 0] == pytest.approx([0.02, 0.06])
    assert worlds.ticks.tolist() == [1, 0, 1]
    worlds.tick(np.array([0, 2]))
    worlds.reset(worlds=np.array([1]))
    worlds.tick()
    assert worlds.ticks.tolist() == [3, 1, 3]
    assert worlds.models.pose[:, 0, 0] == pytest.approx([0.06, 0.0, 0.18])


def test_refused_rows_have_the_number_of_their_world(worlds: World) -> None:
    worlds.put("models", {"twist": Twist((1.0, 0.0, 0.0))}, worlds=np.array([2]))
    with pytest.raises(WriteRefusedError) as refused:
        worlds.flush()
    assert [(each.name, each.world) for each in refused.value.refusals] == [("wall", 2)]
    assert worlds.models.twist[:, :, 0].tolist() == [[0, 0], [0, 0], [1, 0]]


def test_changes_of_a_model_that_was_deleted_are_reported_per_world(worlds: World) -> None:
    worlds.put("models", {"twist": Twist((1.0, 0.0, 0.0))}, [0], np.array([0, 2]))
    worlds.simulator.delete("ball")
    with pytest.raises(WriteRefusedError) as refused:
        worlds.flush()
    assert [(each.name, each.world) for each in refused.value.refusals] == [
        ("ball", 0),
        ("ball", 2),
    ]


def test_a_reset_of_some_worlds_voids_the_losses_of_these(worlds: World) -> None:
    worlds.put("models", {"twist": Twist((1.0, 0.0, 0.0))}, [0])
    worlds.simulator.delete("ball")
    worlds.refresh()
    with pytest.raises(WriteRefusedError) as refused:
        worlds.reset(worlds=np.array([0, 1]))
    assert [each.world for each in refused.value.refusals] == [2]


def test_a_snapshot_goes_back_in_other_worlds_too(worlds: World) -> None:
    worlds.reset([1, 2, 3])
    push(worlds)
    worlds.tick(np.array([1]))
    worlds.put("visuals", {"transparency": 0.5}, [0], np.array([2]))
    state = pickle.loads(pickle.dumps(worlds.get_state()))
    other = make_world()
    other.set_state(state)
    for each in (worlds, other):
        each.tick()
    assert other.models.pose.tobytes() == worlds.models.pose.tobytes()
    assert other.visuals.transparency.tobytes() == worlds.visuals.transparency.tobytes()
    assert other.ticks.tolist() == [1, 2, 1]
    assert other.rngs[1].random() == worlds.rngs[1].random()
    with pytest.raises(ValueError, match="the state has 3 worlds, but there are 1"):
        make_world(1).set_state(state)


def test_a_world_that_a_tracker_resets_goes_on_from_the_start(worlds: World) -> None:
    """As a world alone does; the others are not touched."""
    times = Times()
    worlds.trackers.add(times)

    class Referee:
        def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
            if len(times) == 3:
                worlds.reset(worlds=np.array([1]))

    worlds.trackers.add(Referee())
    for _ in range(4):
        worlds.tick()
    assert [delta for delta, _ in times] == [0.02] * 4
    assert worlds.time == pytest.approx([0.08, 0.04, 0.08])
    assert worlds.ticks.tolist() == [4, 2, 4]


def test_a_unit_quaternion_keeps_its_bits_beside_one_that_is_none(worlds: World) -> None:
    """What is done to the values of one world does not depend on those of another."""
    random = np.random.default_rng(0)
    quaternions = random.normal(size=(3, 4))
    quaternions /= np.sqrt((quaternions * quaternions).sum(axis=1, keepdims=True))
    quaternions[1] *= 2.0
    poses = np.concatenate([np.zeros((3, 1, 3)), quaternions[:, None]], axis=2)
    worlds.models.select(["ball"]).pose = poses
    np.testing.assert_array_equal(worlds.models.pose[[0, 2], 0], poses[[0, 2], 0])
    assert np.linalg.norm(worlds.models.pose[1, 0, 3:]) == pytest.approx(1.0, abs=1e-15)


def test_what_is_for_one_world_says_so(worlds: World) -> None:
    """Objects of the paper's style are refused by name, and point to rows."""
    message = "is for one world, but there are 3: use rows"
    for use in (
        lambda: worlds.rng,
        lambda: Behaviour("ball", world=worlds),
        lambda: Transform(worlds, "ball"),
        lambda: worlds.get(GetModelStateTracker).get_model_states(),
        lambda: worlds.get(SetModelStateTracker).set_model_states(
            GetModelStateTracker(make_world(1)).get_model_states().values()
        ),
        lambda: worlds.get(GetVisualTracker).get_visuals(),
        lambda: worlds.get(SetVisualTracker).set_transparencies({"ball::link::visual": 0.5}),
    ):
        with pytest.raises(UnsupportedError, match=message):
            use()
    assert len(worlds.behaviours) == 0
    worlds.tick()
