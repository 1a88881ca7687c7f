# SPDX-License-Identifier: Apache-2.0
"""Ackermann steering: all wheels roll around a centre on the line of the rear axle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats
from .wheels import BaseDrive, Servos, positive


@dataclass(frozen=True, kw_only=True)
class Ackermann(Controller):
    """Drives a car at a speed [m/s] and with a steering angle [rad].

    The speed is that of the midpoint of the rear axle. The steering angle d belongs to an imaginary
    wheel in the middle of the front axle, so the path has the curvature k = tan(d) / wheelbase. The
    left and right front wheels turn to atan(wheelbase k / (1 -+ k track / 2)); the speed of each
    driven wheel is proportional to its distance from the centre of the turn.

    >>> robot = Robot.load(World(MujocoSimulator(), steps_per_tick=10), "car")
    >>> robot.set_action([[1.0, 0.5]])  # normalized: fast, to the left
    >>> robot.world.tick()
    >>> left, _, right, *_ = robot.joints.rows.target_position[0].round(3).tolist()
    >>> left, right  # the inner wheel turns further
    (0.228, 0.195)

    Attributes:
        steering: Left and right steering joints; positive positions steer to the left.
        rear: Joints of the left and right rear wheel if they are driven, else empty.
        front: Joints of the left and right front wheel if they are driven, else empty.
        wheelbase: Distance between the axles [m].
        track: Distance between left and right wheels [m].
        radius: Radius of the wheels [m].
        speed: Lowest and highest speed [m/s].
        angle: Largest steering angle to either side, below pi / 2 [rad].
        acceleration: Largest rates of change of speed [m/s²] and angle [rad/s]; None for no limit.
        stiffness: Stiffness of the steering joints; by default the robot's gains.
        steering_damping: Damping of the steering joints; by default the robot's gains.
        damping: Damping of the wheel joints; by default the robot's gains.
    """

    steering: Sequence[str] = ()
    rear: Sequence[str] = ()
    front: Sequence[str] = ()
    wheelbase: float = 0.0
    track: float = 0.0
    radius: float = 0.0
    speed: Sequence[float] = (-1.0, 1.0)
    angle: float = 0.5
    acceleration: ArrayLike | None = None
    stiffness: ArrayLike | None = None
    steering_damping: ArrayLike | None = None
    damping: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> Drive:
        positive(wheelbase=self.wheelbase, track=self.track, radius=self.radius)
        pairs = {"steering": self.steering, "rear": self.rear, "front": self.front}
        for name, pair in pairs.items():
            if len(pair) not in ((2,) if name == "steering" else (0, 2)):
                raise ValueError(f"{name} has joints on the left and right, got {list(pair)}")
        if not (self.rear or self.front):
            raise ValueError("a car drives its rear wheels, its front wheels or both")
        if not 0.0 < self.angle < np.pi / 2.0:
            raise ValueError(f"angle must be in 0..pi/2, got {self.angle}")
        if np.tan(self.angle) * self.track / 2.0 >= self.wheelbase:
            raise ValueError(f"an angle of {self.angle} turns about a point between the wheels")
        return _CarDrive(joints, self)


class _CarDrive(BaseDrive):
    def __init__(self, joints: JointGroup, car: Ackermann) -> None:
        self._car = car
        self._steering = Servos(
            joints, car.steering, car.steering_damping, car.stiffness, held=True
        )
        self._rear = Servos(joints, car.rear, car.damping) if car.rear else None
        self._front = Servos(joints, car.front, car.damping) if car.front else None
        servos = [each for each in (self._steering, self._rear, self._front) if each is not None]
        super().__init__(
            joints,
            [car.speed[0], -car.angle],
            [car.speed[1], car.angle],
            car.acceleration,
            servos,
        )

    def send(self, velocity: Floats, worlds: WorldNumbers) -> None:
        """Sets the steering angles and wheel speeds for speeds and angles (w, 2)."""
        car = self._car
        speed, angle = velocity[:, :1], velocity[:, 1:]
        lead = np.sin(angle) / np.cos(angle)  # wheelbase times curvature, equal for all wheels
        side = 1.0 + lead / car.wheelbase * np.array([-0.5, 0.5]) * car.track  # (w, 2)
        self._steering.joints.put(worlds, target_position=np.arctan2(lead, side))
        rate = speed / car.radius
        if self._rear is not None:
            self._rear.joints.put(worlds, target_velocity=rate * side)
        if self._front is not None:
            far = np.sqrt(side * side + lead * lead)
            self._front.joints.put(worlds, target_velocity=rate * far)
