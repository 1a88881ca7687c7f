# SPDX-License-Identifier: Apache-2.0
"""The topics of one world, which follow its entities."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from simulation_interfaces.msg import SimulationState
from std_msgs.msg import Float64MultiArray, String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from deepsim_ros2.geometry import Floats, write_time
from deepsim_ros2.simulation import ServedWorld
from deepsim_spawn import MjcfModel, ModelDescription
from deepsim_sync import SCOPE, CameraView, Entities, Reading

from .bases import BaseCommands
from .commands import CommandError, GainParameters, JointCommands
from .layout import Layout
from .message_types import ROS, ros_class
from .sensors import Channel, Measurement, Mounted, sensor_topics
from .transforms import OdometryTopic, Transforms

_ALMOST = 1e-6  # of a period, by which an instant may be early because of rounding


class Due:
    """Reports the first instant at or after each multiple of a period.

    >>> due = Due(10.0)
    >>> [due.at(time) for time in (0.0, 0.05, 0.1, 0.15)]
    [True, False, True, False]

    Args:
        rate: Rate in simulated time [Hz]; 0 for every instant.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._index: int | None = None

    def at(self, time: float) -> bool:
        """Returns whether the topic is due at an instant [s]; instants may go back by a reset."""
        if self._rate == 0.0:
            return True
        index = math.floor(time * self._rate + _ALMOST)
        is_due = index != self._index
        self._index = index
        return is_due


_RELIABLE = QoSProfile(depth=100)
_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_REST = 0.1  # period of all topics while the simulation rests [s]


class Topics:
    """Publishes a world, and takes commands to its robots.

    Messages are made for subscribers only. Rates are in simulated time; while the simulation
    rests, its state and sensors are repeated for those who come late.

    Args:
        node: The node of the world.
        served: The world.
        rate: Rate of transforms, joint states, and sensors without a rate of their own [Hz]; 0
            for every step.
    """

    def __init__(self, node: Any, served: ServedWorld, rate: float) -> None:
        self._node, self._served, self._rate = node, served, rate
        self._layout = Layout()
        self._entities: Entities | None = None
        self._opened = served.simulation.opened
        self._clock = node.create_publisher(Clock, "clock", _RELIABLE)
        self._tf = node.create_publisher(TFMessage, "tf", QoSProfile(depth=100))
        self._static = node.create_publisher(TFMessage, "tf_static", _LATCHED)
        self._states_due = Due(rate)
        self._is_stated = False
        self._robots: dict[str, _RobotTopics] = {}
        self._transforms: Transforms | None = None
        self._repeated = time.monotonic()

    def before_step(self) -> None:
        """Applies trajectories to the joints."""
        end = self._served.time + self._served.simulation.world.delta_time
        for robot in self._robots.values():
            if robot.joints is not None:
                robot.joints.before_step(end)

    def after_step(self) -> None:
        """Publishes what is due at the present instant."""
        self._follow_entities()
        now = self._served.time
        if self._clock.get_subscription_count():
            self._publish_clock(now)
        self._is_stated = self._states_due.at(now)
        if self._is_stated:
            self._publish_states(now)
        for robot in self._robots.values():
            for sensor in robot.sensors:
                sensor.publish(now)

    def rest(self) -> None:
        """Follows requests that changed the world, and repeats the state of one that rests."""
        if not self._served.simulation.is_open:
            return
        now = time.monotonic()
        changed, self._served.changed = self._served.changed, False
        stepped, self._served.stepped = self._served.stepped, False
        is_resting = self._served.state != SimulationState.STATE_PLAYING
        if not (changed or stepped or (is_resting and now - self._repeated >= _REST)):
            return
        self._repeated = now
        self._follow_entities()
        if changed or not self._is_stated:  # otherwise the latest step has just published them
            self._publish_clock(self._served.time)
            self._publish_states(self._served.time)
        self._is_stated = False
        for robot in self._robots.values():
            for sensor in robot.sensors:
                if changed or stepped:
                    sensor.measure(self._served.time, again=changed)
                elif is_resting:
                    sensor.repeat(self._served.time)

    def reset(self) -> None:
        """Forgets the trajectories of joints, and brings back their gains."""
        for robot in self._robots.values():
            robot.reset()

    def _publish_clock(self, now: float) -> None:
        if self._clock.get_subscription_count():
            message = Clock()
            write_time(message.clock, now)
            self._clock.publish(message)

    def _publish_states(self, now: float) -> None:
        if self._transforms is not None and self._tf.get_subscription_count():
            self._tf.publish(self._transforms.moving())
        for robot in self._robots.values():
            robot.publish_states(now)

    def _follow_entities(self) -> None:
        """Adds and removes the topics of robots that appeared or vanished."""
        simulation = self._served.simulation
        if self._opened != simulation.opened:  # another world was loaded
            self.close()
            self._opened, self._layout = simulation.opened, Layout()
        if simulation.world.entities is self._entities:
            return
        self._entities = simulation.world.entities
        before = dict(self._layout.robots)
        sensors = [*simulation.world.sensors]
        self._layout.update(self._entities, sensors, simulation.namespaces)
        robots = self._layout.robots
        for name in [*self._robots]:
            if robots.get(name) != before.get(name):
                self._robots.pop(name).close()
        for name, namespace in robots.items():
            if name not in self._robots:
                self._robots[name] = _RobotTopics(
                    self._node, self._served, name, namespace, self._layout, self._rate
                )
        self._transforms = Transforms(self._served, self._layout)
        self._static.publish(self._transforms.static())

    def close(self) -> None:
        """Removes the topics of all robots."""
        for robot in self._robots.values():
            robot.close()
        self._robots = {}
        self._entities = self._transforms = None


class _RobotTopics:
    """The topics of one robot."""

    def __init__(
        self,
        node: Any,
        served: ServedWorld,
        model: str,
        namespace: str,
        layout: Layout,
        rate: float,
    ) -> None:
        self._node, self._served = node, served
        self._stem = f"{namespace}/" if namespace else ""
        self._closing: list[Callable[[], Any]] = []
        world = served.simulation.world
        self._rows = world.joints.select(
            [row for row in world.entities.joints if row.startswith(model + SCOPE)]
        )
        self.joints: JointCommands | None = None
        if len(self._rows):
            self.joints = JointCommands(served, model)
            self._states = self._publisher(JointState, "joint_states", _RELIABLE)
            self._listen_to_joints(self.joints)
            self._gains = GainParameters(node, model, self.joints)
            self._closing.append(self._gains.close)
        links = [row for row in world.entities.links if row.startswith(model + SCOPE)]
        self._odometry: OdometryTopic | None = None
        if links:
            odometry = self._publisher(Odometry, "odom", _RELIABLE)
            self._odometry = OdometryTopic(odometry, served, links[0], layout.link_frame(links[0]))
        base = BaseCommands.of(served, model)
        if base is not None:
            self._listen(Twist, "cmd_vel", base.twist)
            self._listen(TwistStamped, "cmd_vel_stamped", lambda each: base.twist(each.twist))
        self._describe(served.simulation.description(model))
        port, lenses = world.simulator.sensors, world.simulator.depth_cameras
        infos = port.infos if port is not None else {}
        described = served.simulation.description(model)
        topics = sensor_topics(infos, described, model, layout, has_lenses=lenses is not None)
        self.sensors = [
            _SensorTopic(self._publisher, served, sensor, channel, topic, rate)
            for sensor, channel, topic in topics
        ]

    def _listen_to_joints(self, joints: JointCommands) -> None:
        self._listen(JointState, "joint_command", joints.joint_state)
        for quantity in ("position", "velocity", "effort"):
            topic = f"forward_{quantity}_controller/commands"
            self._listen(Float64MultiArray, topic, partial(joints.array, quantity))
        topic = "joint_trajectory_controller/joint_trajectory"
        self._listen(JointTrajectory, topic, joints.trajectory)

    def _publisher(self, kind: Any, topic: str, quality: QoSProfile) -> Any:
        made = self._node.create_publisher(kind, self._stem + topic, quality)
        self._closing.append(partial(self._node.destroy_publisher, made))
        return made

    def _listen(self, kind: Any, topic: str, function: Callable[[Any], None]) -> None:
        def hear(message: Any) -> None:
            try:
                function(message)
            except CommandError as error:
                self._node.get_logger().warning(f"{self._stem}{topic}: {error}")

        made = self._node.create_subscription(kind, self._stem + topic, hear, 10)
        self._closing.append(partial(self._node.destroy_subscription, made))

    def _describe(self, description: Any) -> None:
        """Publishes the text of the description once, also for those who come late."""
        text = ""
        if isinstance(description, ModelDescription):
            text = description.to_sdf()
        elif isinstance(description, MjcfModel):
            text = description.text
        if text:
            made = self._publisher(String, "robot_description", _LATCHED)
            made.publish(String(data=text))

    def publish_states(self, now: float) -> None:
        """Publishes odometry and joint states, if anybody listens."""
        if self._odometry is not None:
            self._odometry.publish(now)
        if self.joints is None or not self._states.get_subscription_count():
            return
        message, number = JointState(), self._served.number
        write_time(message.header.stamp, now)
        message.name = self.joints.names
        message.position = self._rows.position[number].tolist()
        message.velocity = self._rows.velocity[number].tolist()
        message.effort = self._rows.effort[number].tolist()
        self._states.publish(message)

    def reset(self) -> None:
        """Forgets the trajectory of the joints, and brings back their gains."""
        if self.joints is not None:
            self.joints.reset()
            self._gains.reset()

    def close(self) -> None:
        """Removes all topics."""
        for close in self._closing:
            close()


class _SensorTopic:
    """One topic of a sensor, at the rate of the sensor."""

    def __init__(
        self,
        publisher: Callable[..., Any],
        served: ServedWorld,
        sensor: Mounted,
        channel: Channel,
        topic: str,
        rate: float,
    ) -> None:
        self._served, self._sensor, self._channel = served, sensor, channel
        self._publisher = publisher(ros_class(channel.type), topic, qos_profile_sensor_data)
        self._due = Due(sensor.info.update_rate or rate)
        self._message: Any = None
        self._latest = math.nan  # time of the latest message [s]

    def publish(self, now: float) -> None:
        """Publishes the latest measurement if it is due, and if anybody listens."""
        if self._due.at(now) and self._publisher.get_subscription_count():
            number, world = self._served.number, self._served.simulation.world
            sensor = world.sensors[self._sensor.name]
            reading = sensor.read()
            age = float(world.simulator.time[number] - sensor.time[number])
            self._send(reading, now - age, now)

    def measure(self, now: float, *, again: bool) -> None:
        """Measures and publishes at once, whatever the rate and delay are, if anybody listens.

        A client that steps or changes a paused simulation thus knows the present.

        Args:
            now: The time of the world [s].
            again: Whether the world has changed since the latest message, even of this instant.
        """
        if (again or self._latest != now) and self._publisher.get_subscription_count():
            sensor = self._served.simulation.world.sensors[self._sensor.name]
            self._send(sensor.measure(), now, now)

    def repeat(self, now: float) -> None:
        """Publishes the measurement of the present again, for those who come late."""
        if self._latest != now:
            self.measure(now, again=False)
        elif self._publisher.get_subscription_count():
            self._publisher.publish(self._message)

    def _send(self, reading: Reading, taken: float, now: float) -> None:
        served, sensor = self._served, self._sensor
        world, number = served.simulation.world, served.number

        def view() -> CameraView:
            lenses = world.simulator.depth_cameras
            assert lenses is not None  # otherwise there is no topic of the lens
            return lenses.view(sensor.name, number)

        def link_pose() -> Floats:
            return np.asarray(world.links.select([sensor.link]).pose[number, 0])

        time = round(taken * 1e9)
        at = Measurement(sensor, reading, number, time, view, link_pose)
        self._message = self._channel.encode(ROS, at)
        self._publisher.publish(self._message)
        self._latest = now
