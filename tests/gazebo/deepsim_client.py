#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls all services of DeepSim 0.1 as its client does; run by test_deepsim_services.py."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import rospy
from deepsim_msgs import srv
from deepsim_msgs.msg import Visuals
from gazebo_batch_state_msgs.srv import GetLights, GetModelStates
from gazebo_msgs.msg import LinkState, ModelState
from gazebo_msgs.srv import DeleteModel, GetModelProperties, SetLightProperties, SpawnModel
from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3
from std_msgs.msg import ColorRGBA
from std_srvs.srv import Empty

PAINT = "a::link::paint"
ARM = """<sdf version="1.6"><model name="any">
  <link name="base"/><link name="tip"><pose>1 0 0 0 0 0</pose></link>
  <joint name="hinge" type="revolute"><parent>base</parent><child>tip</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""
CART = """<robot name="any"><link name="wheel"><inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""
RED, GREEN = ColorRGBA(1, 0, 0, 1), ColorRGBA(0, 1, 0, 1)


OF_GAZEBO_ROS = {
    "spawn_sdf_model": SpawnModel,
    "spawn_urdf_model": SpawnModel,
    "delete_model": DeleteModel,
    "get_model_properties": GetModelProperties,
    "set_light_properties": SetLightProperties,
}


def call(name: str, **fields: Any) -> Any:
    """A connection for each call, as in the original's wrapper."""
    kind = getattr(srv, "".join(part.capitalize() for part in name.split("_")), Empty)
    kind = OF_GAZEBO_ROS.get(name, kind)
    rospy.wait_for_service("/gazebo/" + name, 20)
    return rospy.ServiceProxy("/gazebo/" + name, kind)(**fields)


def pose(x: float, y: float, z: float) -> Pose:
    return Pose(Point(x, y, z), Quaternion(0, 0, 0, 1))


def states() -> None:
    wanted = [
        ModelState("a", pose(1, 2, 3), Twist(Vector3(1, 0, 0), Vector3()), ""),
        ModelState("ghost", pose(0, 0, 0), Twist(), ""),
    ]
    done = call("set_model_states", model_states=wanted)
    assert (done.success, list(done.status)) == (True, [1, 0]), done
    assert "ghost" in done.messages[1], done
    link = LinkState("b::link", pose(0, 5, 0), Twist(), "")
    assert list(call("set_link_states", link_states=[link]).status) == [1]
    frames = ["", "a", ""]
    got = call("get_model_states", model_names=["a", "b", "ghost"], relative_entity_names=frames)
    assert (got.success, list(got.status)) == (True, [1, 1, 0]), got
    assert got.model_states[0].pose.position == Point(1, 2, 3), got
    assert got.model_states[0].twist.linear.x == 1, got
    assert got.model_states[1].pose.position == Point(-1, 3, -3), got  # in the frame of a
    got = call("get_link_states", link_names=["b::link"], relative_entity_names=[""])
    assert got.link_states[0].pose.position == Point(0, 5, 0), got
    wrong = call("get_link_states", link_names=["b::link"], relative_entity_names=[])
    assert not wrong.success, wrong
    assert "got 1 names and 0 relative_entity_names" in wrong.status_message, wrong
    none = call("get_model_states", model_names=[], relative_entity_names=[])
    assert none.success, none
    assert none.model_states == [], none
    assert {s.model_name for s in call("get_all_model_states").model_states} == {"a", "b"}
    links = {s.link_name for s in call("get_all_link_states").link_states}
    assert links == {"a::link", "b::link"}, links


def visuals() -> None:
    names = call("get_visual_names", link_names=["a::link"])
    assert (names.success, names.visual_names, names.link_names) == (True, [PAINT], ["a::link"])
    assert not call("get_visual_names", link_names=["ghost::link"]).success
    seen = call("get_visual", link_name="a::link", visual_name=PAINT).visual
    assert (seen.link_name, seen.visual_name, seen.visible) == ("a::link", PAINT, True), seen
    assert (seen.geometry_type, seen.pose.position.z) == (1, 0.25), seen
    assert seen.mesh_geom_scale == Vector3(1, 1, 1), seen
    assert not call("get_visual", link_name="b::link", visual_name=PAINT).success
    one = {"link_name": "a::link", "visual_name": PAINT, "block": True}
    many = {"link_names": ["a::link", "ghost"], "visual_names": [PAINT, PAINT], "block": True}
    colours = {"ambient": RED, "diffuse": RED, "specular": RED, "emissive": RED}
    assert call("set_visual_material", **one, **colours).success
    assert call("get_visual", link_name="a::link", visual_name=PAINT).visual.diffuse == RED
    assert not call("set_visual_material", link_name="ghost", visual_name="x", **colours).success
    done = call("set_visual_materials", **many, **{key + "s": [GREEN, GREEN] for key in colours})
    assert (done.success, list(done.status)) == (True, [1, 0]), done
    assert "'ghost'" in done.messages[1], done
    assert call("set_visual_transparency", **one, transparency=0.25).success
    assert list(call("set_visual_transparencies", **many, transparencies=[0.5, 0.5]).status) == [
        1,
        0,
    ]
    assert call("set_visual_visible", **one, visible=True).success
    assert list(call("set_visual_visibles", **many, visibles=[0, 0]).status) == [1, 0]
    wrong = call("set_visual_visibles", **many, visibles=[0])
    assert "got 2 link_names and 1 visibles" in wrong.status_message, wrong
    got = call("get_visuals", link_names=["ghost", "a::link"], visual_names=[PAINT, PAINT])
    assert list(got.status) == [0, 1], got
    assert (got.visuals[1].transparency, got.visuals[1].visible) == (0.5, False), got
    assert got.visuals[1].emissive == GREEN, got
    every = call("get_all_visuals").visuals
    assert {visual.visual_name for visual in every} == {PAINT, "b::link::paint"}, every


def world() -> None:
    assert call("get_light_names").light_names == ["lamp"]
    arrived = threading.Event()
    heard: list[Visuals] = []

    def hear(message: Visuals) -> None:
        heard.append(message)
        arrived.set()

    subscriber = rospy.Subscriber("/gazebo/visuals", Visuals, hear)
    call("unpause_world_physics")
    assert arrived.wait(20), "nothing on /gazebo/visuals"
    subscriber.unregister()
    assert heard[0].visual_name == [PAINT, "b::link::paint"], heard[0]
    assert list(heard[0].transparency) == [0.5, 0.0], heard[0]
    call("pause_world_physics")
    paused = stamp()
    call("get_all_model_states")
    assert stamp() == paused, "the world runs"
    call("unpause_world_physics")
    while stamp() == paused:
        pass


def models() -> None:
    arm = {"model_name": "arm", "model_xml": ARM, "initial_pose": pose(3, 0, 1)}
    assert call("spawn_sdf_model", **arm, reference_frame="").success
    again = call("spawn_sdf_model", **arm, reference_frame="")
    assert not again.success, again
    assert "'arm'" in again.status_message, again
    cart = {"model_name": "cart", "model_xml": CART, "initial_pose": pose(0, 1, 0)}
    assert call("spawn_urdf_model", **cart, reference_frame="arm").success
    got = call("get_model_states", model_names=["cart"], relative_entity_names=[""])
    assert got.model_states[0].pose.position == Point(3, 1, 1), got
    parts = call("get_model_properties", model_name="arm")
    assert parts.success, parts
    assert (parts.body_names, parts.joint_names) == (["base", "tip"], ["hinge"]), parts
    assert not call("get_model_properties", model_name="ghost").success
    assert call("set_light_properties", light_name="lamp", diffuse=RED).success
    lamp = rospy.ServiceProxy("/gazebo_batch_state/get_lights", GetLights)(["lamp"]).lights[0]
    assert (lamp.diffuse, lamp.constant) == (RED, 0), lamp
    assert not call("set_light_properties", light_name="ghost", diffuse=RED).success
    for name in ("arm", "cart"):
        assert call("delete_model", model_name=name).success
    assert not call("delete_model", model_name="arm").success
    assert {s.model_name for s in call("get_all_model_states").model_states} == {"a", "b"}


def stamp() -> rospy.Time:
    """The simulated time, asked of the plugin."""
    return rospy.ServiceProxy("/gazebo_batch_state/get_model_states", GetModelStates)([], []).stamp


def main() -> None:
    rospy.init_node("client", anonymous=True)
    for part in (states, visuals, models, world):
        part()
        print(part.__name__, "is fine", flush=True)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)  # rospy 1.15.9 on Python 3.9 fails while it ends
