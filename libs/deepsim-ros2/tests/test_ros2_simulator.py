# SPDX-License-Identifier: Apache-2.0
"""The port on a server in another process, beside the same world in this one."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_ros2.client import Ros2Simulator, UnreachableError
from deepsim_ros2.client.opening import open_world
from deepsim_spawn import (
    GazeboXMLLoader,
    ModelDescription,
    Physics,
    WorldDescription,
    open_simulator,
)
from deepsim_spawn.backends import Backend
from deepsim_spawn.stage import studio
from deepsim_sync import (
    DuplicateEntityError,
    SpawnError,
    UnknownEntityError,
    UnsupportedError,
    World,
    WriteRefusedError,
)

BALL = """<sdf version="1.9"><model name="ball"><link name="link">
<inertial><mass>2</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model></sdf>"""


WALL = """<sdf version="1.9"><model name="wall"><static>true</static><link name="link">
<collision name="c"><geometry><box><size>.2 4 4</size></box></geometry></collision>
<visual name="v"><geometry><box><size>.2 4 4</size></box></geometry></visual></link>
</model></sdf>"""
MASS = "<inertial><mass>2</mass></inertial>"
RAYS = """<ray><scan><horizontal><samples>5</samples><min_angle>-.4</min_angle>
<max_angle>.4</max_angle></horizontal>{}</scan><range><min>.1</min><max>9</max></range></ray>"""
ROWS = (
    "<vertical><samples>3</samples><min_angle>-.9</min_angle><max_angle>.9</max_angle></vertical>"
)
LENS = "<camera><image><width>16</width><height>12</height></image></camera>"
RIG = f"""<sdf version="1.9"><model name="rig"><link name="base">{MASS}
<sensor name="imu" type="imu"/><sensor name="encoders" type="joint_state"/>
<sensor name="scan" type="ray">{RAYS.format("")}</sensor>
<sensor name="cloud" type="ray"><pose>0 0 .3 0 0 0</pose>{RAYS.format(ROWS)}</sensor>
<sensor name="eye" type="camera"><pose>0 0 .1 0 0 0</pose>{LENS}</sensor>
<sensor name="depth" type="depth"><pose>0 0 .2 0 0 0</pose>{LENS}</sensor>
<sensor name="rows" type="segmentation_camera">{LENS}</sensor></link>
<link name="arm">{MASS}<pose>0 0 -.5 0 0 0</pose><sensor name="touch" type="contact"/></link>
<joint name="foot" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="slide" type="prismatic"><parent>base</parent><child>arm</child>
<axis><xyz>0 0 1</xyz></axis><sensor name="felt" type="force_torque"/></joint></model></sdf>"""
PENDULUM = """<sdf version="1.9"><model name="pendulum"><link name="link"><inertial>
<pose>.3 0 0 0 0 0</pose><mass>1</mass></inertial></link>
<joint name="hinge" type="revolute"><parent>world</parent><child>link</child>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


@pytest.fixture
def simulator(serve):
    """Makes simulators on servers."""
    made = []

    def make(world, **settings):
        serve(world)
        made.append(Ros2Simulator(timeout=60.0, **settings))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_flight_is_the_same_directly_and_over_ros(simulator):
    """Poses, twists and times of 50 steps have the same bits, also after a reset."""
    here, there = World(MujocoSimulator()), World(simulator("ball"))
    here.spawn(GazeboXMLLoader().load_model(BALL), "ball", Pose((0, 0, 5)))
    assert there.timestep == here.timestep
    for _ in range(2):
        for world in (here, there):
            world.models.select(["ball"]).twist = (1.0, 2.0, 0.5, 0.1, 0.2, 0.3)
        for _ in range(50):
            for world in (here, there):
                world.tick()
            assert there.models.pose.tobytes() == here.models.pose.tobytes()
            assert there.models.twist.tobytes() == here.models.twist.tobytes()
            assert there.time.tolist() == here.time.tolist()
        for world in (here, there):
            world.reset()
    here.close()


def test_a_driven_arm_is_the_same_directly_and_over_ros(simulator):
    """Joint states of each step have the same bits as with the same targets here."""
    there = World(simulator("arm", topics={"arm": "/joint_states"}))
    here = World(open_simulator(studio()))
    arm = Robot.load(here, "arm")
    names = list(there.entities.joints)
    assert names == list(here.entities.joints)
    near, far = arm.joints.rows, there.joints
    for tick in range(20):
        target = 0.3 * np.sin(0.1 * tick + np.arange(len(names)))
        far.target_position = target[None]
        near.target_position, near.target_velocity, near.feedforward = target[None], 0.0, 0.0
        for world in (here, there):
            world.tick()
        assert far.position.tobytes() == near.position.tobytes()
        assert far.velocity.tobytes() == near.velocity.tobytes()
        assert far.effort.tobytes() == near.effort.tobytes()
    assert np.abs(near.position).max() > 0.05
    here.close()


def test_models_are_spawned_and_deleted(simulator):
    """What the port says of names holds; a refused batch adds nothing."""
    world = World(simulator("empty", timestep=0.001))
    ball = GazeboXMLLoader().load_model(BALL)
    before = list(world.entities.models)
    world.spawn(ball, "one", Pose((1, 2, 3)))
    assert world.models.select(["one"]).pose[0, 0, :3].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(DuplicateEntityError):
        world.spawn(ball, "one", Pose())
    with pytest.raises(SpawnError):
        world.spawn("<sdf><nothing/></sdf>", "two", Pose())
    assert list(world.entities.models) == [*before, "one"]
    world.delete("one")
    with pytest.raises(UnknownEntityError):
        world.simulator.delete("one")
    assert list(world.entities.models) == before


def test_what_the_standard_lacks_is_none_or_refused(simulator):
    """Capabilities are None, no sensor is listed, and a state of a joint is refused by its row."""
    simulator = simulator("arm", topics={"arm": "/joint_states"})
    lacks = ("cameras", "contacts", "dynamics", "physics", "snapshots")
    assert {getattr(simulator, name) for name in lacks} == {None}
    assert not simulator.sensors.infos
    world = World(simulator)
    world.joints.position = world.joints.position  # as it is
    world.flush()
    world.joints.position = 0.1
    with pytest.raises(WriteRefusedError, match="position of joint"):
        world.flush()


def test_navigate_is_the_same_directly_and_over_ros(serve):
    """Two episodes of the task have the same bits; its ranges are those of a LaserScan."""
    navigate = pytest.importorskip("deepsim_tasks.navigate")
    serve("empty")
    here = navigate.make(seed=3)
    with Backend("ros2"):
        there = navigate.make(seed=3)
    for _ in range(2):
        for environment in (here, there):
            environment.reset_worlds()
        for step in range(12):
            action = np.array([[[0.9 * np.cos(step / 7), 0.5 * np.sin(step / 3)]]], np.float32)
            found = []
            for environment in (here, there):
                environment.area.act(action)
                environment.world.tick()
                world, ranges = environment.world, environment.area.lidar.ranges
                rows = world.models.pose, world.models.twist, world.joints.position
                more = world.joints.velocity, world.joints.effort, ranges.astype(np.float32)
                found.append([each.tobytes() for each in (*rows, *more, world.time)])
            assert found[0] == found[1], step
    assert np.isfinite(ranges).any()
    for environment in (here, there):
        environment.close()


def test_sensors_have_the_present_measurement(serve):
    """Each sensor measures as directly on the engine, also after a move without a step."""
    serve("empty")
    description = WorldDescription(physics=Physics(0.001))
    worlds = [World(open_simulator(description)), World(open_world(description))]
    for world in worlds:
        world.spawn(GazeboXMLLoader().load_model(WALL), "wall", Pose((3.1, 0.0, 2.0)))
        world.spawn(GazeboXMLLoader().load_model(RIG), "rig", Pose((0.0, 0.0, 2.0)))
    near, far = (world.simulator.sensors for world in worlds)
    assert {*near.infos} - {*far.infos} == {"rig::base::rows", "rig::arm::touch"}
    for name in far.infos:
        for port in (near, far):
            port.watch(name)
    for x in (3.1, 3.1, 2.6):
        for world in worlds:
            if x == 2.6:
                world.models.select(["wall"]).pose = (x, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0)
                world.flush()
            else:
                world.tick()
        for name, info in far.infos.items():
            assert info.kind == near.infos[name].kind
            wanted, found = near.read(name), far.read(name)
            assert {*found} == {*wanted}
            for quantity, values in found.items():
                is_exact = info.kind in ("imu", "force_torque", "joint_state") or quantity == "rgb"
                exact = np.asarray(wanted[quantity])
                assert values.shape == exact.shape
                assert np.array_equal(values, exact if is_exact else exact.astype(np.float32)) or (
                    name.endswith("cloud") and np.allclose(values, exact, rtol=2e-7)
                ), (name, quantity)
    for world in worlds:
        world.close()


def test_gains_are_parameters_of_the_server(serve):
    """A servo has its gains and targets in every step; a reset brings all back."""
    serve("empty")
    description = WorldDescription(physics=Physics(0.001))
    worlds = [World(open_simulator(description)), World(open_world(description))]
    for world in worlds:
        world.spawn(GazeboXMLLoader().load_model(PENDULUM), "pendulum", Pose((0.0, 0.0, 5.0)))
    for gains in ({"stiffness": 40.0, "damping": 3.0}, {"stiffness": 0.0, "damping": 2.0}, {}):
        for world in worlds:
            world.reset()
            world.joints.put(target_position=0.7, target_velocity=0.3, feedforward=0.5, **gains)
            world.joints.effort_limit = 9.0
        for _ in range(5):
            for world in worlds:
                world.tick()
            near, far = (world.joints for world in worlds)
            for column in ("position", "velocity", "effort", "stiffness", "effort_limit"):
                assert far.get(column).tobytes() == near.get(column).tobytes(), (gains, column)
    for world in worlds:
        world.close()


def test_each_world_of_a_server_is_a_client_in_its_namespace(serve):
    """Worlds step on their own; a sensor of an undescribed model is given by its topic."""
    serve("two")
    worlds = [
        World(Ros2Simulator(name, timeout=60.0, topics={"ball::link::imu": f"/{name}/imu"}))
        for name in ("world_0", "world_1")
    ]
    first, second = worlds
    first.models.twist = (0.0, 0.0, 0.0, 0.0, 0.0, 2.0)
    for _ in range(5):
        first.tick()
    assert (first.time.tolist(), second.time.tolist()) == ([0.005], [0.0])
    assert first.models.pose[0, 0, 2] < second.models.pose[0, 0, 2] == 5.0
    rates = [world.sensors["ball::link::imu"].angular_velocity[0, 2] for world in worlds]
    assert rates == pytest.approx([2.0, 0.0])
    with pytest.raises(UnsupportedError, match="load worlds"):
        first.simulator.load(WorldDescription())
    for world in worlds:
        world.close()


def test_the_backend_loads_a_world(serve):
    """The opener of the backend replaces the server's world by the described one, with its step."""
    serve("empty")
    ball = GazeboXMLLoader().load_model(BALL)
    models = (ModelDescription("ball", Pose((0, 0, 7)), ball.links),)
    described = WorldDescription(models=models, physics=Physics(0.004))
    simulator = open_world(described)
    world = World(simulator)
    assert list(world.entities.models) == ["ball"]
    world.tick()
    assert world.time.tolist() == [0.004]
    world.close()


def test_no_server_is_an_error():
    """The message names the service and what to start."""
    with pytest.raises(UnreachableError, match=r"get_simulator_features.*deepsim ros2 serve"):
        Ros2Simulator("nowhere", timeout=0.5)
