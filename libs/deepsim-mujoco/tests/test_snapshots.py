# SPDX-License-Identifier: Apache-2.0
"""Going back to an instant of the embedded engine."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from deepsim_math import Euler, Pose, Twist
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import ModelSpawner
from deepsim_sync import CameraMount, SimulationError, Snapshots, World

FLOOR = """<sdf version="1.6"><model name="floor"><static>true</static><link name="l">
<collision name="c"><geometry><plane><normal>0 0 1</normal><size>9 9</size></plane></geometry>
</collision></link></model></sdf>"""

PENDULUM = """<sdf version="1.6"><model name="pendulum">
<link name="base"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><box><size>0.3 0.3 0.1</size></box></geometry></collision></link>
<link name="bob"><pose>0.2 0 0.2 0 0 0</pose><inertial><mass>0.3</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.06</radius></sphere></geometry></collision></link>
<joint name="hinge" type="revolute"><parent>base</parent><child>bob</child>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


def make_world(pendulums: int = 3) -> World:
    """Pendulums that fall onto a floor and each other; the floor is moved by hand."""
    world = World(MujocoSimulator())
    ModelSpawner(FLOOR).spawn(world, "floor")
    for number in range(pendulums):
        pose = Pose((0.1 * number, 0.0, 0.4 + 0.3 * number), Euler(0.3, 0.2 * number, 0.1))
        ModelSpawner(PENDULUM).spawn(world, f"pendulum_{number}", pose)
    world.reset(0)
    return world


def run(world: World, ticks: int) -> list[bytes]:
    seen = []
    for _ in range(ticks):
        world.tick()
        seen.append(world.links.pose.tobytes() + world.links.twist.tobytes())
    return seen


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same world", "another world"])
@pytest.mark.parametrize("ticks", [0, 1, 400], ids=["at the start", "in the air", "in contact"])
def test_contacts_and_joints_go_on_bit_for_bit(ticks: int, elsewhere: bool) -> None:
    world = make_world()
    run(world, ticks)
    row = world.models.names.row("floor")
    world.put("models", {"pose": [Pose((0.0, 0.0, 0.01))]}, [row])
    state = pickle.loads(pickle.dumps(world.get_state()))
    expected = run(world, 600)
    target = make_world() if elsewhere else world
    target.set_state(state)
    assert target.time == state.simulator[0] * target.timestep
    assert run(target, 600) == expected


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


def test_a_state_without_factors_leaves_them() -> None:
    """Such as one of copies, and one that was pickled before there were factors in it."""
    simulator = make_world(2).simulator
    link = "pendulum_0::bob"
    simulator.scale_physics("mass", [link], 2.0)
    simulator.set_state(simulator.get_state()[:2])
    assert simulator.physics_factors("mass")[simulator.entities.links.row(link)] == 2.0


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            {"factors": {"friction": np.full(4, 0.5)}},
            "friction of 4 links, and these models have 3",
        ),
        ({"mounts": {"a::b::eye": CameraMount(Pose(), 1.0)}}, "has a camera 'a::b::eye'"),
    ],
    ids=["factors", "mounts"],
)
def test_a_state_of_other_links_or_cameras_is_refused(part: dict, message: str) -> None:
    """MuJoCo's own numbers may be as many by chance; nothing is scaled or mounted."""
    simulator = make_world(1).simulator
    simulator.scale_physics("friction", ["floor::l"], 2.0)
    before = pickle.dumps(simulator.get_state())
    with pytest.raises(ValueError, match=message):
        simulator.set_state(simulator.get_state()._replace(**part))
    assert pickle.dumps(simulator.get_state()) == before


def test_a_state_of_other_models_is_refused() -> None:
    simulator = make_world(2).simulator
    assert isinstance(simulator, Snapshots)
    with pytest.raises(ValueError, match="it is one of other models"):
        simulator.set_state(make_world(3).simulator.get_state())
