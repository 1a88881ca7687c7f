# SPDX-License-Identifier: Apache-2.0
"""Actuators of every transmission and dynamics move a model as in plain MuJoCo."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import MjcfModel, Physics, WorldDescription
from deepsim_sync import World

STEP = 0.002
MODEL = """<mujoco><worldbody>
  <body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0" armature=".1" damping=".1"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" contype="0" conaffinity="0"/>
    <site name="elbow" pos=".15 0 .05"/>
    <body name="lower" pos=".3 0 0"><joint name="b" axis="0 1 0" armature=".05" damping=".1"/>
      <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" contype="0" conaffinity="0"/>
      <site name="hand" pos=".1 0 .05"/></body></body>
  <body name="crank" pos="0 1 1"><joint name="c" axis="0 1 0" armature=".05"/>
    <geom type="capsule" fromto="0 0 0 0 0 .1" size=".02" contype="0" conaffinity="0"/>
    <site name="pin" pos="0 0 .1"/></body>
  <site name="rail" pos="-.3 1 1" zaxis="1 0 0"/>
  <body name="pendulum" pos="0 2 1"><joint name="d" type="ball" damping=".05"/>
    <geom type="capsule" fromto="0 0 0 .05 .1 -.2" size=".03" contype="0" conaffinity="0"/></body>
  <body name="drone" pos="0 3 1"><freejoint/><geom type="box" size=".1 .1 .02"/>
    <site name="rotor" pos=".05 0 0"/></body>
  <geom name="ceiling" type="box" size=".5 .5 .1" pos="0 4 1.1"/>
  <body name="gecko" pos="0 4 .951"><freejoint/>
    <geom type="box" size=".05 .05 .05" mass=".1"/></body>
</worldbody>
<tendon><fixed name="both"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed>
  <spatial name="cable"><site site="elbow"/><site site="hand"/></spatial></tendon>
<actuator>{actuator}</actuator></mujoco>"""
OPTION = 'integrator="implicitfast" cone="elliptic" impratio="10" gravity="0 0 -9.8"'
"""The options of a world."""
ACTUATORS = {
    "fixed tendon": '<position name="x" tendon="both" kp="30" kv="2" ctrlrange="-1 1"/>',
    "spatial tendon": '<motor name="x" tendon="cable" gear="4" ctrlrange="-20 0"/>',
    "thrust": '<motor name="x" site="rotor" gear="0 0 1 0 0 -.02" ctrlrange="0 60"/>',
    "slider-crank": '<position name="x" cranksite="pin" slidersite="rail" cranklength=".3"/>',
    "adhesion": '<adhesion name="x" body="gecko" ctrlrange="0 1" gain="30"/>',
    "ball joint": '<position name="x" joint="d" gear="0 0 1" kp="5" kv=".5"/>',
    "muscle on a joint": '<muscle name="x" joint="b" lengthrange="-1.5 1.5" force="20"/>',
    "muscle on a tendon": '<muscle name="x" tendon="cable" force="50"/>',
    "filter": '<position name="x" joint="b" kp="30" kv="1" timeconst=".1"/>',
    "integrator": '<intvelocity name="x" joint="b" kp="30" kv="1" actrange="-1 1"/>',
    "damper": '<damper name="x" joint="b" kv="3" ctrlrange="0 2"/>',
    "cylinder": '<cylinder name="x" joint="b" timeconst=".05" area="4"/>',
    "pid": '<pid name="x" joint="b" input="pos" kp="30" kv="1" ki="20" imax="3" slewmax="4"/>',
    "forces of a range": '<motor name="x" tendon="both" forcerange="-1 3"/>',
    "named like its joint": '<muscle name="b" joint="b" lengthrange="-1.5 1.5" force="20"/>',
}


def plain(actuator: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Returns the bare engine's model, with the solver's settings of a world."""
    option = f'<mujoco><option timestep="{STEP}" {OPTION}/>'
    text = MODEL.format(actuator=actuator).replace("<mujoco>", option)
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def spawned(actuator: str, worlds: int = 1) -> World:
    """Returns a world whose contacts are MuJoCo's own."""
    physics = Physics(max_step_size=STEP)
    world = World(MujocoSimulator(WorldDescription(physics=physics), worlds=worlds))
    world.spawn(MjcfModel(MODEL.format(actuator=actuator)), "m", Pose())
    return world


def numbers(world: World) -> dict[str, Any]:
    """Returns everything that moves in world 0, by name."""
    joints = zip(world.entities.joints, world.joints.position[0], strict=True)
    free = world.links.select(["m::drone", "m::gecko"]).pose[0, :, :3]
    return {**dict(joints), "drone": free[0], "gecko": free[1]}


@pytest.mark.parametrize("kind", ACTUATORS)
def test_an_actuator_moves_as_in_plain_mujoco(kind: str) -> None:
    """Controls change in time, beyond their range too; positions, efforts and states are equal."""
    model, data = plain(ACTUATORS[kind])
    world = spawned(ACTUATORS[kind])
    rows = world.actuators
    moved = 0.0
    for step in range(400):
        control = 2.0 * np.sin(0.02 * step) + (30.0 if kind == "thrust" else 0.5)
        data.ctrl[:] = control
        rows.target = control
        mujoco.mj_step(model, data)
        world.tick()
        moved = max(moved, abs(data.actuator_force[0]))
        np.testing.assert_allclose(rows.effort[0], data.actuator_force, rtol=1e-6, atol=1e-7)
    mujoco.mj_forward(model, data)
    found = numbers(world)
    for name in ("a", "b", "c"):
        assert found[f"m::{name}"] == pytest.approx(data.joint(name).qpos[0], abs=1e-6)
    for name in ("drone", "gecko"):
        np.testing.assert_allclose(found[name], data.body(name).xpos, atol=1e-5)
    np.testing.assert_allclose(rows.length[0], data.actuator_length, atol=1e-6)
    np.testing.assert_allclose(rows.velocity[0], data.actuator_velocity, atol=1e-5)
    if model.na:
        assert rows.activation[0, 0] == pytest.approx(data.act[-1], abs=1e-6)
    assert moved > 0.1


@pytest.mark.parametrize("kind", ["fixed tendon", "muscle on a tendon", "pid", "thrust"])
def test_worlds_have_their_own_controls_and_limits(kind: str) -> None:
    """World w of three has the bits of a world alone with its controls and limits."""
    together, efforts = spawned(ACTUATORS[kind], 3), np.array([[-50.0], [-2.0], [-50.0]])
    together.actuators.put(lower_effort=efforts, target=[[0.2], [0.8], [0.8]])
    for _ in range(100):
        together.tick()
    for own in range(3):
        alone = spawned(ACTUATORS[kind])
        target = together.actuators.target[own]
        alone.actuators.put(lower_effort=efforts[own], target=target)
        for _ in range(100):
            alone.tick()
        np.testing.assert_array_equal(alone.links.pose[0], together.links.pose[own])
        np.testing.assert_array_equal(alone.actuators.effort[0], together.actuators.effort[own])


def test_a_range_that_a_world_changes_clamps_its_control() -> None:
    """The thrust of a rotor whose upper limit is its weight keeps a drone where it is."""
    world = spawned(ACTUATORS["thrust"].replace('gear="0 0 1 0 0 -.02"', 'gear="0 0 1"'), 2)
    mass = 0.2 * 0.2 * 0.04 * 1000
    world.actuators.put(target=59.0)
    world.actuators.put(upper=mass * 9.8, worlds=[1])
    for _ in range(50):
        world.tick()
    height = world.links.select(["m::drone"]).pose[:, 0, 2]
    assert height[0] > 1.02
    assert height[1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("kind", ["muscle on a tendon", "pid", "fixed tendon"])
def test_a_reset_and_a_snapshot_restore_actuators(kind: str) -> None:
    """The second episode has the bits of the first, and so has what follows a snapshot."""
    world = spawned(ACTUATORS[kind], 2)

    def run() -> list[Any]:
        world.actuators.target = [[0.7], [0.1]]
        for _ in range(60):
            world.tick()
        return [world.links.pose, world.actuators.activation, world.actuators.effort]

    before = world.actuators.target
    first = run()
    world.reset()
    np.testing.assert_array_equal(world.actuators.effort, np.zeros((2, 1)))
    np.testing.assert_array_equal(world.actuators.target, before)
    second = run()
    state = world.get_state()
    after = run()
    world.set_state(state)
    np.testing.assert_array_equal(world.actuators.effort, second[2])
    again = run()
    for one, other in ((first, second), (after, again)):
        for values, others in zip(one, other, strict=True):
            np.testing.assert_array_equal(values, others)


def test_other_models_leave_actuators_alone() -> None:
    """Spawning and deleting another model keeps controls, states and limits, bit for bit."""
    kind = ACTUATORS["muscle on a tendon"]
    world, alone = spawned(kind), spawned(kind)
    other = MjcfModel(MODEL.format(actuator=ACTUATORS["pid"]))
    for each in (world, alone):
        each.actuators.put(target=0.6, upper_effort=100.0)
    for step in range(90):
        if step == 30:
            world.spawn(other, "n", Pose((0, 10, 0)))
        if step == 60:
            world.delete("n")
        for each in (world, alone):
            each.tick()
        if step == 45:
            assert list(world.entities.actuators) == ["m::x", "n::x"]
            assert world.actuators.upper_effort[0].tolist() == [100.0, np.inf]
    np.testing.assert_array_equal(world.actuators.activation, alone.actuators.activation)
    np.testing.assert_array_equal(world.joints.position, alone.joints.position)


def test_a_keyframe_gives_controls_and_activations() -> None:
    """Without controls in the keyframe, actuators hold what they act on."""
    key = '<keyframe><key name="home" qpos="{}" {}/></keyframe></mujoco>'
    free = "0 3 1 1 0 0 0 0 4 .951 1 0 0 0"
    text = MODEL.format(actuator=ACTUATORS["fixed tendon"]).replace("</mujoco>", key)
    held = text.format(f".4 .2 0 1 0 0 0 {free}", "")
    world = World(MujocoSimulator())
    world.spawn(MjcfModel(held), "m", Pose())
    assert world.actuators.target[0, 0] == pytest.approx(0.4 - 0.5 * 0.2)
    world.spawn(
        MjcfModel(text.format(f".4 .2 0 1 0 0 0 {free}", 'ctrl="-.7"')), "n", Pose((9, 0, 0))
    )
    assert world.actuators.target[0].tolist() == pytest.approx([0.3, -0.7])


def test_the_pid_plugin_becomes_mujocos_own() -> None:
    """The plugin lets targets jump where ``slewmax`` limits them, so the ends are compared."""
    gains = {"kp": 30, "ki": 20, "kd": 4, "imax": 3}
    config = "".join(f'<config key="{key}" value="{value}"/>' for key, value in gains.items())
    extension = f'<mujoco><extension><plugin plugin="mujoco.pid"><instance name="i">{config}'
    plugin = '<plugin name="x" plugin="mujoco.pid" instance="i" joint="b" actdim="1"/>'
    text = MODEL.format(actuator=plugin)
    text = text.replace("<mujoco>", extension + "</instance></plugin></extension>")
    end = text.index("</extension>") + len("</extension>")  # it may follow the actuators
    text = "<mujoco>" + text[end:].replace("</mujoco>", text[len("<mujoco>") : end] + "</mujoco>")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    world = World(MujocoSimulator(WorldDescription(physics=Physics(max_step_size=STEP))))
    world.spawn(MjcfModel(text), "m", Pose())
    for _ in range(500):
        data.ctrl[:] = 0.6
        world.actuators.target = 0.6
        mujoco.mj_step(model, data)
        world.tick()
    assert world.joints.select(["m::b"]).position[0, 0] == pytest.approx(
        data.joint("b").qpos[0], abs=2e-3
    )


def test_each_control_of_a_pid_has_a_row() -> None:
    """Its position, velocity and effort move the model as in plain MuJoCo."""
    pid = '<pid name="x" joint="b" input="pos vel ff" kp="30" kv="1" ki="20"/>'
    model, data = plain(pid)
    world = spawned(pid)
    assert list(world.entities.actuators) == ["m::x", "m::x::2", "m::x::3"]
    for step in range(200):
        data.ctrl[:] = 0.5, np.sin(0.02 * step), 1.0 - 0.01 * step
        world.actuators.target = data.ctrl
        mujoco.mj_step(model, data)
        world.tick()
    assert world.joints.select(["m::b"]).position[0, 0] == pytest.approx(
        data.joint("b").qpos[0], abs=1e-6
    )
