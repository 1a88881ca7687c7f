# SPDX-License-Identifier: Apache-2.0
"""The types of the plugin's services, and the flat form of its tables.

A server whose service has another type refuses the connection. The checksums of the types are those
that genpy computes from plugins/gazebo-batch-state/gazebo_batch_state_msgs/srv.

The flat form of a table is (n, width) float64, all its columns side by side. Tables and columns are
numbered in the order of `SERVED`, both from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_gazebo.ros.tcpros import RosType
from deepsim_sync import COLUMNS, Key, Kind, Tables


def _own(name: str, md5: str) -> RosType:
    return RosType(f"gazebo_batch_state_msgs/{name}", md5)


_TRIGGER = RosType("std_srvs/Trigger", "937c9679a518e3a18d831e57125ea522")

SERVICES = {
    "delete_models": _own("DeleteModels", "d2326307ce69b7d8997151ebea32311e"),
    "exchange": _own("Exchange", "f889104c714b538d2700988b37c9f34a"),
    "get_bounds": _own("GetBounds", "cf52b6fdf7f418db3b8101df42cf1b6a"),
    "get_contacts": _own("GetContacts", "a5a40bb9f7a18cb95dc0aa0045fd7ec3"),
    "get_factors": _own("GetFactors", "77ae34fc08f437b845af40ba38b6b1c0"),
    "get_image": _own("GetImage", "03d0b13e98072e443b1b7d91303466e6"),
    "get_kinematics": _own("GetKinematics", "056d11b519175120a47561ad183b1686"),
    "get_names": _own("GetNames", "2a7824de5f69431a82417e7c7d1fcdea"),
    "get_sensors": _own("GetSensors", "5d17099dde1438b655c5d4e0bd95510c"),
    "open_mailbox": _own("OpenMailbox", "ea9a93af0fc918f7619d67306fe5657c"),
    "open_shared_memory": _own("OpenSharedMemory", "ea9a93af0fc918f7619d67306fe5657c"),
    "pause": _TRIGGER,
    "reset": _TRIGGER,
    "scale_links": _own("ScaleLinks", "fa301ae7e24cba2d23f764b2a2350b36"),
    "set_physics": _own("SetPhysics", "7317299940348891206165b486db0beb"),
    "spawn_models": _own("SpawnModels", "ece272053d41273c0e43ab8e9481709c"),
    "unpause": _TRIGGER,
    "watch": _own("Watch", "f73b44bb5e95ff4478d5b1d7013b6763"),
}
"""The type of each service, by its name in the plugin's namespace."""

SERVED: dict[Kind, tuple[str, ...]] = {
    "models": ("pose", "twist"),
    "links": ("pose", "twist", "force", "torque", "center_of_mass"),
    "visuals": ("ambient", "diffuse", "specular", "emissive", "transparency", "visible"),
    "lights": ("diffuse", "specular", "attenuation", "pose", "range"),
    "joints": (
        "position",
        "velocity",
        "effort",
        "target_position",
        "target_velocity",
        "feedforward",
        "stiffness",
        "damping",
        "effort_limit",
        "velocity_limit",
    ),
}
"""The columns that the plugin serves."""
TABLES = tuple(SERVED)

Rows = NDArray[np.float64]
"""(n, width) rows of one table, in the flat form."""


class Layout(NamedTuple):
    """The positions of a table's columns within a row."""

    width: int
    """Numbers per row."""
    columns: dict[str, slice | int]
    """Position of each column; an index if a cell is a single number."""


def _layout(kind: Kind) -> Layout:
    columns: dict[str, slice | int] = {}
    start = 0
    for name in SERVED[kind]:
        spec = COLUMNS[kind][name]
        count = int(np.prod(spec.shape))
        columns[name] = slice(start, start + count) if spec.shape else start
        start += count
    return Layout(start, columns)


LAYOUTS: dict[Kind, Layout] = {kind: _layout(kind) for kind in TABLES}

TABLE_NUMBERS: dict[Kind, int] = {kind: number for number, kind in enumerate(TABLES)}

COLUMN_NUMBERS: dict[Key, tuple[int, int]] = {
    (kind, column): (TABLE_NUMBERS[kind], number)
    for kind in TABLES
    for number, column in enumerate(SERVED[kind])
}
"""Numbers of the table and of the column."""


def fill(
    tables: Tables, kind: Kind, rows: Rows, at: slice | NDArray[np.intp] = slice(None)
) -> None:
    """Copies rows in the flat form into a table of one world.

    Args:
        tables: The tables to be filled.
        kind: The table.
        rows: (n, width).
        at: The n rows of the table; all by default.
    """
    for column, numbers in LAYOUTS[kind].columns.items():
        tables.columns[kind, column][0, at] = rows[:, numbers]
