# SPDX-License-Identifier: Apache-2.0
"""The sensors and cameras of MJCF models are rows of `world.sensors`."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import MjcfModel, UnsupportedElementWarning
from deepsim_sync import World

ARM = """<mujoco><worldbody>
  <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" damping=".1"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><site name="tip" pos=".3 0 0"/></body>
</worldbody>
<actuator><position name="drive" joint="hinge" kp="40" kv="4"/></actuator>
<sensor><gyro name="gyro" site="tip"/><accelerometer name="imu" site="tip"/>
  <jointpos joint="hinge"/><jointactuatorfrc name="effort" joint="hinge"/>
  <framepos name="place" objtype="site" objname="tip"/></sensor></mujoco>"""


def world_of(text: str, worlds: int = 1) -> World:
    world = World(MujocoSimulator(worlds=worlds))
    world.spawn(MjcfModel(text), "m", Pose())
    return world


def run(world: World, ticks: int) -> None:
    for _ in range(ticks):
        world.tick()


def test_sensors_have_the_names_of_their_file() -> None:
    """A sensor without a name gets its number; those of one kind are read together."""
    world = world_of(ARM, worlds=2)
    names = ["gyro", "imu", "sensor 2", "effort", "place"]
    assert list(world.sensors) == [f"m::{name}" for name in names]
    assert {each.kind for each in world.simulator.sensors.infos.values()} == {"value"}
    run(world, 5)
    both = world.sensors.select(["m::gyro", "m::imu"])
    assert both.value.shape == (2, 2, 3)
    assert world.sensors["m::sensor 2"].value.shape == (2, 1)


def test_each_model_has_its_own_sensors_where_it_is_put() -> None:
    """Beside other robots, and after one was deleted, a sensor has the bits of a robot alone."""
    alone, world = world_of(ARM), World(MujocoSimulator())
    model = MjcfModel(ARM)
    world.spawn(model, "first", Pose((0, 5, 0)))
    world.spawn(model, "m", Pose())
    read = {
        name: (alone.sensors[f"m::{name}"], world.sensors[f"m::{name}"])
        for name in ("gyro", "imu", "sensor 2", "effort", "place")
    }
    for tick in range(60):
        if tick == 20:
            world.delete("first")
        if tick == 40:
            world.spawn(model, "last", Pose((0, -5, 0)))
            other = world.sensors["last::place"].value[0]
            np.testing.assert_allclose(other, [0.3, -5.0, 1.0], atol=1e-12)
        for each in (alone, world):
            each.tick()
        for name, (wanted, found) in read.items():
            if tick not in (19, 39):
                np.testing.assert_allclose(found.value, wanted.value, atol=1e-12, err_msg=name)


def test_a_model_comes_back_with_its_sensors() -> None:
    """After it was deleted, one with the same name can be spawned, even with a clock."""
    model = MjcfModel(ARM.replace("<sensor>", '<sensor><clock name="clock"/>'))
    world = World(MujocoSimulator())
    for _ in range(2):
        world.spawn(model, "m", Pose())
        run(world, 5)
        assert len(world.sensors) == 6
        assert world.sensors["m::clock"].value[0, 0] == pytest.approx(world.time[0])
        world.delete("m")
        assert not world.sensors


@pytest.mark.parametrize("name", ["imu", "effort"])
def test_a_sensor_that_joins_others_measures_as_one_that_comes_first(name: str) -> None:
    """Its first value is that of the step that would come next, whoever measured before."""
    world, other = world_of(ARM), world_of(ARM)
    world.sensors["m::imu" if name == "effort" else "m::effort"].read()
    for each in (world, other):
        run(each, 20)
    np.testing.assert_array_equal(
        world.sensors[f"m::{name}"].value, other.sensors[f"m::{name}"].value
    )


def test_values_belong_to_snapshots_and_episodes() -> None:
    """After a snapshot is restored, and in the second episode, all values are those of before."""
    world = world_of(ARM, worlds=2)
    sensors = [world.sensors[name] for name in world.sensors]

    def values() -> list[np.ndarray]:
        return [each.value for each in sensors]

    first = []
    for _ in range(30):
        world.tick()
        first.append(values())
    state = world.get_state()
    run(world, 10)
    later = values()
    world.set_state(state)
    for one, other in zip(values(), first[-1], strict=True):
        np.testing.assert_array_equal(one, other)
    run(world, 10)
    for one, other in zip(values(), later, strict=True):
        np.testing.assert_array_equal(one, other)
    world.reset()
    for wanted in first:
        world.tick()
        for one, other in zip(values(), wanted, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_reading_changes_nothing() -> None:
    """A force that is read before the first step leaves all efforts of actuators at zero."""
    tendon = '<tendon><fixed name="t"><joint joint="hinge" coef="1"/></fixed></tendon>'
    text = ARM.replace("<actuator>", tendon + '<actuator><motor name="pull" tendon="t"/>')
    world, unread = world_of(text), world_of(text)
    for each in (world, unread):
        run(each, 3)
        each.reset()
        each.actuators.target = 1.0
    assert world.sensors["m::effort"].value.any()
    np.testing.assert_array_equal(world.actuators.effort, [[0.0]])
    for each in (world, unread):
        run(each, 3)
    np.testing.assert_array_equal(world.joints.position, unread.joints.position)
    assert world.actuators.effort[0, 0] == 1.0


def test_an_accelerometer_sums_up_to_the_velocity() -> None:
    """Also with a stiff servo in one tick of many steps, where MuJoCo's own reads too much."""
    text = ARM.replace('kp="40" kv="4"', 'kp="4000" kv="400"')
    world = world_of(text)
    world.joints.target_position = 0.4
    imu, turn = world.sensors["m::imu"], []
    total = np.zeros(3)
    for _ in range(20):
        world.tick()
        pitch = float(world.joints.position[0, 0])
        turn = [[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]]
        total += (np.array(turn) @ imu.value[0] - [0.0, 0.0, 9.8]) * world.timestep
    speed = 0.3 * float(world.joints.velocity[0, 0])
    np.testing.assert_allclose(total, speed * np.array([turn[2][0], 0.0, -turn[0][0]]), atol=1e-9)


@pytest.mark.parametrize(
    ("sensor", "wanted"),
    [
        ('<rangefinder name="x" site="beam"/>', [0.6 + 0.5]),
        ('<framepos name="x" objtype="geom" objname="sign"/>', [1.2, 0.0, 0.5]),
        ('<distance name="x" body1="post" body2="cart" cutoff="9"/>', [0.6 + 0.5 + 1.0]),
    ],
)
def test_a_visual_that_moves_is_measured(sensor: str, wanted: list[float]) -> None:
    """MuJoCo's sensors do so, although it never collides."""
    text = """<mujoco><worldbody><site name="beam" pos="0 0 .5" zaxis="1 0 0"/>
    <body name="cart" pos="1 0 .5"><joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size=".1 .1 .1" mass="1"/>
      <geom name="sign" type="box" size=".1 .1 .1" pos="-.3 0 0" contype="0" conaffinity="0"/>
    </body>
    <body name="post" pos="-1.1 0 .5"><geom type="sphere" size=".1"/></body></worldbody>
    <sensor>{}</sensor></mujoco>"""
    world = world_of(text.format(sensor))
    world.joints.velocity = 1.0
    run(world, 500)
    np.testing.assert_allclose(world.sensors["m::x"].value[0], wanted, atol=1e-9)


def test_delays_and_intervals_are_those_of_simulated_time() -> None:
    """With an interval of 10 ms a value stays as it is for ten steps."""
    slow = '<jointpos name="slow" joint="hinge" nsample="2" interval=".01"/>'
    late = '<jointpos name="late" joint="hinge" nsample="9" delay=".005"/>'
    world = world_of(ARM.replace("</sensor>", slow + late + "</sensor>"))
    assert world.simulator.sensors.infos["m::slow"].update_rate == pytest.approx(100.0)
    seen, were = [], [float(world.joints.position[0, 0])]
    late_values = world.sensors["m::late"], []
    for _ in range(30):
        seen.append(float(world.sensors["m::slow"].value[0, 0]))
        late_values[1].append(float(late_values[0].value[0, 0]))
        world.tick()
        were.append(float(world.joints.position[0, 0]))
    assert 3 <= len(set(seen)) <= 4
    assert late_values[1][20] == were[15]


@pytest.mark.parametrize(
    ("sensor", "name"),
    [
        ('<user name="own" objtype="body" objname="arm" dim="2" datatype="real"/>', "own"),
        ('<subtreecom name="all" body="world"/>', "all"),
        ('<user objtype="body" objname="arm" dim="2" datatype="real"/>', "sensor 5"),
    ],
)
def test_a_sensor_that_is_not_simulated_is_named(sensor: str, name: str) -> None:
    """Once, in a warning; the others measure."""
    with pytest.warns(UnsupportedElementWarning, match=f"sensors '{name}' of its MJCF not sim"):
        world = world_of(ARM.replace("</sensor>", sensor + "</sensor>"))
    assert f"m::{name}" not in world.sensors
    assert len(world.sensors) == 5


def test_the_force_of_one_of_two_servos_of_a_joint_is_not_simulated() -> None:
    """Their sum is, which the joint's own sensor measures."""
    text = ARM.replace("</actuator>", '<motor name="more" joint="hinge"/></actuator>')
    text = text.replace("</sensor>", '<actuatorfrc name="part" actuator="more"/></sensor>')
    with pytest.warns(UnsupportedElementWarning, match="sensors 'part' of its MJCF"):
        world = world_of(text)
    world.joints.put(feedforward=2.0, stiffness=0.0, damping=0.0)
    world.tick()
    assert world.sensors["m::effort"].value[0, 0] == pytest.approx(2.0)


CAMERAS = """<mujoco><worldbody><light pos="0 0 3"/>
<geom type="box" size=".1 .1 .1" pos="2 0 1" rgba="1 0 0 1"/>
<body name="head" pos="0 0 1"><joint axis="0 0 1"/><geom type="sphere" size=".02" mass="1"/>
  <camera name="eye" pos=".1 0 0" xyaxes="0 -1 0 0 0 1" fovy="40" resolution="80 60"/>
  <camera name="deep" pos=".1 0 0" xyaxes="0 -1 0 0 0 1" resolution="40 40" output="depth"/>
  <camera name="chase" mode="trackcom" pos="0 -2 1"/></body></worldbody></mujoco>"""


def test_cameras_that_are_fixed_to_a_body_take_pictures() -> None:
    """They look along MuJoCo's -z; one that follows its body from afar is named in a warning."""
    with pytest.warns(UnsupportedElementWarning, match="cameras 'chase' of its MJCF"):
        world = world_of(CAMERAS, worlds=2)
    eye, deep = world.sensors["m::eye"], world.sensors["m::deep"]
    assert (eye.info.kind, deep.info.kind) == ("camera", "rgbd")
    assert eye.rgb.shape == (2, 60, 80, 3)
    model = mujoco.MjModel.from_xml_string(CAMERAS)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    view = world.simulator.depth_cameras.view("m::eye", 1)
    camera = data.camera("eye")
    np.testing.assert_allclose(view.pose.position, camera.xpos, atol=1e-12)
    axes = view.pose.orientation.to_matrix()
    np.testing.assert_allclose(axes[:, 0], -camera.xmat.reshape(3, 3)[:, 2], atol=1e-12)
    np.testing.assert_allclose(axes[:, 2], camera.xmat.reshape(3, 3)[:, 1], atol=1e-12)
    assert view.intrinsic[1, 1] == pytest.approx(30.0 / np.tan(np.radians(20.0)))
    assert deep.depth[0, 20, 20] == pytest.approx(1.8, abs=1e-6)
    world.joints.put(position=np.pi, worlds=[1])
    world.tick()
    assert deep.depth[:, 20, 20].tolist() == [pytest.approx(1.8, abs=1e-6), np.inf]
