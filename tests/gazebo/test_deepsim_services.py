# SPDX-License-Identifier: Apache-2.0
"""A client of DeepSim 0.1's services, by their names and types, on real Gazebo."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from ros_python import run

from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import SpawnRequest
from gazebo import cache
from gazebo.process import Process

CLIENT = Path(__file__).with_name("deepsim_client.py")
NODE = cache.install() / "lib/deepsim_services/deepsim_services"
BOX = """<sdf version="1.6"><model name="any"><link name="link">
  <visual name="paint"><pose>0 0 0.25 0 0 0</pose>
    <geometry><box><size>1 1 1</size></box></geometry></visual>
</link></model></sdf>"""
LAMP = """<sdf version="1.6"><light type="point" name="any">
  <attenuation><range>10</range></attenuation></light></sdf>"""
PUBLISHED = {
    "Visual": "07bc711889e6613e6ab77b1350248cdb",
    "Visuals": "713e0c61a8a368f8545386ca9315349f",
    "GetAllLinkStates": "4f4c603bed5ed43e3daa438c7b641851",
    "GetAllModelStates": "d6270d05e865fdd7558fbcb315e97b90",
    "GetAllVisuals": "1c024d0805ebe9e5b928358ccb295a94",
    "GetLightNames": "6dff1e71fe0fb6f3d275724e4c746d5e",
    "GetLinkStates": "e5885f3a747409ebea8f6eea01dcd7ef",
    "GetModelStates": "9f134a35b2aed42d29e57ebae260d3d6",
    "GetVisual": "af6d4242501afd0abb7bd0112a7ed36a",
    "GetVisualNames": "f43c94dfba3ba3ebdb7d26fb08b0edd1",
    "GetVisuals": "77be646dd9641fd8810cdf9de057891d",
    "SetLinkStates": "39f6392717f5d15076c1496f93594e13",
    "SetModelStates": "302646b3654009f39a95e719d97c8571",
    "SetVisualMaterial": "9c987659e93e8e993b90a6ea6fab5b74",
    "SetVisualMaterials": "2b593b9606746213e8e7b797a0ade086",
    "SetVisualTransparencies": "34fbd02ec7c4149646080e935ee8f1b0",
    "SetVisualTransparency": "8d620635331bc4411a9425df4f8058e7",
    "SetVisualVisible": "91b990c22664a5d31142982439721968",
    "SetVisualVisibles": "f1147e9c73d95b8955fad12bcf7a1ecd",
}
"""Checksums that genpy computes from the published definitions."""
OWNER = """
import os, subprocess, sys
import rospy, rosservice
from gazebo_msgs.srv import DeleteModel
rospy.init_node("gazebo_ros")
rospy.Service("/gazebo/delete_model", DeleteModel, lambda request: (False, "mine"))
with subprocess.Popen(sys.argv[1:]) as node:
    rospy.wait_for_service("/gazebo/set_light_properties", 30)  # the last that the node offers
    print(rosservice.get_service_node("/gazebo/delete_model"), flush=True)
    print(rosservice.get_service_node("/gazebo/spawn_sdf_model"), flush=True)
    node.terminate()
os._exit(0)
"""
"""A node that has a service of gazebo_ros when the other one starts."""


@pytest.fixture
def services(gazebo: GazeboSimulator) -> Iterator[Process]:
    """The node, beside a server with two boxes and a lamp that stand still."""
    models = {"a": BOX, "b": BOX, "lamp": LAMP}
    gazebo.spawn([SpawnRequest(sdf, name, Pose()) for name, sdf in models.items()])
    node = Process(
        [str(NODE)],
        {"ROS_MASTER_URI": os.environ["ROS_MASTER_URI"], "ROS_IP": os.environ["ROS_IP"]},
    )
    with node:
        yield node


def test_a_client_of_the_first_deepsim(services: Process) -> None:
    """All 19 services, the topic, and the five of gazebo_ros; rows that are unknown fail alone."""
    output = run("root", str(CLIENT))
    assert output.count("is fine") == 4
    assert services.running


def test_checksums_are_the_published_ones() -> None:
    """A client that was built with the published definitions connects."""
    lines = run(
        "root",
        "-c",
        "import sys\nfrom deepsim_msgs import msg, srv\nfor name in sys.argv[1:]:\n"
        "    print(name, (getattr(srv, name, None) or getattr(msg, name))._md5sum)",
        *PUBLISHED,
    ).splitlines()
    assert dict(line.split() for line in lines) == PUBLISHED


def test_services_of_gazebo_ros_stay_its_own(gazebo: GazeboSimulator) -> None:
    """The node offers only those services of gazebo_ros that nobody else offers."""
    lines = run("root", "-c", OWNER, str(NODE)).splitlines()
    assert [line for line in lines if line.startswith("/")] == ["/gazebo_ros", "/deepsim_services"]
