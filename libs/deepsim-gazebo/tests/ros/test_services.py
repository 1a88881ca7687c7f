# SPDX-License-Identifier: Apache-2.0
"""The checksums of service types are those of the plugin's definitions."""

from __future__ import annotations

import hashlib
import importlib
import re
from pathlib import Path

import pytest

from deepsim_gazebo.protocol.layout import SERVICES
from deepsim_gazebo.ros.clock import CLOCK

PACKAGE = "gazebo_batch_state_msgs"
DEFINITIONS = Path(__file__).parents[4] / "plugins" / "gazebo-batch-state" / PACKAGE
PUBLISHED = {  # by `rosmsg md5` of ROS Noetic
    "geometry_msgs/Pose": "e45d45a5a1ce597b249e23fb30fc871f",
    "geometry_msgs/Vector3": "4a842b65f413084dc2b10fb484ea7f17",
}
OURS = sorted(name for name, service in SERVICES.items() if service.type.startswith(PACKAGE))


def canonical(definition: str) -> str:
    """Returns the text that ROS hashes: constants, then fields, with checksums for messages."""
    constants, fields = [], []
    for line in definition.splitlines():
        text = line.partition("#")[0].strip()
        constant = re.fullmatch(r"(\w+)\s+(\w+)\s*=\s*(.+)", text)
        if constant:
            constants.append("{} {}={}".format(*constant.groups()))
        elif text:
            kind, name = text.split()
            base = kind.partition("[")[0]
            if re.fullmatch(r"(u?int|float)\d+|bool|string|time|duration", base):
                fields.append(f"{kind} {name}")
            else:
                fields.append(f"{md5_of_message(base)} {name}")
    return "\n".join([*constants, *fields])


def md5_of_message(name: str) -> str:
    if name in PUBLISHED:
        return PUBLISHED[name]
    text = (DEFINITIONS / "msg" / f"{name}.msg").read_text(encoding="utf-8")
    return hashlib.md5(canonical(text).encode()).hexdigest()


@pytest.mark.skipif(not DEFINITIONS.is_dir(), reason="the plugin's sources are not here")
@pytest.mark.parametrize("name", OURS)
def test_checksums_are_those_of_the_definitions(name: str) -> None:
    """Computed from the .srv files."""
    file = DEFINITIONS / "srv" / f"{SERVICES[name].type.partition('/')[2]}.srv"
    halves = re.split(r"^---$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = "".join(canonical(half) for half in halves)
    assert hashlib.md5(text.encode()).hexdigest() == SERVICES[name].md5


@pytest.mark.parametrize("name", OURS)
def test_checksums_are_those_of_genpy(name: str) -> None:
    """If the generated messages can be imported."""
    generated = pytest.importorskip(f"{PACKAGE}.srv", reason="the plugin has not been built")
    kind = getattr(generated, SERVICES[name].type.partition("/")[2])
    assert (kind._type, kind._md5sum) == SERVICES[name]


def test_checksums_of_ros_itself() -> None:
    """If ROS is installed."""
    for module, service in (("std_srvs.srv", SERVICES["pause"]), ("rosgraph_msgs.msg", CLOCK)):
        pytest.importorskip(module, reason="ROS is not installed")
        kind = getattr(importlib.import_module(module), service.type.partition("/")[2])
        assert (kind._type, kind._md5sum) == service
