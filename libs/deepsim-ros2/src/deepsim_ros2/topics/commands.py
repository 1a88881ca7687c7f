# SPDX-License-Identifier: Apache-2.0
"""Commands to joints, and their gains and limits as parameters of the server's node."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter

from deepsim_robots import guess_robot
from deepsim_robots.position_control import ANGLE, DECAY
from deepsim_ros2.errors import Ros2Error
from deepsim_ros2.geometry import Floats
from deepsim_ros2.simulation import ServedWorld
from deepsim_spawn import ModelDescription

from .layout import own_name

GAINS = ("stiffness", "damping", "effort_limit", "velocity_limit")
"""The columns of a joint that its commands set beside the targets."""


class CommandError(Ros2Error):
    """A command is invalid; it has no effect."""


class JointCommands:
    """Sets the targets of a robot's joints in one world.

    A joint that has gains keeps them. One without gets them with its first target of a position or
    velocity: those that its description suggests, see `deepsim_robots.guess_robot`, or, for MJCF,
    the largest effort at an error of 0.1 rad or m and a time constant of 50 ms.

    Args:
        served: The world.
        model: Name of the robot.

    Attributes:
        names: Names of the joints within the robot, (n).
        gains: Gains and limits by column, (n,); stiffness and damping that are both 0 stand for
            suggested ones.
    """

    def __init__(self, served: ServedWorld, model: str) -> None:
        self._served = served
        world = served.simulation.world
        rows = [row for row in world.entities.joints if row.startswith(model + "::")]
        self._rows = world.joints.select(rows)
        self.names = [own_name(row) for row in rows]
        self._model = model
        self._worlds = np.array([served.number])
        self.gains = {each: self._rows.get(each)[served.number] for each in GAINS}
        self._suggested = self._suggestions()
        self._trajectory: _Trajectory | None = None

    def _suggestions(self) -> tuple[Floats, Floats]:
        """Returns stiffness and damping that the description suggests, (n,) each."""
        stiffness, damping = np.zeros((2, len(self.names)))
        description = self._served.simulation.description(self._model)
        if isinstance(description, ModelDescription):
            suggested = guess_robot(self._model, description).config.gains
            for index, name in enumerate(self.names):
                gains = suggested.get(name.replace("/", "::"))
                if gains is not None:
                    stiffness[index] = gains.stiffness or 0.0
                    damping[index] = gains.damping or 0.0
        else:
            limit = self.gains["effort_limit"]
            known = np.isfinite(limit)
            stiffness[known] = limit[known] / ANGLE
            damping[known] = stiffness[known] * DECAY
        return stiffness, damping

    def joint_state(self, message: Any) -> None:
        """Sets the targets of the joints that a JointState names.

        Positions and velocities are targets, efforts are added to those of the servos; efforts
        alone act without servos.
        """
        index = self._index(message.name)
        given = {
            column: self._numbers(column, values, len(index))
            for column, values in (
                ("position", message.position),
                ("velocity", message.velocity),
                ("effort", message.effort),
            )
            if len(values)
        }
        if not given:
            raise CommandError("a JointState needs positions, velocities or efforts")
        self._trajectory = None
        self._put(index, given)

    def array(self, quantity: str, message: Any) -> None:
        """Sets the targets of all joints, in the order of the joint states."""
        values = self._numbers("data", message.data, len(self.names))
        self._trajectory = None
        self._put(np.arange(len(self.names)), {quantity: values})

    def trajectory(self, message: Any) -> None:
        """Follows a JointTrajectory from now on, or from the time in its header."""
        index = self._index(message.joint_names)
        points = message.points
        times = np.array([each.time_from_start.sec for each in points], dtype=np.float64)
        times += [each.time_from_start.nanosec * 1e-9 for each in points]
        if not len(times) or times[0] < 0.0 or (np.diff(times) <= 0.0).any():
            raise CommandError("a trajectory needs points with ascending times >= 0")
        places = [self._numbers("positions", each.positions, len(index)) for each in points]
        has_rates = all(len(each.velocities) for each in points)
        rates: list[Floats] = []
        if has_rates:
            rates = [self._numbers("velocities", each.velocities, len(index)) for each in points]
        stamp = message.header.stamp
        start = (stamp.sec + stamp.nanosec * 1e-9) or self._served.time
        now = self._rows.position[self._served.number][index]
        speed = self._rows.velocity[self._served.number][index]
        if times[0] > 0.0:
            times, places = np.array([0.0, *times]), [now, *places]
            rates = [speed, *rates] if has_rates else rates
        self._trajectory = _Trajectory(
            index, start, times, np.array(places), np.array(rates) if has_rates else None
        )

    def before_step(self, time: float) -> None:
        """Sets the targets of a trajectory for the end of a step [s]."""
        if self._trajectory is None:
            return
        position, velocity = self._trajectory.at(time)
        self._put(self._trajectory.index, {"position": position, "velocity": velocity})
        if time >= self._trajectory.end:
            self._trajectory = None

    def reset(self) -> None:
        """Forgets the trajectory."""
        self._trajectory = None

    def _put(self, index: Any, given: dict[str, Floats]) -> None:
        """Sets targets of some joints; raises CommandError for joints without gains."""
        own = {each: values[index] for each, values in self.gains.items()}
        bare = (own["stiffness"] == 0.0) & (own["damping"] == 0.0)
        stiffness, damping = (
            np.where(bare, suggested[index], own[each])
            for each, suggested in zip(GAINS[:2], self._suggested, strict=True)
        )
        if "position" not in given:
            stiffness[:] = 0.0
            if "velocity" not in given:
                damping[:] = 0.0
        needed = stiffness if "position" in given else damping
        if not {"position", "velocity"}.isdisjoint(given) and (needed == 0.0).any():
            name = self.names[index[int(np.argmin(needed))]]
            raise CommandError(
                f"joint {name!r} has no gains, and no effort limit to take them from"
            )
        none = np.zeros(len(index))
        columns = {
            **own,
            "stiffness": stiffness,
            "damping": damping,
            "target_velocity": given.get("velocity", none),
            "feedforward": given.get("effort", none),
        }
        if "position" in given:
            columns["target_position"] = given["position"]
        names = [self._rows.names[each] for each in index]
        world = self._served.simulation.world
        world.joints.select(names).put(self._worlds, **columns)

    def _index(self, names: Sequence[str]) -> Any:
        """Returns the numbers of joints; none are all joints."""
        if not len(names):
            return np.arange(len(self.names))
        unknown = [name for name in names if name not in self.names]
        if unknown or len({*names}) != len(names):
            wrong = f"unknown joints {unknown}" if unknown else "a joint twice"
            raise CommandError(f"{wrong}; {self._model!r} has {', '.join(self.names)}")
        return np.array([self.names.index(name) for name in names])

    def _numbers(self, what: str, values: Any, count: int) -> Floats:
        found = np.asarray(values, dtype=np.float64)
        if found.shape != (count,) or not np.isfinite(found).all():
            raise CommandError(f"{what} must be {count} finite numbers, got {found}")
        return found


class _Trajectory:
    """Positions between points: cubic with velocities, otherwise linear; held after the last."""

    def __init__(
        self, index: Any, start: float, times: Floats, places: Floats, rates: Floats | None
    ) -> None:
        self.index = index
        self._start, self._times, self._places, self._rates = start, times, places, rates
        self.end = start + float(times[-1])

    def at(self, time: float) -> tuple[Floats, Floats]:
        """Returns positions and velocities at a time [s]."""
        t = min(max(time - self._start, 0.0), float(self._times[-1]))
        k = int(np.clip(np.searchsorted(self._times, t) - 1, 0, max(len(self._times) - 2, 0)))
        if len(self._times) == 1 or t >= self._times[-1]:
            return self._places[-1], np.zeros(len(self.index))
        h = self._times[k + 1] - self._times[k]
        s, a, b = (t - self._times[k]) / h, self._places[k], self._places[k + 1]
        if self._rates is None:
            return a + s * (b - a), (b - a) / h
        v, w = self._rates[k] * h, self._rates[k + 1] * h
        # Hermite's cubic, and its derivative
        c, d = 3.0 * (b - a) - 2.0 * v - w, 2.0 * (a - b) + v + w
        return a + s * (v + s * (c + s * d)), (v + s * (2.0 * c + 3.0 * s * d)) / h


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
