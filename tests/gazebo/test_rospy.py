# SPDX-License-Identifier: Apache-2.0
"""The friendly services through rospy, on this machine and in the Debian 11 root."""

from __future__ import annotations

from pathlib import Path

import pytest
from ros_python import run

from deepsim_gazebo import GazeboSimulator
from deepsim_gazebo.protocol.layout import SERVICES
from deepsim_gazebo.ros.clock import CLOCK

SCRIPT = Path(__file__).with_name("friendly_services.py")
CHECKSUMS = """
import importlib, sys
for name in sys.argv[1:]:
    package, kind = name.split("/")
    for module in ("srv", "msg"):
        try:
            found = getattr(importlib.import_module(f"{package}.{module}"), kind)
        except (ImportError, AttributeError):
            continue
        print(name, found._md5sum)
"""


@pytest.mark.parametrize("place", ["host", "root"])
def test_friendly_services(gazebo: GazeboSimulator, place: str) -> None:
    """All of them, with rows that fail and rows that succeed."""
    output = run(place, str(SCRIPT))
    assert output.count("is fine") == 7


def test_checksums_are_those_of_genpy() -> None:
    """The checksums of this library are those that ROS generates."""
    expected = {service.type: service.md5 for service in (*SERVICES.values(), CLOCK)}
    lines = run("host", "-c", CHECKSUMS, *expected).splitlines()
    assert dict(line.split() for line in lines) == expected
