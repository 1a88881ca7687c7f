# SPDX-License-Identifier: Apache-2.0
"""Applies the controls of a model's own file: those of its actuators, in their units."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup, matching
from deepsim_sync import SCOPE, ActuatorRows, Control, JointRows, WorldNumbers

from .controller import Controller, Drive, Floats, hold


@dataclass(frozen=True, kw_only=True)
class ModelControls(Controller):
    """Applies the controls of an MJCF model, with an action for each actuator of its file.

    Actions have the units of the file, unless they are normalized: positions [rad or m],
    velocities, efforts [N m or N], the thrust of a rotor [N], the excitation of a muscle 0..1, or
    any numbers that a gripper maps to its opening.

    >>> drone = '''<mujoco><worldbody><body name="drone"><freejoint/><geom size=".1"/>
    ...     <site name="rotor"/></body></worldbody><actuator><motor name="thrust" site="rotor"
    ...     gear="0 0 1" ctrlrange="0 9"/></actuator></mujoco>'''
    >>> config = RobotConfig(drone, parts={"rotors": Part([], ModelControls())})
    >>> robot = Robot(World(MujocoSimulator()), config, "drone")
    >>> robot.parts["rotors"].controls, robot.upper.tolist()
    (('thrust',), [9.0])

    Attributes:
        controls: Names of controls, or patterns; by default those of the part's joints and all that
            do not act on joints alone.
        lower, upper: Lowest and highest control, one for all or one for each; by default those of
            the file, or those that follow from the limits of the joint.
    """

    normalized: bool = False
    controls: Sequence[str] | None = None
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> ControlsDrive:
        """Returns the drive of some controls; see `Controller.drive`.

        Raises:
            UnknownEntityError: The model has no such control, or its joint is not in the part.
            ValueError: The model's file has no controls.
        """
        model = joints.model
        known = joints.world.simulator.descriptions.controls.get(model, ())
        if not known:
            raise ValueError(f"the file of model {model!r} has no actuators to control")
        own = self.chosen(known, model, joints.part, joints.names)
        lower, upper = np.array([_limits(each, joints) for each in own]).reshape(-1, 2).T
        lower = lower if self.lower is None else np.broadcast_to(self.lower, lower.shape)
        upper = upper if self.upper is None else np.broadcast_to(self.upper, upper.shape)
        return ControlsDrive(joints, (lower, upper), own)

    def chosen(
        self, controls: Iterable[Control], model: str, part: str, joints: Collection[str]
    ) -> list[Control]:
        """Returns those controls of a model that a part with some joints has.

        Raises:
            UnknownEntityError: The model has no such control, or its joint is not in the part.
        """
        scoped = {model + SCOPE + joint for joint in joints}
        own = [each for each in controls if each.kind != "joints" or each.row in scoped]
        if self.controls is None:
            return own
        names = [each.name for each in own]
        kind = f"control of part {part!r} of {model!r}"
        return [own[index] for index in matching(kind, self.controls, names)]


class _Commands(NamedTuple):
    """The controls that go to one column of some rows."""

    numbers: Sequence[int]
    """Numbers of the controls."""
    rows: JointRows | ActuatorRows
    scale: Floats
    offset: Floats


class ControlsDrive(Drive):
    """A drive with controls of the model's file as actions.

    >>> wheel = '''<mujoco><worldbody><body name="wheel"><joint name="spin"/>
    ...     <geom size=".1"/></body></worldbody><actuator>
    ...     <velocity name="speed" joint="spin" kv="2" ctrlrange="-9 9"/>
    ...     </actuator></mujoco>'''
    >>> config = RobotConfig(wheel, parts={"wheel": Part([".*"], ModelControls())})
    >>> robot = Robot(World(MujocoSimulator(), steps_per_tick=2000), config, "wheel")
    >>> robot.set_action([3.0])  # [rad/s]
    >>> robot.world.tick()
    >>> robot.joints.rows.velocity.round(3).tolist()
    [[3.0]]

    Args:
        joints: The joints of the part.
        limits: Lowest and highest controls, (n,) each.
        controls: The n controls.
    """

    def __init__(
        self, joints: JointGroup, limits: tuple[Floats, Floats], controls: Sequence[Control]
    ) -> None:
        super().__init__(joints, *limits)
        self.controls = tuple(each.name for each in controls)
        self._commands: dict[str, _Commands] = {}
        for column in dict.fromkeys(each.column for each in controls):
            numbers = [i for i, each in enumerate(controls) if each.column == column]
            world, own = joints.world, [controls[i] for i in numbers]
            table = world.actuators if column == "target" else world.joints
            self._commands[column] = _Commands(
                numbers,
                table.select([each.row for each in own]),
                np.array([each.scale for each in own]),
                np.array([each.offset for each in own]),
            )
        pushing = self._commands.get("feedforward")
        pushed = () if pushing is None else pushing.rows.names
        self._pushed = [joints.scoped.index(name) for name in pushed]
        actuators = self._commands.get("target")
        self._held = None if actuators is None else actuators.rows.get("target")

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Passes the controls to the joints and actuators."""
        for column, (numbers, rows, scale, offset) in self._commands.items():
            values = action[:, numbers] * scale + offset
            if column == "feedforward":
                efforts = np.zeros((len(values), len(self.joints)))
                efforts[:, self._pushed] = values
                self.joints.push(worlds, efforts)
            else:
                rows.put(worlds, **{column: values})

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints at home, and gives actuators their initial controls."""
        traits = self.joints.traits
        hold(self.joints, traits.stiffness, traits.damping, worlds)
        if self._held is not None:
            self._commands["target"].rows.put(worlds, target=self._held[worlds])


def _limits(control: Control, joints: JointGroup) -> tuple[float, float]:
    """Returns the limits of a control, which may follow from those of its joint."""
    lower, upper = control.lower, control.upper
    if control.kind == "joints":
        joint, traits = joints.scoped.index(control.row), joints.traits
        limits = {
            "target_position": (traits.lower[joint], traits.upper[joint]),
            "target_velocity": (-traits.velocity_limit[joint], traits.velocity_limit[joint]),
            "feedforward": (-traits.effort_limit[joint], traits.effort_limit[joint]),
        }[control.column]
        ends = sorted((limit - control.offset) / control.scale for limit in limits)
        lower, upper = (
            end if np.isinf(own) else own for own, end in zip((lower, upper), ends, strict=True)
        )
    return float(lower), float(upper)
