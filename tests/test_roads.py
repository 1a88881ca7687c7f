# SPDX-License-Identifier: Apache-2.0
"""A world read by every road at the same instant: directly, by calls, by topics, and as drawn.

That by ROS 2 needs rclpy and the messages: `make ros2` runs it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from deepsim_math import Pose, poses
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World
from deepsim_transport import FollowedSimulator, Master, PhysicsServer, RemoteSimulator, Transport
from deepsim_transport import WorldMirror as Mirror
from deepsim_viewer.connected import connected_view

WORLDS, STEPS = 2, 137
ARM = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='arm'><link name='base'><inertial><mass>3</mass></inertial>"
    "<visual name='v'><geometry><box><size>.2 .2 .2</size></box></geometry></visual></link>"
    "<link name='hand'><pose>.4 0 0 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>.02</ixx>"
    "<iyy>.03</iyy><izz>.04</izz></inertia></inertial><sensor name='imu' type='imu'/>"
    "<sensor name='noisy' type='imu'><update_rate>50</update_rate><imu><angular_velocity><z>"
    "<noise type='gaussian'><mean>.5</mean><stddev>.2</stddev></noise></z></angular_velocity></imu>"
    "</sensor></link>"
    "<joint name='hinge' type='revolute'><parent>base</parent><child>hand</child><axis><xyz>0 0 1"
    "</xyz></axis></joint></model></sdf>"
)


@pytest.fixture
def namespace(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A master, and a paused physics of the world ``roads``."""
    with Master("127.0.0.1", 0) as master:
        monkeypatch.setenv("GAZEBO_MASTER_URI", f"http://{master.host}:{master.port}")
        with Transport(namespace="roads") as transport:
            simulator = MujocoSimulator(worlds=WORLDS)
            with PhysicsServer(simulator, transport, paused=True) as server:
                thread = threading.Thread(target=server.run)
                thread.start()
                yield "roads"
                server.stop()
                thread.join()
            simulator.close()


def begin(world: World) -> None:
    """Spawns the arm, and makes it turn and fly, differently in each world."""
    world.spawn(ARM, "arm", Pose((0.0, 0.0, 50.0)))
    world.models.select(["arm"]).twist = [[[1.0, 2.0, 3.0, 0.3, -0.2, 1.0]], [[0.0] * 6]]
    world.joints.select(["arm::hinge"]).velocity = [[2.0], [-1.0]]


def test_every_road_leads_to_the_same_world(namespace: str) -> None:
    """Calls give the same bits, topics the same to 1e-9, and the page what it rounds to float32."""
    with Transport(namespace=namespace) as transport:
        alone = World(MujocoSimulator(worlds=WORLDS), steps_per_tick=STEPS)
        remote = World(RemoteSimulator(transport), steps_per_tick=STEPS)
        for world in (alone, remote):
            begin(world)
            world.sensors["arm::hand::imu"].read()
            world.tick()
        kinds = (alone.models, alone.links), (remote.models, remote.links)
        for here, there in zip(*kinds, strict=True):
            np.testing.assert_array_equal(here.pose, there.pose)
            np.testing.assert_array_equal(here.twist, there.twist)
        np.testing.assert_array_equal(alone.joints.position, remote.joints.position)
        for name, values in alone.sensors["arm::hand::imu"].read().items():
            np.testing.assert_array_equal(values, remote.sensors["arm::hand::imu"].read()[name])

        followed = World(FollowedSimulator(transport))
        with Mirror(transport) as mirror, connected_view(namespace, 0) as (viewer, _run):
            viewer.world.tick()
            viewer.show()
            for rows in (mirror.tables.models, followed.models):
                np.testing.assert_allclose(rows.pose, alone.models.pose, rtol=0.0, atol=1e-9)
                np.testing.assert_allclose(rows.twist, alone.models.twist, rtol=0.0, atol=1e-9)
            for positions in (mirror.tables.joints.position, followed.joints.position):
                np.testing.assert_allclose(positions, alone.joints.position, rtol=0.0, atol=1e-9)
            for time in (mirror.time, followed.time, viewer.latest.time):
                np.testing.assert_array_equal(time, alone.time)
            drawn = viewer.latest.models[..., :7]
            np.testing.assert_allclose(drawn, alone.models.pose, rtol=0.0, atol=1e-5)
        alone.close()


@pytest.fixture(params=[STEPS])
def ros_steps(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[float]:
    """A paused server of ROS 2 with the arm in its worlds; yields the duration of its step [s]."""
    pytest.importorskip("simulation_interfaces")
    monkeypatch.setenv("ROS_DOMAIN_ID", str(1 + os.getpid() % 100))
    from deepsim_ros2.server import Ros2Server  # noqa: PLC0415 (needs rclpy)

    ready, done = threading.Event(), threading.Event()

    def serve() -> None:
        world = World(MujocoSimulator(worlds=WORLDS), steps_per_tick=request.param)
        begin(world)
        with world, Ros2Server(world, rate=0.0) as server:
            ready.set()
            while not done.is_set():
                server.run_once()
        world.close()

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(60.0)
    yield request.param * MujocoSimulator().timestep
    done.set()
    thread.join()


def test_the_road_by_ros_leads_there_too(ros_steps: float) -> None:
    """Services and topics of ROS 2 carry the same bits; links, which tf has in parents, to 1e-9."""
    from tf2_msgs.msg import TFMessage  # noqa: PLC0415

    from deepsim_ros2.client import Ros2Simulator  # noqa: PLC0415
    from deepsim_ros2.client.present import Topic  # noqa: PLC0415
    from deepsim_ros2.client.services import Connection  # noqa: PLC0415
    from deepsim_ros2.geometry import seconds, transform_of  # noqa: PLC0415

    alone = World(MujocoSimulator(worlds=WORLDS), steps_per_tick=STEPS)
    begin(alone)
    alone.sensors["arm::hand::imu"].read()
    alone.tick()
    measured = alone.sensors["arm::hand::imu"].read()
    for number in range(WORLDS):
        space = f"world_{number}"
        names = {"arm": f"/{space}/joint_states", "arm::hand::imu": f"/{space}/imu/imu"}
        remote = World(Ros2Simulator(space, timestep=ros_steps, topics=names, timeout=60.0))
        frames = Connection(space, 60.0, needed=False)
        tf = Topic(frames, TFMessage, "tf")
        remote.sensors["arm::hand::imu"].read()
        remote.tick()
        np.testing.assert_array_equal(remote.models.pose[0], alone.models.pose[number])
        np.testing.assert_array_equal(remote.models.twist[0], alone.models.twist[number])
        np.testing.assert_array_equal(remote.joints.position[0], alone.joints.position[number])
        np.testing.assert_array_equal(remote.joints.velocity[0], alone.joints.velocity[number])
        np.testing.assert_array_equal(remote.time[0], alone.time[number])
        for quantity, values in remote.sensors["arm::hand::imu"].read().items():
            np.testing.assert_array_equal(values[0], measured[quantity][number])

        def is_heard(tf: Topic = tf) -> bool:
            stamps = [each.header.stamp for each in tf.message.transforms] if tf.message else []
            return bool(stamps) and all(seconds(each) == ros_steps for each in stamps)

        frames.wait(is_heard, "no transforms of the step were heard")
        base, hand = (transform_of(each.transform) for each in tf.message.transforms)
        linked = np.array([base, poses.compose(base, hand)])
        np.testing.assert_allclose(linked, alone.links.pose[number], rtol=0.0, atol=1e-9)
        frames.close()
        remote.close()
    alone.close()


@pytest.mark.parametrize("ros_steps", [5], indirect=True)
def test_noise_and_rate_are_the_same_by_ros(ros_steps: float) -> None:
    """At 50 Hz, in steps of 5 ms: new readings at the same instants, with the noise described."""
    from deepsim_ros2.client import Ros2Simulator  # noqa: PLC0415

    alone = World(MujocoSimulator(), steps_per_tick=5)
    remote = World(Ros2Simulator("world_0", timestep=ros_steps, timeout=60.0))
    found = {}
    for world in (alone, remote):
        world.spawn(ARM, "other", Pose((5.0, 0.0, 50.0)))
        world.models.select(["other"]).twist = [[[0.0] * 5 + [1.0]]]  # it stays so
        world.sensors["other::hand::noisy"].read()
        instants, noise = [], []
        for _ in range(240):
            world.tick()
            sensor = world.sensors["other::hand::noisy"]
            if sensor.time[0] == world.time[0]:
                instants.append(round(world.time[0], 6))
                noise.append(sensor.read()["angular_velocity"][0, 2] - 1.0)
        found[world] = instants
        assert len(noise) == 60
        assert abs(np.mean(noise) - 0.5) < 4.0 * 0.2 / np.sqrt(60)
        assert abs(np.std(noise) - 0.2) < 4.0 * 0.2 / np.sqrt(120)
        world.close()
    assert found[alone] == found[remote]
