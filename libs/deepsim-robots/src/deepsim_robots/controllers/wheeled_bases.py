# SPDX-License-Identifier: Apache-2.0
"""Bases on wheels that keep their direction, and on wheels that steer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .base_drive import BaseDrive, LinearBaseDrive, Servos, positive
from .controller import Controller, Drive, Floats


@dataclass(frozen=True, kw_only=True)
class DiffDrive(Controller):
    """Drives a base at a forward speed v [m/s] and a yaw rate w [rad/s].

    Left wheels turn at (v - w separation / 2) / radius, right wheels at
    (v + w separation / 2) / radius [rad/s]; positive rates drive forward, unless `reversed`.

    >>> robot = Robot.load(World(MujocoSimulator(), steps_per_tick=10), "diffbot")
    >>> robot.parts["base"].upper.tolist()  # v and w
    [0.6, 3.0]
    >>> robot.set_action([[0.0, 1.0]])  # normalized: to the left
    >>> robot.world.tick()
    >>> robot.joints.rows.target_velocity[0].round(2).tolist()
    [-9.38, 9.38]

    Attributes:
        left: Joints of the left wheels.
        right: Joints of the right wheels.
        reversed: Those of them whose positive rates drive backward, because their axes point to
            the right.
        separation: Distance between left and right wheels [m].
        radius: Radius of the wheels [m].
        lower: Lowest v [m/s] and w [rad/s].
        upper: Highest v [m/s] and w [rad/s].
        acceleration: Largest change of v and w per second [m/s², rad/s²]; None for no limit.
        damping: Damping of the wheel joints; by default the robot's gains.
    """

    left: Sequence[str] = ()
    right: Sequence[str] = ()
    reversed: Sequence[str] = ()
    separation: float = 0.0
    radius: float = 0.0
    lower: Sequence[float] = (-1.0, -2.0)
    upper: Sequence[float] = (1.0, 2.0)
    acceleration: ArrayLike | None = None
    damping: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> Drive:
        positive(separation=self.separation, radius=self.radius)
        if not (self.left and self.right):
            raise ValueError("a differential drive needs wheels on the left and on the right")
        names = [*self.left, *self.right]
        strange = sorted(set(self.reversed) - set(names))
        if strange:
            raise ValueError(f"reversed must be wheels of the drive, {names}, got {strange}")
        wheels = Servos(joints, names, self.damping)
        turn = self.separation / 2.0
        rows = [[1.0, -turn]] * len(self.left) + [[1.0, turn]] * len(self.right)
        signs = [-1.0 if name in self.reversed else 1.0 for name in names]
        matrix = [
            [sign * each / self.radius for each in row]
            for sign, row in zip(signs, rows, strict=True)
        ]
        return LinearBaseDrive(joints, self.lower, self.upper, self.acceleration, wheels, matrix)


@dataclass(frozen=True, kw_only=True)
class Mecanum(Controller):
    """Drives a base on mecanum wheels at a velocity: x, y [m/s] and yaw rate w [rad/s].

    Velocities are in the frame of the base. The wheels turn at
    (x -+ y -+ (length + width) / 2 w) / radius [rad/s]. Where the front left wheel touches the
    ground, its rollers must point along (1, -1) (Taheri et al., Kinematic Model of a Four Mecanum
    Wheeled Mobile Robot, 2015).

    >>> wheels = ["front_left", "front_right", "rear_left", "rear_right"]
    >>> base = Mecanum(
    ...     wheels=wheels, length=0.4, width=0.5, radius=0.1, lower=(-1, -1, -2), upper=(1, 1, 2)
    ... )
    >>> config = RobotConfig("rover.sdf", parts={"base": Part(wheels, base)})
    >>> config.parts["base"].controller.radius
    0.1

    Attributes:
        wheels: Joints of the wheels: front left, front right, rear left, rear right. Positive
            rates drive forward.
        length: Distance between front and rear axles [m].
        width: Distance between left and right wheels [m].
        radius: Radius of the wheels [m].
        lower: Lowest velocity (x, y, w) [m/s, rad/s].
        upper: Highest velocity (x, y, w) [m/s, rad/s].
        acceleration: Largest change of each component per second [m/s², rad/s²]; None for no limit.
        damping: Damping of the wheel joints; by default the robot's gains.
    """

    wheels: Sequence[str] = ()
    length: float = 0.0
    width: float = 0.0
    radius: float = 0.0
    lower: Sequence[float] = (-1.0, -1.0, -2.0)
    upper: Sequence[float] = (1.0, 1.0, 2.0)
    acceleration: ArrayLike | None = None
    damping: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> Drive:
        positive(length=self.length, width=self.width, radius=self.radius)
        if len(self.wheels) != 4:
            raise ValueError(f"a mecanum base has 4 wheels, got {list(self.wheels)}")
        arm = (self.length + self.width) / 2.0
        signs = [[1, -1, -arm], [1, 1, arm], [1, 1, -arm], [1, -1, arm]]
        matrix = [[each / self.radius for each in row] for row in signs]
        servos = Servos(joints, self.wheels, self.damping)
        return LinearBaseDrive(joints, self.lower, self.upper, self.acceleration, servos, matrix)


@dataclass(frozen=True, kw_only=True)
class OmniWheels(Controller):
    """Drives a base on omni wheels at a velocity: x, y [m/s] and yaw rate w [rad/s].

    Velocities are in the frame of the base. The wheels are on a circle. A wheel at angle a drives
    along the circle, anticlockwise for positive rates, and rolls freely across it: it turns at
    (-sin(a) x + cos(a) y + distance w) / radius [rad/s]. So the axes of the joints point to the
    centre. On MuJoCo, wheels only roll across the circle if their rollers are links of their own.

    >>> wheels = ["wheel_1", "wheel_2", "wheel_3"]
    >>> base = OmniWheels(
    ...     wheels=wheels, distance=0.2, radius=0.05, lower=(-1, -1, -3), upper=(1, 1, 3)
    ... )
    >>> config = RobotConfig("rover.sdf", parts={"base": Part(wheels, base)})
    >>> config.parts["base"].controller.distance
    0.2

    Attributes:
        wheels: Joints of n wheels, three or more.
        angles: Angle of each wheel from the x axis of the base [rad]; by default evenly spaced,
            starting at pi / n, so four wheels are at the corners of a square.
        distance: Distance from the centre of the base to each wheel [m].
        radius: Radius of the wheels [m].
        lower: Lowest velocity (x, y, w) [m/s, rad/s].
        upper: Highest velocity (x, y, w) [m/s, rad/s].
        acceleration: Largest change of each component per second [m/s², rad/s²]; None for no limit.
        damping: Damping of the wheel joints; by default the robot's gains.
    """

    wheels: Sequence[str] = ()
    angles: Sequence[float] | None = None
    distance: float = 0.0
    radius: float = 0.0
    lower: Sequence[float] = (-1.0, -1.0, -2.0)
    upper: Sequence[float] = (1.0, 1.0, 2.0)
    acceleration: ArrayLike | None = None
    damping: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> Drive:
        positive(distance=self.distance, radius=self.radius)
        count = len(self.wheels)
        if count < 3:
            raise ValueError(f"a base has three omni wheels or more, got {list(self.wheels)}")
        angles = self.angles
        if angles is None:
            angles = [math.pi * (2 * each + 1) / count for each in range(count)]
        if len(angles) != count:
            raise ValueError(f"there are {count} wheels, but {len(angles)} angles")
        matrix = [
            [-math.sin(a) / self.radius, math.cos(a) / self.radius, self.distance / self.radius]
            for a in angles
        ]
        if np.linalg.matrix_rank(matrix) < 3:
            raise ValueError(f"wheels at the angles {list(angles)} do not drive in all directions")
        servos = Servos(joints, self.wheels, self.damping)
        return LinearBaseDrive(joints, self.lower, self.upper, self.acceleration, servos, matrix)


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
