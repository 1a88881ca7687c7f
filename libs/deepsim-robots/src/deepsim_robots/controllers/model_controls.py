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


@dataclass(frozen=True, kw_only=True)
class Gripper(Controller):
    """Opens a gripper: action 0 closes it, and action 1 opens it; or the action is a width [m].

    >>> hand = Gripper(control="actuator8", fingers=("left_finger", "right_finger"))
    >>> parts = {"hand": Part(["finger_joint.*"], hand)}  # of menagerie/franka_emika_panda

    Attributes:
        control: Name of the control, or a pattern that one control matches.
        closed: The control that closes it, in the units of the file; by default the lowest.
        opened: The control that opens it; by default the highest.
        widths: Width of the closed gripper and of the open one [m], between which the width is
            linear in the control, or more widths at equal distances of the control, as a linkage
            needs. Actions are then widths [m].
        fingers: Two links; the distance of their frames, less `gap`, is the width.
        gap: Distance of the frames when the gripper is closed [m].
    """

    normalized: bool = False
    control: str = ".*"
    closed: float | None = None
    opened: float | None = None
    widths: Sequence[float] | None = None
    fingers: tuple[str, str] | None = None
    gap: float = 0.0

    def drive(self, joints: JointGroup) -> GripperDrive:
        """Returns the drive of the gripper; see `Controller.drive`.

        Raises:
            UnknownEntityError: The model has no such control or link.
            ValueError: Several controls match, or the control has no limits and none are given, or
                the widths do not grow from the closed gripper to the open one.
        """
        control = ModelControls(controls=[self.control]).drive(joints)
        if len(control.controls) != 1:
            raise ValueError(
                f"control of part {joints.part!r} must be one of {list(control.controls)}, "
                f"got {self.control!r}"
            )
        ends = (
            float(control.lower[0]) if self.closed is None else self.closed,
            float(control.upper[0]) if self.opened is None else self.opened,
        )
        if not np.isfinite(ends).all():
            raise ValueError(
                f"control {control.controls[0]!r} of part {joints.part!r} has no limits: "
                "give closed and opened"
            )
        widths = np.array([0.0, 1.0] if self.widths is None else self.widths, dtype=np.float64)
        if widths.ndim != 1 or len(widths) < 2 or not (np.diff(widths) > 0.0).all():
            raise ValueError(
                f"widths of part {joints.part!r} must be two numbers or more that grow from the "
                f"closed gripper to the open one, got {self.widths!r}"
            )
        return GripperDrive(joints, control, ends, widths, self.fingers, self.gap)


class GripperDrive(Drive):
    """A drive that opens a gripper.

    >>> jaws = '''<mujoco><worldbody><body name="right" pos="-.1 0 0"><geom size=".02"/></body>
    ...     <body name="left"><joint name="j" type="slide" axis="1 0 0"/><geom size=".02"/></body>
    ...     </worldbody><actuator><position name="open" joint="j" kp="100" kv="9"
    ...     ctrlrange="0 .04"/></actuator></mujoco>'''
    >>> hand = Gripper(control="open", fingers=("left", "right"), gap=0.1)
    >>> config = RobotConfig(jaws, parts={"hand": Part(["j"], hand)})
    >>> robot = Robot(World(MujocoSimulator(), steps_per_tick=2000), config, "jaws")
    >>> robot.set_action([0.5])
    >>> robot.world.tick()
    >>> robot.parts["hand"].width.round(3).tolist()  # [m]
    [0.02]
    """

    def __init__(
        self,
        joints: JointGroup,
        control: ControlsDrive,
        ends: tuple[float, float],
        openings: Floats,
        fingers: tuple[str, str] | None,
        gap: float,
    ) -> None:
        super().__init__(joints, openings[:1], openings[-1:])
        self._control, self._gap = control, gap
        self._openings, self._values = openings, np.linspace(*ends, len(openings))
        self.controls = control.controls
        for finger in fingers or ():
            joints.link(finger)  # raises an error for an unknown one
        self._fingers = None
        if fingers is not None:
            names = [joints.model + SCOPE + finger for finger in fingers]
            self._fingers = joints.world.links.select(names)

    @property
    def width(self) -> Floats:
        """Distance between the fingers, (W,) [m]; raises ValueError if they are not named."""
        if self._fingers is None:
            raise ValueError(f"part {self.joints.part!r}: name the fingers of the gripper")
        place = self._fingers.pose[..., :3]
        distance: Floats = np.linalg.norm(place[:, 1] - place[:, 0], axis=-1) - self._gap
        return distance

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Opens the gripper in some worlds, (w, 1): 0 is closed, 1 open; or widths [m]."""
        self._control.act(np.interp(action, self._openings, self._values), worlds)

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the gripper at home."""
        self._control.reset(worlds)
