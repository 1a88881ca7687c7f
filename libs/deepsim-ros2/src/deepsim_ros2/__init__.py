# SPDX-License-Identifier: Apache-2.0
"""DeepSim's worlds as simulators of ROS 2, and recordings in its messages.

`deepsim_ros2.server` has the server, and `deepsim_ros2.client` the client; both need rclpy.
"""

from .bags.bag_reader import Bag, BagError, JointStates
from .bags.encoder import BagEncoder
from .bags.transforms import Transforms
from .errors import MissingRosError, Ros2Error

__all__ = [
    "Bag",
    "BagEncoder",
    "BagError",
    "JointStates",
    "MissingRosError",
    "Ros2Error",
    "Transforms",
]
