# SPDX-License-Identifier: Apache-2.0
"""What each library may depend on: the table of the design, which CONTRIBUTING.md prints.

An entry may shrink with ease; to let one grow is a decision about the architecture, because whoever
installs the library gets the new dependency as well. Import order is checked by .importlinter.
"""

from __future__ import annotations

#: The umbrella is missing here: it may use all libraries and whatever its command needs.
ALLOWED: dict[str, set[str]] = {
    "deepsim-math": {"numpy"},
    "deepsim-btree": set(),
    "deepsim-colliders": {"deepsim-math", "numpy", "shapely"},
    "deepsim-sync": {"deepsim-math", "numpy"},
    "deepsim-spawn": {"deepsim-math", "deepsim-sync", "lxml", "numpy", "xacro"},
    "deepsim-fx": {"deepsim-math", "deepsim-sync", "numpy"},
    "deepsim-mujoco": {"deepsim-math", "deepsim-spawn", "deepsim-sync", "mujoco", "numpy"},
    "deepsim-robots": {"deepsim-math", "deepsim-spawn", "deepsim-sync", "numpy", "pyyaml"},
    "deepsim-soccer": {"deepsim-btree", "deepsim-math", "deepsim-spawn", "deepsim-sync", "numpy"},
    "deepsim-scenes": {"deepsim-math", "deepsim-spawn", "deepsim-sync", "numpy", "pyyaml"},
    "deepsim-gazebo": {"deepsim-math", "deepsim-sync", "numpy"},
    "deepsim-envs": {"deepsim-sync", "gymnasium", "numpy"},
    "deepsim-transport": {
        "deepsim-math",
        "deepsim-spawn",
        "deepsim-sync",
        "eclipse-zenoh",
        "numpy",
        "protobuf",
    },
    "deepsim-viewer": {
        "deepsim-envs",
        "deepsim-math",
        "deepsim-spawn",
        "deepsim-sync",
        "mcap",
        "numpy",
        "rich",
        "viser",
        "websockets",
    },
}

#: ROS comes from the host's installation, not from an index, so no library can declare it.
ROS_LIBRARY = "deepsim-gazebo"
ROS_MODULES = {"genpy", "rosgraph", "roslib", "rospkg", "rospy", "tf2_ros"}
ROS_SUFFIXES = ("_msgs", "_srvs")

#: Modules whose distribution has another name; all others are spelled as their distribution.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "google": "protobuf",
    "grpc": "grpcio",
    "yaml": "pyyaml",
    "zenoh": "eclipse-zenoh",
    "zmq": "pyzmq",
}
