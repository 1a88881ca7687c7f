# SPDX-License-Identifier: Apache-2.0
"""DeepSim's worlds as simulators of ROS 2.

Names that need rclpy are imported at their first use.
"""

import importlib.util
import typing

from .errors import Ros2Error
from .messages.build import advice, missing

if typing.TYPE_CHECKING:
    from .server import Ros2Server
    from .topics.bases import add_base
else:  # hidden from type checkers, which would take __getattr__ for any name
    _NEEDS_RCLPY = {"Ros2Server": "server", "add_base": "topics.bases"}

    def __getattr__(name):
        if name not in _NEEDS_RCLPY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

        if importlib.util.find_spec("rclpy") is None or missing():
            raise Ros2Error(advice())
        module = importlib.import_module(f".{_NEEDS_RCLPY[name]}", __name__)
        globals()[name] = found = getattr(module, name)
        return found


__all__ = ["Ros2Error", "Ros2Server", "add_base"]
