# SPDX-License-Identifier: Apache-2.0
"""The ``<option>`` of an MJCF model counts where nothing else moves; its units always do."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    GazeboXMLLoader,
    MjcfModel,
    ModelDescription,
    MujocoOptions,
    Physics,
    UnsupportedElementWarning,
    WorldDescription,
)
from deepsim_spawn.stage import studio
from deepsim_sync import SpawnError, World

LEAF = """<mujoco><option {}/><worldbody><body name="leaf" pos="0 0 5"><freejoint/>
<geom type="box" size=".2 .1 .005" euler="10 20 0" density="80"/></body></worldbody></mujoco>"""
AIR = 'wind="2 0 0" density="1.2" viscosity="1.8e-5" gravity="0 .5 -3" integrator="RK4"'
BOX = """<sdf version="1.9"><model name="box"><static>{}</static><link name="link"><inertial>
<mass>1</mass></inertial></link></model></sdf>"""


def box(*, static: bool) -> ModelDescription:
    return GazeboXMLLoader().load_model(BOX.format(str(static).lower()))


def place(world: World, ticks: int = 500) -> np.ndarray:
    for _ in range(ticks):
        world.tick()
    return world.links.select(["leaf::leaf"]).pose[0, 0, :3]


@pytest.mark.parametrize("option", [AIR, 'density="1.2"'])
def test_a_model_that_is_alone_moves_as_in_its_own_file(option: str) -> None:
    """Gravity is that of MJCF, even where the file is silent; what stands still does not count."""
    model = mujoco.MjModel.from_xml_string(LEAF.format(option))
    model.opt.timestep = 0.001
    if "integrator" not in option:
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    world = World(MujocoSimulator())
    world.spawn(box(static=True), "wall", Pose((9, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsupportedElementWarning)
        world.spawn(MjcfModel(LEAF.format(option)), "leaf", Pose())
    np.testing.assert_allclose(place(world), data.qpos[:3], atol=1e-9)


@pytest.mark.parametrize("step", [0.0005, 0.004, None])
def test_a_world_made_for_a_model_takes_its_steps(step: float | None) -> None:
    """The leaf falls as in bare MuJoCo with the file's own step size, or with its default."""
    text = LEAF.format(AIR if step is None else f'{AIR} timestep="{step}"')
    plain = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(plain)
    mujoco.mj_step(plain, data, 50)
    model = MjcfModel(text)
    world = World(MujocoSimulator(studio(source=model)))
    assert world.timestep == plain.opt.timestep
    world.spawn(model, "leaf", Pose())
    np.testing.assert_allclose(place(world, 50), data.qpos[:3], atol=1e-9)


def test_a_world_with_options_or_others_keeps_its_own() -> None:
    """A warning says so; the leaf falls as it does without its options."""
    plain = LEAF.replace("<option {}/>", "")
    alone = World(MujocoSimulator())
    alone.spawn(MjcfModel(plain), "leaf", Pose())
    wanted = place(alone)
    own = Physics(mujoco=MujocoOptions(impratio=3.0))
    described, beside = (
        World(MujocoSimulator(WorldDescription(physics=own))),
        World(MujocoSimulator()),
    )
    beside.spawn(box(static=False), "box", Pose((9, 0, 0)))
    for world in (described, beside):
        with pytest.warns(UnsupportedElementWarning, match="<option> of its MJCF not simulated"):
            world.spawn(MjcfModel(LEAF.format(AIR)), "leaf", Pose())
        np.testing.assert_allclose(place(world), wanted, atol=1e-12)


def test_options_go_with_their_model() -> None:
    """After it was deleted, the next model falls as in a world that never had it."""
    world, plain = World(MujocoSimulator()), MjcfModel(LEAF.replace("<option {}/>", ""))
    world.spawn(MjcfModel(LEAF.format(AIR)), "windy", Pose())
    world.delete("windy")
    world.spawn(plain, "leaf", Pose())
    other = World(MujocoSimulator())
    other.spawn(plain, "leaf", Pose())
    np.testing.assert_array_equal(place(world), place(other))


SMALL = """<mujoco><option {}/><worldbody><body name="b" pos="0 0 500"><freejoint/>
<geom type="sphere" size="5"/></body></worldbody></mujoco>"""


def small(option: str) -> World:
    world = World(MujocoSimulator())
    world.spawn(MjcfModel(SMALL.format(option)), "m", Pose())
    return world


def test_steps_much_longer_than_those_of_the_file_are_warned_of() -> None:
    """One line has both; a factor of two, and shorter steps, are no reason."""
    match = "steps of 0.0001 s, and those of this world are 0.001 s"
    with pytest.warns(UnsupportedElementWarning, match=match):
        small('timestep=".0001"')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in (".0005", ".01"):
            small(f'timestep="{step}"')


def test_a_file_in_centimetres_is_warned_of_or_refused() -> None:
    """Alone it has its own gravity; beside others it would fall a hundred times too slowly."""
    centimetres = SMALL.format('gravity="0 0 -981"')
    with pytest.warns(UnsupportedElementWarning, match="gravity of 981, so its units are not"):
        world = small('gravity="0 0 -981"')
    for _ in range(100):
        world.tick()
    fallen = 500.0 - world.links.select(["m::b"]).pose[0, 0, 2]
    assert fallen == pytest.approx(0.5 * 981 * 0.1**2, rel=0.02)
    beside = small('gravity="0 0 -1.6"')
    with pytest.raises(SpawnError, match=r"gravity of 981, .* this world has 1\.6"):
        beside.spawn(MjcfModel(centimetres), "fly", Pose((0, 50, 0)))
    assert list(beside.entities.models) == ["m"]
    described = World(MujocoSimulator(WorldDescription(gravity=(0.0, 0.0, -981.0))))
    with (
        pytest.warns(UnsupportedElementWarning, match="all numbers of this world are in its units"),
        pytest.warns(UnsupportedElementWarning, match="<option> of its MJCF not simulated"),
    ):
        described.spawn(MjcfModel(centimetres), "fly", Pose())
