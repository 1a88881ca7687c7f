# SPDX-License-Identifier: Apache-2.0
"""The sensors of an MJCF model measure what plain MuJoCo's do, or what a step of it really did."""

from __future__ import annotations

from functools import cache
from typing import Any

import mujoco
import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import MjcfModel, Physics, WorldDescription
from deepsim_sync import World

STEP, STEPS = 0.002, 300
OPTION = 'integrator="implicitfast" cone="elliptic" impratio="10" gravity="0 0 -9.8"'
"""The options of a world."""
MODEL = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <camera name="eye" pos="0 -3 1" xyaxes="1 0 0 0 0 1" fovy="50" resolution="320 240"/>
  <body name="upper" pos="0 0 1.2"><joint name="a" axis="0 1 0"/>
    <geom name="arm" type="capsule" fromto="0 0 0 .3 0 0" size=".03" contype="0" conaffinity="0"/>
    <geom name="box" type="box" size=".02 .02 .02" pos=".1 0 .1" contype="0" conaffinity="0"/>
    <site name="elbow" pos=".15 0 .05" euler="10 20 30"/><site name="base" euler="5 0 40"/>
    <body name="lower" pos=".3 0 0"><joint name="b" axis="0 1 .2"/>
      <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" contype="0" conaffinity="0"/>
      <site name="hand" pos=".1 0 .05" euler="20 -30 50"/></body></body>
  <body name="slider" pos="0 1 1"><joint name="s" type="slide" axis="0 0 1" range="-.1 .1"/>
    <geom type="sphere" size=".05" contype="0" conaffinity="0"/></body>
  <body name="pendulum" pos="0 2 1"><joint name="d" type="ball"/>
    <geom type="capsule" fromto="0 0 0 .05 .1 -.2" size=".03" contype="0" conaffinity="0"/></body>
  <body name="stone" pos="1 0 .2" euler="20 0 0"><freejoint/>
    <geom name="stone" type="box" size=".1 .1 .05"/>
    <site name="pad" type="box" size=".12 .12 .07"/><site name="beam" zaxis="0 0 -1"/></body>
</worldbody>
<tendon><fixed name="both" limited="true" range="-.3 .3"><joint joint="a" coef="1"/>
    <joint joint="b" coef="-.5"/></fixed>
  <spatial name="cable"><site site="elbow"/><site site="hand"/></spatial></tendon>
<actuator><position name="servo" joint="a" gear="2" kp="20" kv="8"/>
  <motor name="cord" tendon="cable" gear="4"/><motor name="twist" joint="b" gear="1.5"/></actuator>
<sensor>{sensors}</sensor></mujoco>"""
NOW = {
    "velocimeter": '<velocimeter name="{}" site="hand"/>',
    "gyro": '<gyro name="{}" site="hand"/>',
    "gyro with a cutoff": '<gyro name="{}" site="hand" cutoff=".5"/>',
    "magnetometer": '<magnetometer name="{}" site="hand"/>',
    "rangefinder": '<rangefinder name="{}" site="beam"/>',
    "camprojection": '<camprojection name="{}" site="hand" camera="eye"/>',
    "jointpos": '<jointpos name="{}" joint="a"/>',
    "jointvel": '<jointvel name="{}" joint="b"/>',
    "tendonpos": '<tendonpos name="{}" tendon="cable"/>',
    "tendonvel": '<tendonvel name="{}" tendon="both"/>',
    "actuatorpos of a joint": '<actuatorpos name="{}" actuator="servo"/>',
    "actuatorpos with a cutoff": '<actuatorpos name="{}" actuator="servo" cutoff=".2"/>',
    "actuatorvel of a joint": '<actuatorvel name="{}" actuator="servo"/>',
    "actuatorpos of a tendon": '<actuatorpos name="{}" actuator="cord"/>',
    "actuatorvel of a tendon": '<actuatorvel name="{}" actuator="cord"/>',
    "ballquat": '<ballquat name="{}" joint="d"/>',
    "ballangvel": '<ballangvel name="{}" joint="d"/>',
    "jointlimitpos": '<jointlimitpos name="{}" joint="s"/>',
    "jointlimitvel": '<jointlimitvel name="{}" joint="s"/>',
    "tendonlimitpos": '<tendonlimitpos name="{}" tendon="both"/>',
    "tendonlimitvel": '<tendonlimitvel name="{}" tendon="both"/>',
    "framepos": '<framepos name="{}" objtype="site" objname="hand"/>',
    "framepos in a frame": '<framepos name="{}" objtype="site" objname="hand" reftype="body" '
    'refname="stone"/>',
    "framepos in the world": '<framepos name="{}" objtype="body" objname="lower" reftype="body" '
    'refname="world"/>',
    "framepos of a visual": '<framepos name="{}" objtype="geom" objname="box"/>',
    "framepos of a camera": '<framepos name="{}" objtype="camera" objname="eye"/>',
    "framequat": '<framequat name="{}" objtype="xbody" objname="pendulum"/>',
    "framexaxis": '<framexaxis name="{}" objtype="site" objname="hand"/>',
    "frameyaxis": '<frameyaxis name="{}" objtype="site" objname="hand"/>',
    "framezaxis": '<framezaxis name="{}" objtype="site" objname="hand"/>',
    "framelinvel": '<framelinvel name="{}" objtype="site" objname="hand"/>',
    "frameangvel": '<frameangvel name="{}" objtype="site" objname="hand" reftype="site" '
    'refname="elbow"/>',
    "subtreecom": '<subtreecom name="{}" body="upper"/>',
    "subtreelinvel": '<subtreelinvel name="{}" body="upper"/>',
    "subtreeangmom": '<subtreeangmom name="{}" body="upper"/>',
    "distance": '<distance name="{}" geom1="box" body2="stone" cutoff="9"/>',
    "normal": '<normal name="{}" geom1="arm" geom2="stone" cutoff="9"/>',
    "fromto": '<fromto name="{}" body1="upper" geom2="stone" cutoff="9"/>',
    "insidesite": '<insidesite name="{}" objtype="site" objname="beam" site="pad"/>',
    "e_potential": '<e_potential name="{}"/>',
    "e_kinetic": '<e_kinetic name="{}"/>',
    "clock": '<clock name="{}"/>',
}
"""Sensors of positions and velocities, which measure the present instant."""
OF_STEP = {
    "touch": '<touch name="{}" site="pad"/>',
    "touch with a cutoff": '<touch name="{}" site="pad" cutoff="3"/>',
    "contact": '<contact name="{}" geom1="stone" data="found force dist" reduce="netforce"/>',
    "actuatorfrc of a tendon": '<actuatorfrc name="{}" actuator="cord"/>',
    "tendonactuatorfrc": '<tendonactuatorfrc name="{}" tendon="cable"/>',
    "jointlimitfrc": '<jointlimitfrc name="{}" joint="s"/>',
    "tendonlimitfrc": '<tendonlimitfrc name="{}" tendon="both"/>',
    "jointactuatorfrc": '<jointactuatorfrc name="{}" joint="b"/>',
    "actuatorfrc of a motor": '<actuatorfrc name="{}" actuator="twist"/>',
}
"""Sensors of forces, which measure the latest step; plain MuJoCo shows these, too."""
TAKEN = {
    "accelerometer": '<accelerometer name="{}" site="hand"/>',
    "accelerometer with a cutoff": '<accelerometer name="{}" site="hand" cutoff="5"/>',
    "framelinacc": '<framelinacc name="{}" objtype="site" objname="hand"/>',
    "frameangacc": '<frameangacc name="{}" objtype="site" objname="hand"/>',
    "force": '<force name="{}" site="base"/>',
    "torque": '<torque name="{}" site="base"/>',
    "actuatorfrc of a servo": '<actuatorfrc name="{}" actuator="servo"/>',
    "jointactuatorfrc of a servo": '<jointactuatorfrc name="{}" joint="a"/>',
}
"""Sensors of the step; those of plain MuJoCo count the servo's damping as at its beginning."""
SENSORS = {**NOW, **OF_STEP, **TAKEN}
TEXT = MODEL.format(sensors="".join(each.format(name) for name, each in SENSORS.items()))
Values = dict[str, np.ndarray]


def controls(step: int, world: int = 0) -> tuple[float, float, float]:
    """Returns the controls of the servo, the cord and the motor."""
    phase = 0.03 * step + world
    return 2.0 * np.sin(phase), 1.5 * np.cos(0.7 * phase), 0.3 * np.sin(1.3 * phase)


def sensed(model: mujoco.MjModel, data: mujoco.MjData, names: Any) -> Values:
    return {name: data.sensor(name).data.copy() for name in names}


@cache
def plain(world: int) -> list[Values]:
    """Returns the values after each step of the bare engine."""
    option = f'<mujoco><option timestep="{STEP}" tolerance="1e-10" {OPTION}/>'
    model = mujoco.MjModel.from_xml_string(TEXT.replace("<mujoco>", option))
    data, other = mujoco.MjData(model), mujoco.MjData(model)
    found: list[Values] = []
    for step in range(STEPS):
        data.ctrl[:] = controls(step, world)
        before, warm = (data.qpos.copy(), data.qvel.copy()), data.qacc_warmstart.copy()
        mujoco.mj_step(model, data)
        values = sensed(model, data, OF_STEP)
        # What the step did, by inverse dynamics where it started.
        rate = (data.qvel - before[1]) / STEP
        (other.qpos[:], other.qvel[:]), other.ctrl[:] = before, data.ctrl
        other.qacc_warmstart[:] = warm
        mujoco.mj_forward(model, other)
        velocity = velocities(model, other)
        total = np.zeros(model.nv)
        mujoco.mj_mulM(model, other, total, rate)
        total += other.qfrc_bias - other.qfrc_passive - other.qfrc_constraint
        effort = total[model.joint("a").dofadr[0]]  # of the servo and the cord
        other.qacc[:] = rate
        other.flg_rnepost = 0
        mujoco.mj_sensorAcc(model, other)
        values |= sensed(model, other, ("force", "torque"))
        values["actuatorfrc of a servo"] = np.array([(effort - cord(model, other)) / 2.0])
        values["jointactuatorfrc of a servo"] = np.array([effort])
        (other.qpos[:], other.qvel[:]), other.time = (data.qpos, data.qvel), data.time
        mujoco.mj_forward(model, other)
        values |= sensed(model, other, NOW)
        change = (velocities(model, other) - velocity) / STEP
        values["frameangacc"], values["framelinacc"] = change[:3], change[3:] - model.opt.gravity
        turn = other.site("hand").xmat.reshape(3, 3)
        values["accelerometer"] = turn.T @ values["framelinacc"]
        values["accelerometer with a cutoff"] = np.clip(values["accelerometer"], -5.0, 5.0)
        found.append(values)
    return found


def velocities(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Returns angular and linear velocity of the hand in the world frame."""
    found = np.zeros(6)
    hand = mujoco.mjtObj.mjOBJ_SITE, data.site("hand").id
    mujoco.mj_objectVelocity(model, data, *hand, found, 0)
    return found


def cord(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Returns the torque of the cord about joint a."""
    moment = np.zeros((model.nu, model.nv))
    rows = data.moment_rownnz, data.moment_rowadr, data.moment_colind
    mujoco.mju_sparse2dense(moment, data.actuator_moment, *rows)
    return float((moment[1] * data.actuator_force[1])[model.joint("a").dofadr[0]])


@cache
def spawned(worlds: int) -> World:
    """Returns a world whose contacts are MuJoCo's own."""
    physics = Physics(max_step_size=STEP)
    world = World(MujocoSimulator(WorldDescription(physics=physics), worlds=worlds))
    world.spawn(MjcfModel(TEXT), "m", Pose())
    return world


def drive(world: World, step: int) -> None:
    """Puts the controls of a step, and takes it."""
    for number in range(len(world)):
        servo, pull, torque = controls(step, number)
        put = {"worlds": [number]}
        world.joints.select(["m::a"]).put(target_position=servo / 2.0, **put)
        world.joints.select(["m::b"]).put(feedforward=1.5 * torque, **put)
        world.actuators.put(target=pull, **put)
    world.tick()


@cache
def ours(worlds: int) -> list[Values]:
    """Returns the values of all worlds after each step of the second episode."""
    world = spawned(worlds)
    for step in range(40):
        drive(world, 3 * step)
        if step == 20:
            for name in SENSORS:
                world.sensors[f"m::{name}"].read()
    world.reset()
    found: list[Values] = []
    for step in range(STEPS):
        drive(world, step)
        found.append({name: world.sensors[f"m::{name}"].value for name in SENSORS})
    return found


@pytest.mark.parametrize("worlds", [1, 3])
@pytest.mark.parametrize("kind", SENSORS)
def test_a_sensor_measures_as_in_plain_mujoco(kind: str, worlds: int) -> None:
    """In the second episode, in each world with its own controls."""
    measured = np.array([values[kind] for values in ours(worlds)])
    for world in range(worlds):
        wanted = np.array([values[kind] for values in plain(world)])
        scale = max(1.0, float(np.abs(wanted).max()))
        assert measured[:, world].shape == wanted.shape
        np.testing.assert_allclose(measured[:, world], wanted, atol=1e-5 * scale)
    is_fixed = kind in ("framepos of a camera",)
    assert is_fixed or np.ptp(measured, axis=0).max() > 1e-3 or kind == "insidesite"


SKIN = """<mujoco>{}
<asset><mesh name="pad" builtin="plate" params="3 3" scale=".05 .05 .01"/></asset>
<worldbody><body name="finger" pos="0 0 .1"><geom name="tip" type="box" size=".05 .05 .02"/>
  <geom type="mesh" mesh="pad" contype="0" conaffinity="0" density="0"/></body>
<body name="ball" pos="0 0 .165"><freejoint/><geom type="sphere" size=".05"/></body></worldbody>
<sensor><tactile name="skin" geom="tip" mesh="pad"/></sensor></mujoco>"""


def test_a_tactile_sensor_measures_as_in_plain_mujoco() -> None:
    """The contacts of the latest step count, although it measures velocities, too."""
    option = f'<option timestep="{STEP}" tolerance="1e-10" {OPTION}/>'
    model = mujoco.MjModel.from_xml_string(SKIN.format(option))
    data = mujoco.MjData(model)
    world = World(MujocoSimulator(WorldDescription(physics=Physics(max_step_size=STEP))))
    world.spawn(MjcfModel(SKIN.format("")), "m", Pose())
    skin = world.sensors["m::skin"]
    for _ in range(100):
        mujoco.mj_step(model, data)
        world.tick()
        wanted = data.sensor("skin").data
        np.testing.assert_allclose(skin.value[0], wanted, atol=1e-9)
    assert np.abs(wanted).max() > 1e-3
