# SPDX-License-Identifier: Apache-2.0
"""What a robot is made of, as plain data to print or to compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from .catalogue.entry import CatalogueEntry
from .robot import Robot

_JOINT = ("joint", "part", "home", "lower", "upper", "effort", "velocity", "stiffness", "damping")


def entry_facts(entry: CatalogueEntry) -> dict[str, Any]:
    """Returns what the catalogue says of a robot, and whether its files are there."""
    return {
        "robot": entry.name,
        "about": entry.about,
        "kind": entry.kind,
        "licence": entry.licence,
        "engines": list(entry.engines),
        "package": entry.package or "deepsim-robots",
        "installed": entry.is_installed,
    }


def part_facts(robot: Robot) -> dict[str, str]:
    """Returns the controller and the sizes of each part, by name."""
    texts = {}
    for part, drive in robot.parts.items():
        controller = type(robot.config.parts[part].controller).__name__
        counts = ((len(drive.lower), "action"), (len(drive.joints), "joint"))
        sizes = ", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in counts)
        texts[part] = f"{controller}, {sizes}"
    return texts


def joint_facts(robot: Robot) -> list[dict[str, Any]]:
    """Returns one row for each joint; None stands for no limit."""
    traits = robot.joints.traits
    part_of = {joint: part for part, drive in robot.parts.items() for joint in drive.joints.names}
    columns = (
        traits.home, traits.lower, traits.upper, traits.effort_limit, traits.velocity_limit,
        traits.stiffness, traits.damping,
    )  # fmt: skip
    rows = []
    for number, joint in enumerate(robot.joints.names):
        values = [float(column[number]) for column in columns]
        finite = [value if np.isfinite(value) and abs(value) < 1e9 else None for value in values]
        names = (joint, part_of.get(joint, ""))
        rows.append(dict(zip(_JOINT, (*names, *finite), strict=True)))
    return rows
