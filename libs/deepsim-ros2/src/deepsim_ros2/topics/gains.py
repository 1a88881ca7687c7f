# SPDX-License-Identifier: Apache-2.0
"""Gains and limits of joints as parameters of the server's node."""

from __future__ import annotations

import math
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter

from .commands import GAINS, JointCommands

NODE = "deepsim"
"""The name of the node of each world."""


def parameter_of(model: str, joint: str, gain: str) -> str:
    """Returns the name of a parameter.

    >>> parameter_of("bot", "left_wheel", "damping")
    'bot.left_wheel.damping'
    """
    return f"{model}.{joint}.{gain}"


class GainParameters:
    """The gains and limits of a robot as parameters such as ``bot.left_wheel.damping``.

    They act from the next command on. A reset of the world brings them back. Stiffness and damping
    that are both 0 stand for those that the description of the joint suggests.

    Args:
        node: The node.
        model: Name of the robot.
        joints: The commands of its joints.
    """

    def __init__(self, node: Any, model: str, joints: JointCommands) -> None:
        self._node, self._joints = node, joints
        self._places = {
            parameter_of(model, name, gain): (gain, place)
            for gain in GAINS
            for place, name in enumerate(joints.names)
        }
        self._start = {
            name: float(joints.gains[gain][place]) for name, (gain, place) in self._places.items()
        }
        node.declare_parameters("", [*self._start.items()])
        node.add_on_set_parameters_callback(self._set)

    def _set(self, parameters: list[Any]) -> SetParametersResult:
        """Takes new values, all or none; called by rclpy."""
        own = [each for each in parameters if each.name in self._places]
        for each in own:
            if not isinstance(each.value, float) or math.isnan(each.value) or each.value < 0.0:
                reason = f"{each.name} must be a number >= 0, got {each.value}"
                return SetParametersResult(successful=False, reason=reason)
            if math.isinf(each.value) and self._places[each.name][0] in GAINS[:2]:
                return SetParametersResult(
                    successful=False, reason=f"{each.name} must be finite, got {each.value}"
                )
        for each in own:
            gain, place = self._places[each.name]
            self._joints.gains[gain][place] = each.value
        return SetParametersResult(successful=True)

    def reset(self) -> None:
        """Brings back the values of the start."""
        self._node.set_parameters(
            [
                Parameter(name, value=value)
                for name, value in self._start.items()
                if self._node.get_parameter(name).value != value
            ]
        )

    def close(self) -> None:
        """Removes the parameters."""
        self._node.remove_on_set_parameters_callback(self._set)
        for name in self._places:
            self._node.undeclare_parameter(name)
