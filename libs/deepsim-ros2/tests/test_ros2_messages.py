# SPDX-License-Identifier: Apache-2.0
"""The built messages are those of the standard."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_typestore

from deepsim_ros2.messages.build import build

SHARE = Path(sys.prefix) / "share"


def hashes(package: str, name: str) -> dict[str, str]:
    """Returns the hashes in the description of a built type, of itself and all that it holds."""
    described = json.loads((SHARE / package / f"{name}.json").read_text(encoding="utf-8"))
    return {each["type_name"]: each["hash_string"] for each in described["type_hashes"]}


def test_built_types_have_the_hashes_of_the_standard():
    """All messages have the RIHS01 of simulation_interfaces 2.1.0.

    rosbags computed those in rihs01.txt from the files of the standard.
    """
    lines = (Path(__file__).parent / "rihs01.txt").read_text(encoding="utf-8").splitlines()
    wanted = dict(line.split() for line in lines)
    assert len(wanted) == 15
    for name, hash_string in wanted.items():
        file = name.partition("/")[2]
        assert hashes("simulation_interfaces", file)[name] == hash_string, name


@pytest.mark.skipif(not (SHARE / "tf2_msgs").is_dir(), reason="tf2_msgs is not of this environment")
def test_tf_has_the_hash_that_rosbags_knows():
    """TFMessage has the RIHS01 in the type store of rosbags."""
    name = "tf2_msgs/msg/TFMessage"
    known = get_typestore(Stores.ROS2_KILTED).hash_rihs01(name)
    assert hashes("tf2_msgs", "msg/TFMessage")[name] == known


def test_nothing_is_built_twice():
    """Where all messages can be imported, a build does nothing."""
    assert build() == []
