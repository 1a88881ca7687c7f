# SPDX-License-Identifier: Apache-2.0
"""The same scene in plain MJCF, stepped by ``mujoco.mj_step`` alone, and what a step really did.

Nothing here uses deepsim_mujoco. Forces and accelerations of a step follow from the states before
and after it, by MuJoCo's inverse dynamics.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LENGTH = 0.3
LINKS = ((1.5, (0.0, 0.0, 1.0)), (0.2, (0.0, 1.0, 0.0)), (0.6, (1.0, 0.0, 0.0)))
"""Mass [kg] and joint axis of each link of the arm, whose links differ by factors."""
BASE_MASS, BASE_INERTIA = 2.0, (0.02, 0.03, 0.015)
INERTIA = (0.003, 0.004, 0.006)
"""Principal moments of each link, times its mass [kg m^2]."""
CENTRE = (0.14, 0.02, -0.01)
MOUNT, TURN = (0.25, 0.02, 0.01), (0.3, -0.4, 0.5)
"""Place of the inertial unit on the last link: position, and roll, pitch, yaw."""


class Servo(NamedTuple):
    """Gains and targets of all axes."""

    stiffness: float
    damping: float
    limit: float = 1e9


class StepTaken(NamedTuple):
    """What a step did, evaluated at the state from which it started."""

    position: Floats
    velocity: Floats
    effort: Floats
    """What all actuators, or a damper beside them, must have exerted, (axes,)."""
    force: Floats
    torque: Floats
    """Of the parent on the last link, about its joint, in the link's axes."""
    velocity_change: Floats
    """Of the inertial unit, in the world frame (3,)."""
    turn: Floats
    """Rotation matrix of the inertial unit after the step."""


def arm_mjcf(servo: Servo, dt: float, *, floating: bool, gravity: float = -9.8) -> str:
    """Returns an arm of three links on a base, each with an affine actuator."""
    inner = f'<site name="imu" pos="{_text(MOUNT)}" euler="{_text(TURN)}"/><site name="joint"/>'
    for number, (mass, axis) in reversed([*enumerate(LINKS)]):
        place = (0, 0, 0.1) if number == 0 else (LENGTH, 0, 0)
        inner = (
            f'<body pos="{_text(place)}"><joint name="j{number}" axis="{_text(axis)}"/>'
            f'<inertial mass="{mass}" pos="{_text(CENTRE)}" '
            f'diaginertia="{_text(mass * each for each in INERTIA)}"/>{inner}</body>'
        )
    limit = f'forcelimited="true" forcerange="{-servo.limit} {servo.limit}"'
    actuators = "".join(
        f'<general joint="j{number}" gainprm="1" biastype="affine" '
        f'biasprm="0 {-servo.stiffness} {-servo.damping}" {limit}/>'
        for number in range(len(LINKS))
    )
    return f"""<mujoco><compiler angle="radian" eulerseq="XYZ"/>
    <option timestep="{dt}" integrator="implicitfast" gravity="0 0 {gravity}" tolerance="1e-10"/>
    <worldbody><body pos="0 0 1">{"<freejoint/>" if floating else ""}
    <inertial mass="{BASE_MASS}" pos="0 0 0" diaginertia="{_text(BASE_INERTIA)}"/>{inner}</body>
    </worldbody><actuator>{actuators}</actuator>
    <sensor><force site="joint"/><torque site="joint"/></sensor></mujoco>"""


class Arm:
    """The arm in plain MuJoCo."""

    def __init__(self, servo: Servo, dt: float, **options: float | bool) -> None:
        self.servo, self.dt = servo, dt
        text = arm_mjcf(servo, dt, **options)  # type: ignore[arg-type]
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data, self.other = mujoco.MjData(self.model), mujoco.MjData(self.model)
        self.axes = slice(self.model.nv - len(LINKS), self.model.nv)

    def step(self, position: Floats, velocity: Floats, feedforward: Floats) -> None:
        """Takes a step towards targets, (axes,) each."""
        stiffness, damping, _ = self.servo
        self.data.ctrl[:] = stiffness * position + damping * velocity + feedforward
        mujoco.mj_step(self.model, self.data)

    def taken(self, before: tuple[Floats, Floats], after: tuple[Floats, Floats]) -> StepTaken:
        """Returns what a step from one state (q, v) to another one did."""
        model, data = self.model, self.other
        (data.qpos[:], data.qvel[:]), rate = before, (after[1] - before[1]) / self.dt
        data.ctrl[:] = 0.0
        mujoco.mj_forward(model, data)
        start = self._imu_velocity(data)
        data.qacc[:] = rate
        mujoco.mj_inverse(model, data)
        effort = data.qfrc_inverse[self.axes].copy()
        data.qacc[:] = rate
        data.flg_rnepost = 0
        mujoco.mj_sensorAcc(model, data)
        force, torque = data.sensordata[:3].copy(), data.sensordata[3:].copy()
        data.qpos[:], data.qvel[:] = after
        mujoco.mj_forward(model, data)
        change = self._imu_velocity(data) - start
        turn = data.site("imu").xmat.reshape(3, 3).copy()
        return StepTaken(after[0][-3:], after[1][self.axes], effort, force, torque, change, turn)

    def _imu_velocity(self, data: mujoco.MjData) -> Floats:
        found = np.zeros(6)
        site, kind = data.site("imu").id, mujoco.mjtObj.mjOBJ_SITE
        mujoco.mj_objectVelocity(self.model, data, kind, site, found, 0)
        return found[3:]


def _text(numbers: object) -> str:
    return " ".join(map(repr, map(float, numbers)))  # type: ignore[call-overload]
