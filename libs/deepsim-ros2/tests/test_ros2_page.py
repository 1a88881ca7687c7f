# SPDX-License-Identifier: Apache-2.0
"""The page for users of ROS 2 says what the server answers."""

from __future__ import annotations

import re
from pathlib import Path

from simulation_interfaces.msg import SimulatorFeatures

from deepsim_ros2.services.table import SERVICES

PAGE = Path(__file__).resolve().parents[3] / "docs" / "ros2.md"


def test_the_table_of_services_has_all_features_with_their_numbers():
    """Each service stands with the features that it stands for, and those not offered say so."""
    rows = [line.split("|") for line in PAGE.read_text("utf-8").splitlines()]
    offered: dict[str, set[tuple[str, int]]] = {}
    lacking = set()
    for _, names, features, *_ in (row for row in rows if len(row) == 5):
        services = [each for each in re.findall(r"`(\w+)`", names) if each in SERVICES]
        found = re.findall(r"(not )?([A-Z_]{3,}) (\d+)", features)
        if services:
            has = {(name, int(number)) for no, name, number in found if not no}
            lacking |= {(name, int(number)) for no, name, number in found if no}
            offered |= dict.fromkeys(services, has)
    assert offered.keys() == SERVICES.keys()
    numbers = {
        (name, getattr(SimulatorFeatures, name))
        for name in dir(SimulatorFeatures)
        if isinstance(getattr(SimulatorFeatures, name), int)
    }
    assert set().union(*offered.values()) | lacking == numbers
    assert not set().union(*offered.values()) & lacking
    for name, service in SERVICES.items():
        assert {*service.features} <= {number for _, number in offered[name]}, name
