# SPDX-License-Identifier: Apache-2.0
"""The services of the plugin that this library calls, and the checksums of their types.

A server with another type refuses the connection. The checksums are the ones that genpy computes
from plugins/gazebo-batch-state/gazebo_batch_state_msgs/srv.
"""

from __future__ import annotations

from deepsim_gazebo.ros.tcpros import RosType


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
