# SPDX-License-Identifier: Apache-2.0
"""The topics of a server in another process, heard and written by clients of rclpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from geometry_msgs.msg import Twist, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, Imu, JointState, LaserScan, PointCloud2
from simulation_interfaces import srv
from simulation_interfaces.msg import EntityState, SimulationState
from std_msgs.msg import Float64MultiArray, String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


SENSOR = qos_profile_sensor_data


def vector(message):
    return message.x, message.y, message.z


def paused(client):
    state = SimulationState(state=SimulationState.STATE_PAUSED)
    client.call(srv.SetSimulationState, "set_simulation_state", state=state)
    return client


def step(client, steps=1):
    assert client.call(srv.StepSimulation, "step_simulation", steps=steps).result.result == 1


def seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


def test_the_clock_has_every_step(serve, client):
    """Steps of 1 ms give 1 ms, 2 ms, ...; a late client hears the present time."""
    serve("ball")
    ours = paused(client())
    heard = ours.hear(Clock, "/clock", QoSProfile(depth=100))
    ours.wait(lambda: heard)
    heard.clear()
    step(ours, 20)
    ours.wait(lambda: any(each.clock.nanosec == 20_000_000 for each in heard))
    times = sorted({each.clock.nanosec for each in heard} - {0})
    assert times == [1_000_000 * n for n in range(1, 21)]
    late = client()
    found = late.hear(Clock, "/clock")
    late.wait(lambda: found)
    assert found[0].clock.nanosec == 20_000_000


def test_sensors_of_a_falling_and_a_lying_ball(serve, client):
    """An inertial unit in free fall measures no force, and no contact is felt in the air."""
    serve("ball")
    ours = paused(client())
    imu = ours.hear(Imu, "/imu", SENSOR)
    touch = ours.hear(WrenchStamped, "/contact", SENSOR)
    ours.wait(lambda: step(ours) or (imu and touch))
    assert imu[-1].header.frame_id == "link"
    assert imu[-1].linear_acceleration.z == pytest.approx(0.0, abs=1e-9)
    assert touch[-1].wrench.force.z == 0.0


def test_transforms_lead_from_the_world_to_the_lidar(serve, client):
    """Static and moving transforms are one tree, whose lidar is where the robot carries it."""
    serve("diffbot")
    ours = paused(client())
    static = ours.hear(TFMessage, "/tf_static", LATCHED)
    moving = ours.hear(TFMessage, "/tf")
    ours.wait(lambda: static and moving)
    parents = {
        each.child_frame_id: each for each in (*static[0].transforms, *moving[-1].transforms)
    }
    assert parents["base"].header.frame_id == "world"
    assert parents["lidar"].header.frame_id == "base"
    place = parents["lidar"].transform.translation
    assert (place.x, place.y, place.z) == pytest.approx((-0.03, 0.0, 0.153))
    assert {each.child_frame_id for each in moving[-1].transforms} == {
        "base",
        "left_wheel",
        "right_wheel",
        "ground/link",
    }


def test_a_base_follows_twists_and_its_lidar_measures(serve, client):
    """At 0.2 m/s for two seconds, the base comes 0.4 m far; the scan has the described rays."""
    serve("diffbot")
    ours = paused(client())
    scans = ours.hear(LaserScan, "/scan", SENSOR)
    twist = Twist()
    twist.linear.x = 0.2
    ours.publish(Twist, "/cmd_vel", twist)
    states = ours.hear(JointState, "/joint_states")
    step(ours, 2000)
    ours.wait(lambda: scans and states)
    state = ours.call(srv.GetEntityState, "get_entity_state", entity="diffbot").state
    assert state.pose.position.x == pytest.approx(0.4, abs=0.02)
    scan = scans[-1]
    last = scan.angle_min + (len(scan.ranges) - 1) * scan.angle_increment
    assert last == pytest.approx(scan.angle_max, abs=1e-4)
    assert scan.header.frame_id == "lidar"
    assert all(math.isinf(each) for each in scan.ranges)
    assert list(states[-1].name) == ["left_wheel_joint", "right_wheel_joint"]
    rates = [each / 0.04 for each in (0.2, 0.2)]  # wheels of 4 cm
    assert list(states[-1].velocity) == pytest.approx(rates, rel=0.05)


def test_a_base_has_odometry(serve, client):
    """In a circle at 0.2 m/s and 0.5 rad/s, the pose is on the circle, the twist is the command."""
    serve("diffbot")
    ours = paused(client())
    twist = Twist()
    twist.linear.x, twist.angular.z = 0.2, 0.5
    heard = ours.hear(Odometry, "/odom")
    ours.publish(Twist, "/cmd_vel", twist)
    step(ours, 2000)
    ours.wait(lambda: heard and heard[-1].header.stamp.sec == 2)
    last = heard[-1]
    assert (last.header.frame_id, last.child_frame_id) == ("world", "base")
    place, turned = last.pose.pose.position, 0.5 * 2.0
    circle = 0.4 * math.sin(turned), 0.4 * (1.0 - math.cos(turned))
    assert (place.x, place.y) == pytest.approx(circle, abs=0.03)
    assert last.twist.twist.linear.x == pytest.approx(0.2, abs=0.01)
    assert last.twist.twist.linear.y == pytest.approx(0.0, abs=0.02)
    assert last.twist.twist.angular.z == pytest.approx(0.5, abs=0.03)


def test_a_static_model_that_a_client_moves_is_heard_there(serve, client):
    """A post that is put elsewhere has its new frame on /tf, which /tf_static would not change."""
    serve("navigate")
    ours = paused(client())
    moving = ours.hear(TFMessage, "/tf")
    state = EntityState()
    state.pose.position.x, state.pose.orientation.w = 7.0, 1.0
    assert (
        ours.call(
            srv.SetEntityState, "set_entity_state", entity="post_0", state=state, set_pose=True
        ).result.result
        == 1
    )

    def place():
        frames = {each.child_frame_id: each for each in moving[-1].transforms} if moving else {}
        return frames["post_0/link"].transform.translation.x if frames else None

    ours.wait(lambda: place() == 7.0)


def test_a_late_client_hears_the_sensors_of_a_paused_world(serve, client):
    """A scan comes without a step, and comes again without being measured again."""
    serve("diffbot")
    ours = paused(client())
    scans = ours.hear(LaserScan, "/scan", qos_profile_sensor_data)
    ours.wait(lambda: len(scans) > 1)
    assert scans[-1] == scans[0]


def test_an_arm_follows_targets_and_trajectories(serve, client):
    """JointState, Float64MultiArray and JointTrajectory move joints to where they say."""
    serve("arm")
    ours = paused(client())
    states = ours.hear(JointState, "/joint_states")
    ours.wait(lambda: states)
    names = list(states[-1].name)

    def positions():
        states.clear()
        ours.wait(lambda: states)
        return dict(zip(names, states[-1].position, strict=True))

    first = names[0]
    ours.publish(JointState, "/joint_command", JointState(name=[first], position=[0.3]))
    step(ours, 2000)
    assert positions()[first] == pytest.approx(0.3, abs=0.01)
    ours.publish(JointState, "/joint_command", JointState(name=["nobody"], position=[1.0]))
    array = Float64MultiArray(data=[0.1] * len(names))
    ours.publish(Float64MultiArray, "/forward_position_controller/commands", array)
    step(ours, 2000)
    assert positions()[first] == pytest.approx(0.1, abs=0.01)
    point = JointTrajectoryPoint(positions=[-0.2])
    point.time_from_start.sec = 1
    trajectory = JointTrajectory(joint_names=[first], points=[point])
    ours.publish(JointTrajectory, "/joint_trajectory_controller/joint_trajectory", trajectory)
    step(ours, 500)
    assert positions()[first] == pytest.approx(-0.05, abs=0.03)
    step(ours, 1500)
    assert positions()[first] == pytest.approx(-0.2, abs=0.01)
    described = ours.hear(String, "/robot_description", LATCHED)
    ours.wait(lambda: described)
    assert "<sdf" in described[0].data
    assert first in described[0].data


def test_each_world_has_topics_in_its_namespace(serve, client):
    """Worlds publish their own clocks; an entity with a namespace has its topics there."""
    serve("two")
    first = paused(client("world_0"))
    second = client("world_1")
    heard = [each.hear(Clock, "clock") for each in (first, second)]
    step(first, 7)
    for each, clock in zip((first, second), heard, strict=True):
        each.wait(lambda clock=clock: clock)
    first.wait(lambda: heard[0][-1].clock.nanosec == 7_000_000)
    assert heard[1][-1].clock.nanosec == 0


def test_sensors_of_a_rig_before_a_wall(serve, client):
    """Scan, cloud, pictures, lens and wrench are those of geometry and statics.

    The wall's face is a plane at x = 3 m, and an arm of 2 kg hangs 0.3 m before its joint.
    """
    serve("rig")
    ours = paused(client())
    kinds = {
        "/scan": LaserScan,
        "/points": PointCloud2,
        "/eye/image_raw": Image,
        "/eye/depth/image_raw": Image,
        "/eye/camera_info": CameraInfo,
        "/wrench": WrenchStamped,
    }
    heard = {topic: ours.hear(kind, topic, SENSOR) for topic, kind in kinds.items()}

    def latest():
        for each in heard.values():
            each.clear()
        ours.wait(lambda: step(ours, 0) or all(heard.values()))
        return [each[-1] for each in heard.values()]

    step(ours, 200)
    scan, cloud, colours, depths, lens, wrench = latest()
    for each in (scan, cloud, colours, depths, lens, wrench):
        assert each.header.stamp.nanosec == 200_000_000
    angles = scan.angle_min + scan.angle_increment * np.arange(5)
    assert list(scan.ranges) == pytest.approx((3.0 / np.cos(angles)).tolist(), rel=1e-6)
    assert (scan.header.frame_id, cloud.header.frame_id) == ("base", "base/cloud")
    points = np.frombuffer(cloud.data, "<f4").reshape(3, 5, 3)
    assert (cloud.height, cloud.width, cloud.point_step, cloud.row_step) == (3, 5, 12, 60)
    assert [(each.name, each.offset) for each in cloud.fields] == [("x", 0), ("y", 4), ("z", 8)]
    assert points[..., 0] == pytest.approx(3.0, rel=1e-6)
    assert points[0, :, 2] == pytest.approx(-3.0 * np.tan(0.5) / np.cos(angles), rel=1e-6)
    for each, encoding, size in ((colours, "rgb8", 3), (depths, "32FC1", 4)):
        assert (each.height, each.width, each.encoding) == (24, 32, encoding)
        assert (each.step, len(each.data)) == (32 * size, 24 * 32 * size)
        assert each.header.frame_id == "base/eye_optical_frame"
    assert np.frombuffer(depths.data, "<f4") == pytest.approx(2.9, abs=2e-3)
    focal = 16.0 / math.tan(0.5)
    assert list(lens.k) == pytest.approx([focal, 0, 15.5, 0, focal, 11.5, 0, 0, 1])
    assert list(lens.p)[:3] == pytest.approx([focal, 0, 15.5])
    assert (lens.height, lens.width, lens.distortion_model) == (24, 32, "plumb_bob")
    assert vector(wrench.wrench.force) == pytest.approx((0, 0, 2 * 9.8), abs=0.02)
    assert vector(wrench.wrench.torque) == pytest.approx((0, -0.3 * 2 * 9.8, 0), abs=0.02)
    assert wrench.header.frame_id == "arm"

    state = EntityState()
    state.pose.position.x, state.pose.position.z = 2.1, 2.0
    request = {"entity": "wall", "state": state, "set_pose": True}
    assert ours.call(srv.SetEntityState, "set_entity_state", **request).result.result == 1
    ours.wait(lambda: heard["/scan"][-1].ranges[2] < 2.5)
    ours.wait(lambda: depth_of(heard["/eye/depth/image_raw"][-1]) < 2.5)
    assert heard["/scan"][-1].ranges[2] == pytest.approx(2.0, rel=1e-6)
    assert depth_of(heard["/eye/depth/image_raw"][-1]) == pytest.approx(1.9, abs=2e-3)
    for each in ("/scan", "/eye/depth/image_raw"):
        assert heard[each][-1].header.stamp.nanosec == 200_000_000


def depth_of(image):
    return float(np.frombuffer(image.data, "<f4").max())


def test_a_contact_bears_the_weight_of_a_lying_ball(serve, client):
    """The force of all contacts is 2 g upward, in the frame of the turned link."""
    serve("lying")
    ours = paused(client())
    touch = ours.hear(WrenchStamped, "/contact", SENSOR)
    step(ours, 1000)
    ours.wait(lambda: step(ours) or touch)
    ours.wait(lambda: step(ours) or touch[-1].header.stamp.sec)
    assert touch[-1].header.frame_id == "link"
    assert vector(touch[-1].wrench.force) == pytest.approx((0, 0, 2 * 9.8), abs=0.02)
    assert vector(touch[-1].wrench.torque) == pytest.approx((0, 0, 0), abs=0.02)
