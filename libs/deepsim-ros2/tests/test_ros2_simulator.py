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
from deepsim_spawn.stage import studio
from deepsim_sync import (
    DuplicateEntityError,
    SpawnError,
    UnknownEntityError,
    World,
    WriteRefusedError,
)

BALL = """<sdf version="1.9"><model name="ball"><link name="link">
<inertial><mass>2</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model></sdf>"""


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
    there = World(simulator("arm", joint_states={"arm": "/joint_states"}))
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
    """Capabilities are None, and a gain is refused by its row."""
    simulator = simulator("arm", joint_states={"arm": "/joint_states"})
    lacks = ("cameras", "contacts", "dynamics", "sensors", "physics", "snapshots")
    assert {getattr(simulator, name) for name in lacks} == {None}
    world = World(simulator)
    world.joints.stiffness = 5.0
    with pytest.raises(WriteRefusedError, match="stiffness of joint"):
        world.flush()


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
