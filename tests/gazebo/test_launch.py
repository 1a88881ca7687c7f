# SPDX-License-Identifier: Apache-2.0
"""The launch file, and the topics that its arguments choose."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from ros_python import run

from deepsim_gazebo import GazeboError, GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import SpawnRequest
from gazebo.process import Process
from gazebo.servers import ADDRESS, RosMaster, ros_variables

ARM = """<sdf version="1.6"><model name="arm">
  <link name="base"/>
  <joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>
  <link name="rod"><pose>0 0 1 0 0 0</pose><inertial><pose>0.5 0 0 0 0 0</pose></inertial></link>
  <joint name="swing" type="revolute"><parent>base</parent><child>rod</child>
    <axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


class Launch(Process):
    """`roslaunch` of a file of an installed package, as `tools/gazebo run --in-root` calls it.

    Args:
        master_uri: The ROS master.
        package: The package.
        file: The name of its launch file.
        arguments: `name:=value` for the file.
    """

    def __init__(self, master_uri: str, package: str, file: str, *arguments: str) -> None:
        environment = {
            **ros_variables(master_uri),
            "GAZEBO_MASTER_URI": f"http://{ADDRESS}:11349",
        }
        super().__init__(
            ["roslaunch", package, file, *arguments], environment, ending=signal.SIGINT
        )


@pytest.fixture(scope="module")
def master() -> Iterator[RosMaster]:
    """A ROS master of these tests alone."""
    with RosMaster(11314) as master:
        yield master


@pytest.fixture
def launched(master: RosMaster) -> Iterator[Launch]:
    """gzserver, launched with arguments that change the topics."""
    launch = Launch(
        master.uri,
        "gazebo_batch_state",
        "server.launch",
        "tf:=links",
        "robots:=[arm]",
        "paused:=true",
        "rates:={joint_states: 50, visual_states: 0}",
    )
    with launch:
        launch.wait_until(lambda: answers(master.uri))
        yield launch


def answers(uri: str) -> bool:
    """Whether a simulator can be made."""
    try:
        GazeboSimulator(uri).close()
    except GazeboError:
        return False
    return True


def test_topics_are_as_the_arguments_say(master: RosMaster, launched: Launch) -> None:
    """Rates, joints by their own names, transforms, stamps; a rate of 0 leaves a topic out."""
    simulator = GazeboSimulator(master.uri)
    simulator.spawn([SpawnRequest(ARM, "arm", Pose())])
    simulator.close()
    script = Path(__file__).with_name("ros_topics.py")
    found = json.loads(run("root", str(script), master=master.uri).splitlines()[-1])
    assert found["joint"][:2] == [["swing"], 1]
    assert found["every_joint"] == ["arm::swing"]
    assert found["joint_gaps"] == [0.02]
    assert found["models"] == [["ground_plane", "arm"], "world", 2]
    assert found["links"] == ["ground_plane::link", "arm::base", "arm::rod"]
    assert found["tf"] == [["world", link] for link in found["links"]]
    assert found["unit"] == pytest.approx([1.0] * 3)
    assert found["stamps"] == [True]
    assert "/gazebo_batch_state/visual_states" not in found["topics"]
    assert "/gazebo_batch_state/model_states" in found["topics"]


def test_it_ends_with_ctrl_c(launched: Launch) -> None:
    """At SIGINT it ends gzserver, and then itself."""
    assert launched.end(deadline=30.0) == 0
    assert "escalating to SIGTERM" not in launched.log.read_text()
