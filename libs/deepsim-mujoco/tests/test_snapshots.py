# SPDX-License-Identifier: Apache-2.0
"""Going back to an instant of the embedded engine."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from mujoco_scenes import FLOOR, PENDULUM, SCENES, Play, bytes_of, request

from deepsim_math import Euler, Pose, Twist
from deepsim_mujoco import MujocoSimulator
from deepsim_sync import CameraMount, SimulationError, World

pytestmark = pytest.mark.filterwarnings("ignore:.*of two surfaces the lower one counts")


def make_world(pendulums: int = 3) -> World:
    """Pendulums that fall onto a floor and each other; the floor is moved by hand."""
    world = World(MujocoSimulator())
    world.spawn(*request(FLOOR, "floor"))
    for number in range(pendulums):
        pose = Pose((0.1 * number, 0.0, 0.4 + 0.3 * number), Euler(0.3, 0.2 * number, 0.1))
        world.spawn(*request(PENDULUM, f"pendulum_{number}", pose))
    world.reset(0)
    return world


def run(world: World, ticks: int) -> list[bytes]:
    seen = []
    for _ in range(ticks):
        world.tick()
        seen.append(world.links.pose.tobytes() + world.links.twist.tobytes())
    return seen


def test_a_world_that_diverged_is_well_again() -> None:
    world = make_world()
    state = world.get_state()
    expected = run(world, 20)
    row = world.models.names.row("pendulum_0")
    world.put("models", {"twist": [Twist((1e200, 0.0, 0.0), (1e200, 1e200, 0.0))]}, [row])
    with pytest.raises(SimulationError), np.errstate(all="ignore"):
        run(world, 20)
    world.set_state(state)
    assert run(world, 20) == expected


def test_every_world_goes_back_with_its_own_factors_and_mounts() -> None:
    play = Play(SCENES["jointed"], 3)
    play.run(20)
    state = pickle.loads(pickle.dumps(play.simulator.snapshots.get_state()))
    simulators = [play.simulator, Play(SCENES["jointed"], 3).simulator]
    other = simulators[1]
    other.delete("m1")
    other.spawn([request(PENDULUM, "x6")])
    ran = []
    for simulator in simulators:
        simulator.snapshots.set_state(state)
        assert simulator.time.tolist() == (state.steps * simulator.timestep).tolist()
        simulator.step(30)
        ran.append(bytes_of(simulator))
        assert len(set(ran[-1])) == 3
    assert ran[0] == ran[1]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            {"factors": {"friction": np.full((1, 4), 0.5)}},
            "friction of 4 links, and these models have 3",
        ),
        ({"mounts": {("a::b::eye", 0): CameraMount(Pose(), 1.0)}}, "has a camera 'a::b::eye'"),
    ],
    ids=["factors", "mounts"],
)
def test_a_state_of_other_links_or_cameras_is_refused(part: dict, message: str) -> None:
    """MuJoCo's own numbers may be as many by chance; nothing is scaled or mounted."""
    simulator = make_world(1).simulator
    simulator.physics.scale("friction", ["floor::l"], 2.0)
    before = pickle.dumps(simulator.snapshots.get_state())
    with pytest.raises(ValueError, match=message):
        simulator.snapshots.set_state(simulator.snapshots.get_state()._replace(**part))
    assert pickle.dumps(simulator.snapshots.get_state()) == before
