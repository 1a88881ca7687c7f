# SPDX-License-Identifier: Apache-2.0
"""Bags of ROS 2 are recorded by `deepsim run`, and played on a robot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from deepsim.cli import app
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import DeepSimError
from deepsim_viewer.recording.bag_replay import BagReplay

deepsim_ros2 = pytest.importorskip("deepsim_ros2")
rosbag2 = pytest.importorskip("rosbags.rosbag2")
typesys = pytest.importorskip("rosbags.typesys")

STORE = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
MASS = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
ARM = f"""<robot name="arm"><link name="base">{MASS}</link>
<link name="hand">{MASS}<visual><geometry><sphere radius="0.1"/></geometry></visual></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="hand"/>
<origin xyz="1 0 0"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""


def made(kind: str, *values: Any) -> Any:
    """A message of ROS 2."""
    package, name = kind.split("/")
    return STORE.types[f"{package}/msg/{name}"](*values)


def header(frame: str = "") -> Any:
    """A header without a time."""
    return made("std_msgs/Header", made("builtin_interfaces/Time", 0, 0), frame)


def write(path: Path, rows: list[tuple[str, float, Any]]) -> Path:
    """Writes (topic, time [s], message) as a bag of db3."""
    plugin = rosbag2.StoragePlugin.SQLITE3
    with rosbag2.Writer(path, version=9, storage_plugin=plugin) as writer:
        channels: dict[str, Any] = {}
        for topic, time, message in rows:
            kind = message.__msgtype__
            if topic not in channels:
                channels[topic] = writer.add_connection(topic, kind, typestore=STORE)
            data = STORE.serialize_cdr(message, kind)
            writer.write(channels[topic], round(time * 1e9), data)
    return path


def bag_of(path: Path, *, described: str = "") -> Path:
    """An arm whose base moves from x = 0 to x = 5, and which turns by 90 degrees at 1 s."""
    none = np.zeros(0)
    rows: list[tuple[str, float, Any]] = []
    for time, angle, x in ((0.0, 0.0, 0.0), (1.0, math.pi / 2, 5.0)):
        pose = made(
            "geometry_msgs/Transform",
            made("geometry_msgs/Vector3", x, 0.0, 0.0),
            made("geometry_msgs/Quaternion", 0.0, 0.0, 0.0, 1.0),
        )
        child = made("geometry_msgs/TransformStamped", header("map"), "base", pose)
        rows += [
            ("/tf", time, made("tf2_msgs/TFMessage", [child])),
            (
                "/joint_states",
                time,
                made("sensor_msgs/JointState", header(), ["turn"], np.array([angle]), none, none),
            ),
            (
                "/eye",
                time,
                made("sensor_msgs/Image", header(), 1, 2, "mono8", 0, 2, np.uint8([7, 9 * time])),
            ),
        ]
    if described:
        rows.append(("/robot_description", 0.0, made("std_msgs/String", described)))
    return write(path, rows)


@pytest.mark.parametrize("given", [True, False], ids=["--robot", "robot_description"])
def test_links_follow_tf_and_joint_states(tmp_path: Path, given: bool) -> None:
    """The base is where tf has it, and the hand where the joint takes it; pictures are of then."""
    bag = deepsim_ros2.Bag(bag_of(tmp_path / "bag", described="" if given else ARM))
    replay = BagReplay(bag, GazeboXMLLoader().load_model(ARM) if given else None)
    assert replay.times.tolist() == [0.0, 1.0]
    for time, x, turn in ((0.5, 0.0, 0.0), (1.0, 5.0, math.pi / 2)):
        frame = replay.frame(time)
        hand = frame.poses[0, frame.entities.links.row("arm::hand")]
        quaternion = [0, 0, math.sin(turn / 2), math.cos(turn / 2)]
        assert hand == pytest.approx([x + 1.0, 0.0, 0.0, *quaternion])
        assert replay.pictures(time)["/eye"].tolist() == [[[7] * 3, [9 * int(time)] * 3]]


def test_a_description_that_runs_code_is_not_read(tmp_path: Path) -> None:
    """Xacro evaluates Python, and whoever wrote a bag may be anybody."""
    text = ARM.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    text = text.replace('radius="0.1"', 'radius="${0.1}"')
    bag = deepsim_ros2.Bag(bag_of(tmp_path / "bag", described=text))
    with pytest.raises(DeepSimError, match="xacro, which is code"):
        BagReplay(bag)


def test_a_bag_is_a_page(tmp_path: Path) -> None:
    """`view` takes a bag's folder and a robot; without one, it says what is missing."""
    bag, robot, page = bag_of(tmp_path / "bag"), tmp_path / "arm.urdf", tmp_path / "run.html"
    robot.write_text(ARM)
    words = ["view", str(bag), "--html", str(page)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert "--robot" in result.output
    assert CliRunner().invoke(app, [*words, "--robot", str(robot)]).exit_code == 0
    assert "__VISER_EMBED_DATA__" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_run_is_recorded_as_a_bag(write_task: Any, tmp_path: Path) -> None:
    """`run --format ros2` writes clock and transforms of all episodes."""
    file = tmp_path / "run.mcap"
    words = ["run", str(write_task()), "--out", str(tmp_path / "out"), "--video", "none"]
    result = CliRunner().invoke(app, [*words, "--record", str(file), "--format", "ros2"])
    assert result.exit_code == 0, result.output
    bag = deepsim_ros2.Bag(file)
    assert bag.counts["/clock"] == bag.counts["/tf"] > 1
