# SPDX-License-Identifier: Apache-2.0
"""Recordings in ROS 2's messages: others read what the world was."""

from __future__ import annotations

import importlib
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import Writer
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

from deepsim_math import Pose, Vector3, quaternions
from deepsim_mujoco import MujocoSimulator
from deepsim_ros2 import Bag, BagEncoder
from deepsim_spawn import GazeboXMLLoader, Physics, WorldDescription
from deepsim_sync import Entities, Tables, World

BOT = """<sdf version="1.7"><model name="bot">
<link name="base"><inertial><mass>2</mass>
<inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial>
<sensor name="imu" type="imu"><update_rate>50</update_rate></sensor>
<sensor name="eye" type="camera"><update_rate>10</update_rate><pose>.1 .05 0 0 .1 .2</pose>
<camera><horizontal_fov>1.2</horizontal_fov><image><width>160</width><height>120</height></image>
</camera></sensor>
<sensor name="laser" type="ray"><update_rate>10</update_rate><ray>
<scan><horizontal><samples>9</samples><min_angle>-.8</min_angle><max_angle>.8</max_angle></horizontal>
</scan><range><min>.1</min><max>5</max></range></ray></sensor></link>
<link name="arm"><pose>0 0 .2 0 0 0</pose><inertial><mass>.2</mass>
<inertia><ixx>.001</ixx><iyy>.001</iyy><izz>.001</izz></inertia></inertial></link>
<joint name="turn" type="revolute"><parent>base</parent><child>arm</child>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""
WALL = """<sdf version="1.7"><model name="wall"><static>true</static><link name="link">
<collision name="c"><geometry><box><size>.2 40 40</size></box></geometry></collision></link>
</model></sdf>"""
BALL = """<sdf version="1.7"><model name="ball"><static>true</static><link name="link">
<visual name="v"><geometry><sphere><radius>.04</radius></sphere></geometry><material>
<ambient>1 0 0 1</ambient><diffuse>1 0 0 1</diffuse><emissive>1 0 0 1</emissive></material></visual>
</link></model></sdf>"""
WALL_AT, BALL_AT = 3.1, (1.6, 0.3, 1.1)


class Frame(NamedTuple):
    """One instant, as a recorder reads it."""

    entities: Entities
    poses: Any
    joints: Any


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A robot that floats before a wall and a ball for half a second; the file and the tables."""
    path = tmp_path_factory.mktemp("run") / "run.mcap"
    world = World(MujocoSimulator(WorldDescription(gravity=Vector3(), physics=Physics(0.01))))
    load = GazeboXMLLoader().load_model
    world.spawn(load(BOT), "bot", Pose((0, 0, 1)))
    world.spawn(load(WALL), "wall", Pose((WALL_AT, 0, 1)))
    world.spawn(load(BALL), "ball", Pose(BALL_AT))
    world.joints.put(velocity=0.7)
    world.flush()
    seen = record(world, path, 50)
    world.close()
    return path, seen


def record(world, path, ticks):
    """Records some ticks; returns the link poses and the columns of joints in each."""
    tables, seen = Tables(world.entities, len(world)), []
    encoder = BagEncoder(world)
    with path.open("wb") as file:
        writer = Writer(file)
        encoder.start(writer, {"task": "float"})
        for _ in range(ticks):
            world.simulator.read(tables)
            frame = Frame(world.entities, tables.links.pose.copy(), tables.joints.position.copy())
            encoder.write(frame, round(world.time[0] * 1e9))
            joints = [
                getattr(tables.joints, name).copy() for name in ("position", "velocity", "effort")
            ]
            seen.append((float(world.time[0]), frame.poses, joints))
            world.tick()
        writer.finish()
    return seen


def row(transform):
    """The seven numbers of a Transform."""
    at, turn = transform.translation, transform.rotation
    return [at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w]


def compare(messages, entities_links, seen):
    """Asserts that (topic, message) in order of time are the run, bit for bit."""
    poses = {topic: [] for topic in ("/tf", "/joint_states", "/clock")}
    for topic, message in messages:
        if topic in poses:
            poses[topic].append(message)
    links = [each for each in poses["/tf"] if each.transforms[0].header.frame_id == "world"]
    assert len(links) == len(poses["/joint_states"]) == len(poses["/clock"]) == len(seen)
    for (time, rows, joints), tf, state, clock in zip(
        seen, links, poses["/joint_states"], poses["/clock"], strict=True
    ):
        stamp = clock.clock
        assert stamp.sec + stamp.nanosec / 1e9 == pytest.approx(time, abs=1e-9)
        assert (tf.transforms[0].header.stamp.nanosec, state.header.stamp.nanosec) == (
            stamp.nanosec,
            stamp.nanosec,
        )
        for each in tf.transforms:
            at = entities_links.index(each.child_frame_id)
            assert row(each.transform) == rows[0, at].tolist()
        assert list(state.name) == ["turn"]
        found = [list(state.position), list(state.velocity), list(state.effort)]
        assert found == [values[0].tolist() for values in joints]


LINKS = ["base", "arm", "wall/link", "ball/link"]


def test_rosbags_reads_the_run(run):
    """Transforms, joint states and clock of each frame are the tables', bit for bit."""
    path, seen = run
    with AnyReader([path]) as reader:
        compare(
            [
                (each.topic, reader.deserialize(data, each.msgtype))
                for each, _, data in reader.messages()
            ],
            LINKS,
            seen,
        )


def test_mcap_ros2_support_reads_the_run(run):
    """The same through another decoder, which has only the schemas in the file."""
    path, seen = run
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        compare(
            [(each.channel.topic, each.decoded_message) for each in reader.iter_decoded_messages()],
            LINKS,
            seen,
        )


def test_rclpy_reads_the_run(run):
    """The same through the deserialiser of ROS 2 itself, which takes every message."""
    serialization = pytest.importorskip("rclpy.serialization")
    pytest.importorskip("tf2_msgs")
    path, seen = run
    found = []
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            package, _, name = schema.name.split("/")
            kind = getattr(importlib.import_module(f"{package}.msg"), name)
            decoded = serialization.deserialize_message(message.data, kind)
            found.append((channel.topic, decoded))
    assert {topic for topic, _ in found} == set(Bag(path).topics)
    compare(found, LINKS, seen)


def test_a_point_is_in_the_picture_where_the_camera_info_says(run):
    """A red ball's pixels, by K and the optical frame of tf, are where the ball is."""
    bag = Bag(run[0])
    [_, (time, pixels), *_] = bag.pictures("/eye/image_raw")
    red, green = pixels[..., 0].astype(int), pixels[..., 1].astype(int)
    rows, columns = np.nonzero(red - green > 100)
    assert len(rows) > 20
    info = bag.read("/eye/camera_info")
    assert (info["width"][0], info["height"][0]) == (160, 120)
    root, pose = bag.transforms().pose("base/eye_optical_frame", time)
    assert root == "world"
    turn = quaternions.to_matrix(pose[3:])
    x, y, z = turn.T @ (np.array(BALL_AT) - pose[:3])
    u, v, _ = info["k"][0].reshape(3, 3) @ np.array([x / z, y / z, 1.0])
    assert (columns.mean(), rows.mean()) == pytest.approx((u, v), abs=0.5)


def test_a_scan_of_a_wall_is_its_distances(run):
    """At the angle a, the wall is at d / cos(a); angles are those of the message; REP 117."""
    bag = Bag(run[0])
    scans = bag.read("/scan")
    assert scans["angle_increment"][0] == pytest.approx(0.2)
    angles = scans["angle_min"][0] + np.arange(9) * scans["angle_increment"][0]
    near = (WALL_AT - 0.1) / np.cos(angles)
    assert scans["ranges"][0] == pytest.approx(np.where(near <= 5.0, near, math.inf), rel=1e-6)
    assert np.diff(scans["header.stamp"]).tolist() == [100_000_000] * (len(scans["time"]) - 1)


def test_static_models_and_sensors_are_in_the_latched_tree(run):
    """The wall stands on /tf_static, and a sensor's frame is where its link has it."""
    tree = Bag(run[0]).transforms()
    assert tree.pose("wall/link", 0.3)[1][:3].tolist() == [WALL_AT, 0.0, 1.0]
    assert tree.path("base/eye")[1][0][:3] == pytest.approx([0.1, 0.05, 0.0])
    offered = {}
    with run[0].open("rb") as file:
        for channel in make_reader(file).get_summary().channels.values():
            offered[channel.topic] = channel.metadata["offered_qos_profiles"]
    assert "durability: 1" in offered["/tf_static"]
    assert "durability: 2" in offered["/tf"]


def test_the_description_is_the_robot(run):
    """What is recorded as robot_description loads as the model that was spawned."""
    [(_, _, text)] = Bag(run[0]).messages("/robot_description")
    model = GazeboXMLLoader().load_model(text.data)
    assert [link.name for link in model.links] == ["base", "arm"]
    assert [joint.name for joint in model.joints] == ["turn"]


def test_recording_does_not_change_the_run(tmp_path):
    """Noise that a policy sees is drawn as without a recorder."""
    noisy = BOT.replace(
        "<update_rate>50</update_rate>",
        '<update_rate>50</update_rate><imu><linear_acceleration><x><noise type="gaussian">'
        "<stddev>1</stddev></noise></x></linear_acceleration></imu>",
    )
    ends = []
    for recorded in (False, True):
        world = World(MujocoSimulator(WorldDescription(physics=Physics(0.01))), seed=3)
        world.spawn(GazeboXMLLoader().load_model(noisy), "bot", Pose((0, 0, 9)))
        if recorded:
            record(world, tmp_path / "run.mcap", 20)
        else:
            for _ in range(20):
                world.tick()
        acceleration = world.sensors["bot::base::imu"].linear_acceleration.copy()
        ends.append((world.links.pose.tolist(), acceleration.tolist(), world.rng.random()))
        world.close()
    assert ends[0] == ends[1]


def test_each_of_several_worlds_has_its_namespace(tmp_path):
    """Topics and frames of world w begin with world_w, and then with the name of the robot."""
    world = World(MujocoSimulator(WorldDescription(physics=Physics(0.01)), worlds=2))
    for name in ("a", "b"):
        world.spawn(GazeboXMLLoader().load_model(BOT), name, Pose((0, ord(name), 1)))
    world.joints.position = [[0.1, 0.2], [0.3, 0.4]]
    world.flush()
    record(world, tmp_path / "run.mcap", 2)
    bag = Bag(tmp_path / "run.mcap")
    for number, robot, position in ((0, "a", 0.1), (0, "b", 0.2), (1, "a", 0.3), (1, "b", 0.4)):
        state = bag.joint_states(f"/world_{number}/{robot}/joint_states")
        assert (state.names, state.position[0].tolist()) == (("turn",), [position])
    assert bag.transforms().pose("world_1/b/base", 0.0)[0] == "world_1/world"
    assert {"/clock", "/world_1/b/scan", "/world_0/a/eye/image_raw"} <= bag.topics.keys()
    world.close()
