#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls the plugin's message services through rospy; run by test_rospy.py."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

import rospy
from gazebo_batch_state_msgs import srv
from gazebo_batch_state_msgs.msg import Light, SpawnRequest, StampedStates, Visual, VisualStates
from gazebo_msgs.msg import LinkState, LinkStates, ModelState, ModelStates
from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3
from rosgraph_msgs.msg import Clock
from std_msgs.msg import ColorRGBA
from std_srvs.srv import Trigger

BOX = """<sdf version="1.6"><model name="any"><link name="link">
  <gravity>false</gravity>
  <visual name="paint"><geometry><box><size>1 1 1</size></box></geometry></visual>
</link></model></sdf>"""
LAMP = """<sdf version="1.6"><light type="point" name="any">
  <diffuse>0.5 0.5 0.5 1</diffuse><attenuation><range>10</range></attenuation>
</light></sdf>"""
SPACE = "/gazebo_batch_state/"


def call(name: str, **fields: Any) -> Any:
    kind = {"pause": Trigger, "unpause": Trigger, "reset": Trigger}.get(name)
    if kind is None:
        kind = getattr(srv, "".join(part.capitalize() for part in name.split("_")))
    rospy.wait_for_service(SPACE + name, 10)
    return rospy.ServiceProxy(SPACE + name, kind)(**fields)


def pose(x: float, y: float, z: float) -> Pose:
    return Pose(Point(x, y, z), Quaternion(0, 0, 0, 1))


def too_many_names() -> None:
    for name in ("get_model_states", "get_link_states", "get_visuals", "get_lights"):
        reason = ""
        try:
            call(name, names=["nobody"] * 20001)
        except rospy.ServiceException as error:
            reason = str(error)
        assert "at most 20000 names a call, got 20001" in reason, reason


def spawn_and_delete() -> None:
    call("pause")
    requests = [
        SpawnRequest("a", BOX, pose(1, 0, 0), ""),
        SpawnRequest("a", BOX, pose(0, 0, 0), ""),
        SpawnRequest("broken", "<sdf", pose(0, 0, 0), ""),
        SpawnRequest("lamp", LAMP, pose(0, 0, 5), "world"),
    ]
    done = call("spawn_models", requests=requests)
    assert list(done.success) == [True, False, False, True], done
    assert [bool(message) for message in done.messages] == [False, True, True, False], done
    assert call("spawn_models", requests=[SpawnRequest("b", BOX, pose(0, 2, 0), "a")]).success[0]
    names = call("get_names")
    assert list(names.models) == ["a", "b"], names
    assert list(names.lights) == ["lamp"], names
    got = call("get_model_states", names=["b"])
    assert got.states[0].pose.position == Point(1, 2, 0), got
    gone = call("delete_models", names=["b", "nobody"])
    assert list(gone.success) == [True, False], gone
    assert "nobody" in gone.messages[1], gone


def states() -> None:
    call("spawn_models", requests=[SpawnRequest("b", BOX, pose(0, 2, 0), "")])
    moved = ModelState("b", pose(0, 0, 3), Twist(Vector3(1, 0, 0), Vector3()), "a")
    ghost = ModelState("ghost", pose(0, 0, 0), Twist(), "")
    done = call("set_model_states", states=[moved, ghost])
    assert list(done.success) == [True, False], done
    assert "ghost" in done.messages[1], done
    got = call("get_model_states", names=["b", "ghost", "a"], reference_frames=[])
    assert list(got.success) == [True, False, True], got
    assert got.states[0].pose.position == Point(1, 0, 3), got
    assert got.states[0].twist.linear.x == 1, got
    relative = call("get_model_states", names=["b"], reference_frames=["a"])
    assert relative.states[0].pose.position == Point(0, 0, 3), relative
    lost = call("get_model_states", names=["b"], reference_frames=["nowhere"])
    assert list(lost.success) == [False], lost
    assert "nowhere" in lost.messages[0], lost
    link = LinkState("b::link", pose(5, 5, 5), Twist(), "")
    assert call("set_link_states", states=[link]).success == [True]
    links = call("get_link_states", names=["b::link"], reference_frames=["world"])
    assert links.states[0].pose.position == Point(5, 5, 5), links
    everything = call("get_model_states", names=[], reference_frames=[])
    assert {"a", "b"} <= {state.model_name for state in everything.states}, everything


def looks() -> None:
    name = "a::link::paint"
    red = Visual(name=name, diffuse=ColorRGBA(1, 0, 0, 1), transparency=0.5, visible=False)
    mask = Visual.DIFFUSE | Visual.TRANSPARENCY
    done = call("set_visuals", visuals=[red, Visual(name="ghost")], columns=[mask])
    assert list(done.success) == [True, False], done
    got = call("get_visuals", names=[name, "ghost"])
    assert list(got.success) == [True, False], got
    assert got.visuals[0].diffuse == ColorRGBA(1, 0, 0, 1), got
    assert got.visuals[0].transparency == 0.5, got
    assert got.visuals[0].visible is True, got
    lamp = Light(name="lamp", constant=0.5, linear=0.25, quadratic=0.125)
    assert call("set_lights", lights=[lamp], columns=[Light.ATTENUATION]).success == [True]
    light = call("get_lights", names=["lamp"]).lights[0]
    assert (light.constant, light.linear, light.quadratic) == (0.5, 0.25, 0.125), light
    assert abs(light.diffuse.r - 0.5) < 1e-6, light
    assert light.range == 10.0, light
    moved = Light(name="lamp", pose=pose(1, 2, 3), range=5.0)
    columns = [Light.POSE | Light.RANGE]
    assert call("set_lights", lights=[moved], columns=columns).success == [True]
    light = call("get_lights", names=["lamp"]).lights[0]
    assert (light.pose, light.range, light.constant) == (moved.pose, 5.0, 0.5), light
    refused = call("set_lights", lights=[Light(name="lamp")])
    assert refused.success == [False], refused


def pictures() -> None:
    image = call("get_image", pose=pose(0, 0, 2), horizontal_fov=1.0, width=8, height=6)
    assert image.success, image.message
    assert (image.width, image.height, len(image.rgb)) == (8, 6, 3 * 8 * 6), image
    unknown = call("get_image", camera="nowhere")
    assert not unknown.success
    assert "no camera 'nowhere'" in unknown.message, unknown


def time_and_topics() -> None:
    assert call("reset").success
    done = call("set_physics", timestep=0.002, gravity=Vector3(0, 0, -1))
    assert done.success, done
    assert not call("set_physics", timestep=-1, gravity=Vector3()).success
    stepped = call("step", steps=5)
    assert stepped.success, stepped
    assert stepped.time == rospy.Time(0, 10_000_000), stepped
    for topic, kind in (
        (SPACE + "model_states", ModelStates),
        (SPACE + "link_states", LinkStates),
        (SPACE + "visual_states", VisualStates),
        ("/clock", Clock),
    ):
        arrived = threading.Event()
        subscriber = rospy.Subscriber(topic, kind, lambda _, event=arrived: event.set())
        assert call("unpause").success
        assert arrived.wait(10), f"nothing on {topic}"
        subscriber.unregister()
        assert call("pause").success


def many_at_once() -> None:
    """A world that runs goes on once a second while models come."""
    counts: set[int] = set()
    arrived = threading.Event()

    def hear(message: StampedStates) -> None:
        counts.add(sum(name.startswith("many") for name in message.name))
        arrived.set()

    subscriber = rospy.Subscriber(SPACE + "stamped_model_states", StampedStates, hear)
    call("unpause")
    assert arrived.wait(10)
    start = time.monotonic()
    requests = [SpawnRequest(f"many{n}", BOX, pose(2 * n, 9, 9), "") for n in range(100)]
    done = call("spawn_models", requests=requests)
    seconds = time.monotonic() - start
    assert all(done.success), done
    call("pause")
    subscriber.unregister()
    assert seconds < 2.0 or counts - {0, 100}, f"{seconds} s, {counts}"
    assert all(call("delete_models", names=[each.name for each in requests]).success)


def main() -> None:
    rospy.init_node("friendly", anonymous=True)
    for part in (
        too_many_names,
        spawn_and_delete,
        states,
        looks,
        pictures,
        many_at_once,
        time_and_topics,
    ):
        part()
        print(part.__name__, "is fine", flush=True)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)  # rospy 1.15.9 on Python 3.9 fails while it ends
