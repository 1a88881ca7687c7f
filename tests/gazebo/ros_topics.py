#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what the plugin's topics say of a pendulum, as JSON; run by test_launch.py."""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
from typing import Any

import numpy as np
import rospy
from gazebo_batch_state_msgs.msg import StampedStates
from gazebo_batch_state_msgs.srv import Step
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import JointState

SPACE = "/gazebo_batch_state/"


class Heard:
    """All messages of a topic."""

    def __init__(self, topic: str, kind: Any) -> None:
        self.messages: list[Any] = []
        self._arrived = threading.Condition()
        self.subscriber = rospy.Subscriber(topic, kind, self._hear)

    def _hear(self, message: Any) -> None:
        with self._arrived:
            self.messages.append(message)
            self._arrived.notify_all()

    def wait(self, count: int) -> list[Any]:
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.messages) >= count, 20), self.messages
        return self.messages


def transforms(raw: Any) -> list[Any]:
    """The transforms of a tf2_msgs/TFMessage, whose Python package need not be installed."""
    buffer, found, place = raw._buff, [], 4
    (count,) = struct.unpack_from("<I", buffer)
    for _ in range(count):
        transform = TransformStamped().deserialize(buffer[place:])
        text = sum(
            len(name.encode()) for name in (transform.header.frame_id, transform.child_frame_id)
        )
        place += 12 + 4 + 4 + text + 7 * 8  # sequence and stamp, two lengths, the numbers
        found.append(transform)
    return found


def main() -> None:
    rospy.init_node("listener", anonymous=True)
    step = rospy.ServiceProxy(SPACE + "step", Step)
    joints = Heard("/arm/joint_states", JointState)
    every_joint = Heard(SPACE + "joint_states", JointState)
    links = Heard(SPACE + "stamped_link_states", StampedStates)
    models = Heard(SPACE + "stamped_model_states", StampedStates)
    frames = Heard("/tf", rospy.AnyMsg)
    for heard in (joints, every_joint, links, models, frames):
        while not heard.subscriber.get_num_connections():
            step(1)
    start = step(1).time.to_sec()
    for _ in range(10):  # a queue holds ten messages
        seen = len(joints.messages), len(models.messages)
        step(100)
        joint = joints.wait(seen[0] + 5)[-1]
        model = models.wait(seen[1] + 10)[-1]
    last = transforms(frames.wait(1)[-1])
    between = [m.header.stamp.to_sec() for m in joints.messages if m.header.stamp.to_sec() > start]
    print(
        json.dumps(
            {
                "joint": [list(joint.name), len(joint.position), joint.effort],
                "every_joint": list(every_joint.wait(1)[-1].name),
                "joint_gaps": sorted({round(gap, 6) for gap in np.diff(between)}),
                "models": [list(model.name), model.header.frame_id, len(model.twist)],
                "links": list(links.wait(1)[-1].name),
                "tf": [[t.header.frame_id, t.child_frame_id] for t in last],
                "unit": [sum(q * q for q in quaternion(t)) for t in last],
                "stamps": [links.messages[-1].header.stamp.to_sec() > start],
                "topics": sorted(name for name, _ in rospy.get_published_topics(SPACE[:-1])),
            }
        )
    )


def quaternion(transform: Any) -> tuple[float, ...]:
    rotation = transform.transform.rotation
    return rotation.x, rotation.y, rotation.z, rotation.w


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)  # rospy 1.15.9 on Python 3.9 fails while it ends
