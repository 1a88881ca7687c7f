# SPDX-License-Identifier: Apache-2.0
"""Opens and closes a gripper by an actuator of its model's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import SCOPE, WorldNumbers

from .controller import Controller, Drive, Floats
from .model_controls import ControlsDrive, ModelControls


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
