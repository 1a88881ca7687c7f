# SPDX-License-Identifier: Apache-2.0
"""Any number of worlds; one world alone is the oracle."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_scenes import (
    BOX,
    SCENES,
    Play,
    read,
    request,
)

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_sync import CameraView, Cells, Changes, SimulationError, World

pytestmark = pytest.mark.filterwarnings("ignore:.*of two surfaces the lower one counts")

VIEW = CameraView(Pose(), width=4, height=3)


@pytest.mark.parametrize("scene", SCENES)
def test_a_world_has_the_same_bits_however_many_there_are(scene: str) -> None:
    """Written, scaled and reset world by world, with a spawn and a delete in between."""
    many = {worlds: Play(SCENES[scene], worlds).run(40) for worlds in (3, 33, 256)}
    for worlds, world in ((3, 0), (3, 2), (33, 1), (33, 32), (256, 2), (256, 255)):
        alone = Play(SCENES[scene], 1, first=world).run(40)
        assert alone[0] == many[worlds][world], (worlds, world)


def test_the_bits_do_not_depend_on_the_number_of_threads() -> None:
    runs = [Play(SCENES["jointed"], 9, threads=threads).run(30) for threads in (1, 2, None)]
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("scene", SCENES)
def test_rows_are_what_mujoco_derives_from_the_state(scene: str) -> None:
    """Positions bit for bit; a quaternion is the one in the state, unit to 1e-12."""
    play = Play(SCENES[scene], 3)
    play.run(20)
    simulator = play.simulator
    state, model = simulator.snapshots.get_state().integration, simulator._states.model
    data = mujoco.MjData(model)
    for column in (state, state * (1 + 3e-15)):
        simulator._states.set(0, column, slice(None))
        tables = read(simulator)
        for world in range(3):
            mujoco.mj_setState(model, data, column[world], mujoco.mjtState.mjSTATE_INTEGRATION)
            mujoco.mj_kinematics(model, data)
            for row, name in enumerate(simulator.entities.links):
                body = data.body(name)
                if not simulator._motion._bodies["links"].is_shifted[row]:
                    assert tables.links.pose[world, row, :3].tobytes() == body.xpos.tobytes()
                    turn = np.roll(body.xquat, -1)
                    assert np.abs(tables.links.pose[world, row, 3:] - turn).max() < 1e-14


@pytest.mark.parametrize("number", [-1, 2])
def test_a_number_of_no_world_is_refused_by_name(number: int) -> None:
    simulator = MujocoSimulator(worlds=2)
    for ask in (
        lambda: simulator.contacts.read(number),
        lambda: simulator.cameras.render(VIEW, number),
        lambda: simulator.depth_cameras.measure(VIEW, number),
    ):
        with pytest.raises(IndexError, match=f"world must be one of 0 to 1, got {number}"):
            ask()
    simulator.close()


def test_columns_that_nobody_asks_for_stay() -> None:
    simulator = Play(SCENES["free"], 2).simulator
    tables = read(simulator)
    simulator.step(5)
    before = tables.models.pose.copy()
    simulator.read(tables, [("models", "twist"), ("links", "pose")])
    assert np.array_equal(tables.models.pose, before)
    assert not np.array_equal(tables.links.pose, before)
    assert tables.models.twist.any()


def test_a_world_stays_diverged_when_models_come_and_go() -> None:
    simulator = Play(SCENES["free"], 2).simulator
    fast = Cells(np.array([1]), np.array([1]), np.array([[1e200, 0, 0, 1e200, 1e200, 0]]))
    simulator.write(Changes(simulator.entities.generation, {("models", "twist"): fast}))
    with pytest.raises(SimulationError):
        simulator.step(5)
    simulator.delete("m1")
    with pytest.raises(SimulationError) as caught:
        simulator.step()
    assert caught.value.worlds == (1,)


def test_looks_are_kept_for_each_world_and_outlive_resets_and_spawns() -> None:
    world = World(MujocoSimulator(worlds=2))
    world.spawn(*request(BOX, "box"))
    world.put("visuals", {"diffuse": [1.0, 0.0, 0.0, 1.0]}, worlds=np.array([1]))
    world.reset()
    world.spawn(*request(BOX, "other"))
    assert world.visuals.diffuse[1, 0].tolist() == [1.0, 0.0, 0.0, 1.0]
    for place in ((0, 0), (0, 1), (1, 1)):
        assert world.visuals.diffuse[place].tolist() == pytest.approx([0.7, 0.7, 0.7, 1.0])


def test_there_is_at_least_one_world_and_one_step() -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        MujocoSimulator(worlds=0)
    with pytest.raises(ValueError, match="n >= 1 steps, got 0"):
        MujocoSimulator(worlds=2).step(0)


def test_cells_that_are_put_by_turns_reach_their_own_rows() -> None:
    """Also from arrays that change between two writes, or are used again."""
    simulator = MujocoSimulator(worlds=2)
    simulator.spawn([request(BOX, name, Pose((x, 0.0, 1.0))) for x, name in enumerate("abc")])
    rng = np.random.default_rng(5)
    expected = read(simulator).models.twist
    worlds, rows = np.zeros(2, np.intp), np.zeros(2, np.intp)
    fixed = [(np.array([0, 1]), np.array(each)) for each in ([0, 2], [1, 1])]
    for array in (each for pair in fixed for each in pair):
        array.flags.writeable = False
    for turn in range(20):
        for at in (fixed[0], fixed[turn % 2], (worlds, rows), (worlds, rows)):
            if at[0] is worlds:
                worlds[:], rows[:] = rng.integers(2, size=2), rng.permutation(3)[:2]
            twist = rng.normal(size=(2, 6))
            cells = {("models", "twist"): Cells(*at, twist)}
            simulator.write(Changes(simulator.entities.generation, cells))
            expected[at] = twist
            assert np.allclose(read(simulator).models.twist, expected, atol=1e-12)


def test_the_size_of_a_world_is_that_of_what_is_spawned_in_it() -> None:
    """MuJoCo compiles all models at the origin; pictures need to know how far things are."""
    simulator = MujocoSimulator()
    simulator.spawn([request(BOX, "one"), request(BOX, "other", Pose((30, 0, 0)))])
    simulator.cameras.render(VIEW)
    model, _ = simulator.cameras._single.load(0)
    assert model.stat.extent == pytest.approx(30 + np.linalg.norm([0.3, 0.2, 0.1]))
    simulator.close()
