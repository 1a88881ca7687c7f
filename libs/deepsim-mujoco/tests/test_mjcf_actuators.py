# SPDX-License-Identifier: Apache-2.0
"""Actuators of MJCF models that act on hinges and slides: they become gains of joints."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import MjcfModel
from deepsim_sync import World

ARM = """<mujoco model="arm">{defaults}<worldbody>
<body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0" range="-90 90" armature="0.1"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
  <body name="lower" pos=".3 0 0"><joint name="b" axis="0 1 0" range="-90 90"/>
    <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/></body></body>
</worldbody><tendon><fixed name="t"><joint joint="b" coef="1"/></fixed></tendon>
<actuator>{actuators}</actuator>
<keyframe><key name="home" qpos="0.5 -0.25"/></keyframe></mujoco>"""


def spawned(defaults: str, actuators: str, worlds: int = 1) -> tuple[str, World]:
    text = ARM.format(
        defaults=f"<default>{defaults}</default>" if defaults else "", actuators=actuators
    )
    world = World(MujocoSimulator(worlds=worlds))
    world.spawn(MjcfModel(text), "m", Pose((1, 0, 0)))
    return text, world


@pytest.mark.parametrize(
    ("defaults", "actuator"),
    [
        ("", '<position joint="a" kp="300" kv="20" gear="2"/>'),
        ("", '<position joint="a" kp="300" dampratio="0.7"/>'),
        ("", '<position joint="b" kp="300" dampratio="1" gear="-3"/>'),
        ("", '<position joint="a" kp="300" inheritrange="1"/>'),
        ("", '<position jointinparent="a" kp="20"/>'),
        ("", '<general joint="a" gainprm="2" biastype="affine" biasprm="0 -40 -4"/>'),
        ("", '<general joint="a" gainprm="2" biasprm="0 -40 -4"/>'),
        ("", '<velocity joint="a" kv="6"/>'),
        ("", '<motor joint="a" gear="50"/>'),
        ('<general gear="3" biastype="affine" biasprm="0 -7 -2"/>', '<position joint="a" kp="9"/>'),
        ('<general gear="3" biastype="affine" biasprm="0 -7 -2"/>', '<motor joint="a"/>'),
        ('<position kp="90" kv="3"/>', '<general joint="a"/>'),
        ('<position kp="90" dampratio="1"/>', '<position joint="a"/>'),
        ('<position kp="90" kv="3"/>', '<position joint="a"/><velocity joint="a" kv="2"/>'),
    ],
)
def test_gains_are_those_that_mujoco_compiles(defaults: str, actuator: str) -> None:
    """The joint is pushed as MuJoCo's own actuators push it, with the target as control."""
    text, world = spawned(defaults, actuator)
    model = mujoco.MjModel.from_xml_string(text)
    names = ["a", "b"]
    stiffness, damping = np.zeros(2), np.zeros(2)
    for number in range(model.nu):
        joint = names.index(model.joint(model.actuator_trnid[number, 0]).name)
        gear = model.actuator_gear[number, 0]
        if model.actuator_biastype[number] == mujoco.mjtBias.mjBIAS_AFFINE:
            stiffness[joint] -= model.actuator_biasprm[number, 1] * gear**2
            damping[joint] -= model.actuator_biasprm[number, 2] * gear**2
    rows = world.joints.select([f"m::{name}" for name in names])
    np.testing.assert_allclose(rows.stiffness[0], stiffness, rtol=1e-12)
    np.testing.assert_allclose(rows.damping[0], damping, rtol=1e-12)


@pytest.mark.parametrize(
    ("actuators", "limit"),
    [
        ('<position joint="a" kp="30" forcerange="-4 3" gear="2"/>', 8.0),
        ('<position joint="a" kp="30" forcerange="-4 3" forcelimited="false"/>', np.inf),
        ('<motor joint="a" gear="-50" ctrlrange="-1 0.5"/>', 50.0),
        ('<motor joint="a" gear="50" ctrlrange="-1 1" forcerange="-0.5 0.5"/>', 25.0),
        ('<position joint="a" ctrlrange="-1 1"/>', np.inf),
        ('<position joint="a" forcerange="-3 3"/><motor joint="a" ctrlrange="-4 4"/>', 7.0),
    ],
)
def test_effort_limits_are_those_of_the_actuators(actuators: str, limit: float) -> None:
    """Several actuators of a joint act together."""
    _, world = spawned("", actuators)
    assert world.joints.select(["m::a"]).effort_limit[0, 0] == limit


def test_actuators_hold_the_joints_where_the_keyframe_has_them() -> None:
    """Also after a reset of some worlds, and after another model has been spawned."""
    text, world = spawned("", '<position joint="a" kp="18000" dampratio="1"/>', worlds=2)
    rows = world.joints.select(["m::a", "m::b"])
    np.testing.assert_array_equal(rows.target_position, [[0.5, 0.0]] * 2)
    for _ in range(500):
        world.tick()
    np.testing.assert_allclose(rows.position[:, 0], 0.5, atol=0.002)
    rows.put(None, target_position=0.9, stiffness=500.0)
    for _ in range(500):
        world.tick()
    assert (rows.position[:, 0] > 0.7).all()
    world.reset(worlds=[1])
    world.spawn(MjcfModel(text), "n", Pose((5, 0, 0)))
    for _ in range(500):
        world.tick()
    both = world.joints.select(["m::a", "n::a"])
    assert both.position[0, 0] > 0.7
    np.testing.assert_allclose(both.position[1], [0.5, 0.5], atol=0.002)
    np.testing.assert_allclose(both.stiffness[1], [18000.0, 18000.0])


@pytest.mark.parametrize(
    ("actuator", "controls"),
    [
        ('<position joint="a" kp="30" gear="2"/>', [0.4]),
        ('<general joint="a" gainprm="20" biastype="affine" biasprm="3 -40 -4" gear="-2"/>', [0.4]),
        ('<velocity joint="a" kv="6" gear="3"/>', [1.5]),
        ('<motor joint="a" gear="-5"/>', [0.7]),
        ('<position joint="a" kp="30"/><velocity joint="a" kv="2"/>', [0.4, 1.0]),
        ('<pid joint="a" kp="30" kv="2" input="pos vel ff" gear="2"/>', [0.4, 1.0, -0.5]),
        ('<position joint="a" kp="30"/><position joint="a" kp="5"/>', [0.4, -0.8]),
    ],
)
def test_controls_of_the_file_move_a_joint_as_in_plain_mujoco(
    actuator: str, controls: list[float]
) -> None:
    """Each control has a cell; a second actuator for the same purpose has a row of its own."""
    text, world = spawned("", actuator)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator = 0.001, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.gravity[:] = 0.0, 0.0, -9.8
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = controls
    world.joints.put(target_position=0.0)  # instead of the position of the keyframe
    for control, value in zip(world.simulator.descriptions.controls["m"], controls, strict=True):
        table = world.joints if control.kind == "joints" else world.actuators
        table.select([control.row]).put(
            None, **{control.column: control.scale * value + control.offset}
        )
    for _ in range(300):
        mujoco.mj_step(model, data)
        world.tick()
    np.testing.assert_allclose(world.joints.position[0], data.qpos, atol=1e-5)
