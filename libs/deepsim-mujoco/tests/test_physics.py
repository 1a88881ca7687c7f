# SPDX-License-Identifier: Apache-2.0
"""Mass, friction and damping that differ from world to world."""

from __future__ import annotations

import numpy as np
import pytest
from mujoco_scenes import BOX, FLOOR, PENDULUM, Play, bytes_of, request

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import PHYSICS_PROPERTIES, Cells, Changes, PhysicsProperty, World

pytestmark = pytest.mark.filterwarnings("ignore:.*of two surfaces the lower one counts")

MODELS = (FLOOR, BOX, PENDULUM)
LINKS = ["m1::l", "m2::bob"]


@pytest.mark.parametrize("name", sorted({*PHYSICS_PROPERTIES} - {"joint_friction", "armature"}))
def test_factors_of_1_give_the_compiled_bits_and_others_those_of_one_world(
    name: PhysicsProperty,
) -> None:
    many = Play(MODELS, 3).simulator
    factors = np.array([[2.0, 0.5], [1.0, 1.0], [0.3, 4.0]])
    many.physics.scale(name, LINKS, factors)
    many.physics.scale(name, LINKS, 1.0, np.array([1]))
    assert many.physics.factors(name)[:, many.entities.links.rows(LINKS)].tolist() == (
        factors.tolist()
    )
    alone = [Play(MODELS, 1, first=world).simulator for world in range(3)]
    for world in (0, 2):
        alone[world].physics.scale(name, LINKS, factors[world])
    described = [Play(MODELS, 1, first=world).simulator for world in range(3)]
    for simulator in (many, *alone, *described):
        for link in ("m0::l", "m1::l", "m2::base"):
            throw(simulator, link)
        simulator.step(1500)
    ran = bytes_of(many)
    for world in range(3):
        assert ran[world] == bytes_of(alone[world])[0]
        assert (ran[world] == bytes_of(described[world])[0]) == (world == 1)


def throw(simulator: MujocoSimulator, link: str) -> None:
    """The floor, which comes first, is put below the others, and refuses to be thrown."""
    worlds = np.arange(simulator.worlds)
    rows = np.full(simulator.worlds, simulator.entities.links.row(link))
    pose = Pose((0.5 * rows[0], 0, 0.3 * (rows[0] > 0)))
    for column, value in (("pose", np.asarray(pose)), ("twist", np.array([3.0, 0, 0, 0, 1, 0]))):
        cells = Cells(worlds, rows, np.tile(value, (len(worlds), 1)))
        simulator.write(Changes(simulator.entities.generation, {("links", column): cells}))


def test_factors_outlive_models_that_come_and_go() -> None:
    simulator = Play(MODELS, 2).simulator
    simulator.physics.scale("mass", ["m2::bob"], [[2.0], [3.0]])
    simulator.delete("m1")
    simulator.spawn([request(BOX, "other")])
    rows = simulator.entities.links.rows(["m2::bob", "other::l"])
    assert simulator.physics.factors("mass")[:, rows].tolist() == [[2.0, 1.0], [3.0, 1.0]]
    mass = simulator._states.batch.body("m2::bob").mass[:, 0]
    assert mass == pytest.approx([0.6, 0.9])


def test_a_center_of_mass_is_shifted_along_all_axes_of_its_link() -> None:
    """Of a link that is turned by a quarter about z; in the other world it stays."""
    body = (
        "<sdf version='1.9'><model name='m'><link name='l'><inertial><pose>.1 .2 .3 0 0 0</pose>"
        "<mass>1</mass></inertial></link></model></sdf>"
    )
    world = World(MujocoSimulator(worlds=2))
    world.spawn(GazeboXMLLoader().load_model(body), "m", Pose((5, 0, 0), Euler(0, 0, np.pi / 2)))
    world.simulator.physics.shift_center_of_mass(["m::l"], (0.01, 0.02, 0.05), np.array([1]))
    world.tick()
    centers = world.links.select(["m::l"]).center_of_mass[:, 0]
    expected = [[5 - 0.2, 0.1, 0.3], [5 - 0.22, 0.11, 0.35]]
    np.testing.assert_allclose(centers, expected, atol=1e-4)
    world.close()
