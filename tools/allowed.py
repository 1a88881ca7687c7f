# SPDX-License-Identifier: Apache-2.0
"""The libraries, and what each one may depend on: the one list that a new library is added to.

An entry may shrink with ease; to let one grow is a decision about the architecture, because whoever
installs the library gets the new dependency as well. `python tools/pin.py` writes all other lists
from this one, the import contracts among them.
"""

from __future__ import annotations

#: From the top layer down, each library with what a plain install of it may bring. The umbrella, on
#: top of all, is missing: it may use all libraries and whatever its command needs.
LAYERS: list[dict[str, set[str]]] = [
    {
        "deepsim-soccer": {
            "deepsim-btree",
            "deepsim-math",
            "deepsim-spawn",
            "deepsim-sync",
            "numpy",
        },
        "deepsim-train": {"deepsim-envs", "deepsim-sync", "gymnasium", "numpy", "pyyaml"},
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
    },
    {
        "deepsim-conformance": {"deepsim-math", "deepsim-sync", "numpy", "pytest"},
        "deepsim-envs": {"deepsim-sync", "gymnasium", "numpy"},
        "deepsim-fx": {"deepsim-math", "deepsim-sync", "numpy"},
        "deepsim-gazebo": {"deepsim-math", "deepsim-sync", "numpy"},
        "deepsim-mujoco": {"deepsim-math", "deepsim-spawn", "deepsim-sync", "mujoco", "numpy"},
        "deepsim-robots": {"deepsim-math", "deepsim-spawn", "deepsim-sync", "numpy", "pyyaml"},
        "deepsim-scenes": {"deepsim-math", "deepsim-spawn", "deepsim-sync", "numpy", "pyyaml"},
        "deepsim-transport": {
            "deepsim-math",
            "deepsim-spawn",
            "deepsim-sync",
            "eclipse-zenoh",
            "msgspec",
            "numpy",
            "protobuf",
        },
    },
    {
        "deepsim-spawn": {"deepsim-math", "deepsim-sync", "lxml", "numpy", "xacro"},
    },
    {
        "deepsim-btree": set(),
        "deepsim-colliders": {"deepsim-math", "numpy", "shapely"},
        "deepsim-sync": {"deepsim-math", "numpy"},
    },
    {
        "deepsim-math": {"numpy"},
    },
]

#: The siblings that a library uses only where they are there, as an extra of it.
EXTRAS: dict[str, set[str]] = {
    "deepsim-viewer": {"deepsim-btree"},
}

#: All libraries but the umbrella, whatever their layer.
ALLOWED: dict[str, set[str]] = {name: needs for layer in LAYERS for name, needs in layer.items()}

#: What only some libraries know: its name, those libraries, and its modules.
KNOWN_BY: dict[str, tuple[set[str], list[str]]] = {
    "ROS": (
        {"deepsim-gazebo"},
        [
            "gazebo_msgs",
            "geometry_msgs",
            "rosgraph",
            "rosgraph_msgs",
            "rospy",
            "std_msgs",
            "std_srvs",
        ],
    ),
    "MuJoCo": ({"deepsim-mujoco"}, ["mujoco"]),
    "shapely": ({"deepsim-colliders"}, ["shapely"]),
    "lxml and xacro": ({"deepsim-spawn"}, ["lxml", "xacro"]),
    "pytest": ({"deepsim-conformance"}, ["pytest"]),
    "Gymnasium": ({"deepsim-envs", "deepsim-train"}, ["gymnasium"]),
    "trainers": (
        {"deepsim-train"},
        ["minari", "ray", "sb3_contrib", "stable_baselines3", "tensordict", "torch", "torchrl"],
    ),
    "gRPC": ({"deepsim-envs"}, ["grpc"]),
    "Protocol Buffers": ({"deepsim-envs", "deepsim-transport"}, ["google"]),
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
