# SPDX-License-Identifier: Apache-2.0
"""The topics of a server in another process, heard and written by clients of rclpy."""

from __future__ import annotations

import math

import pytest
from geometry_msgs.msg import Twist, WrenchStamped
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState, LaserScan
from simulation_interfaces import srv
from simulation_interfaces.msg import SimulationState
from std_msgs.msg import Float64MultiArray, String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


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
    imu = ours.hear(Imu, "/imu", qos_profile_sensor_data)
    touch = ours.hear(WrenchStamped, "/contact", qos_profile_sensor_data)
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
    }


def test_a_base_follows_twists_and_its_lidar_measures(serve, client):
    """At 0.2 m/s for two seconds, the base comes 0.4 m far; the scan has the described rays."""
    serve("diffbot")
    ours = paused(client())
    scans = ours.hear(LaserScan, "/scan", qos_profile_sensor_data)
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
