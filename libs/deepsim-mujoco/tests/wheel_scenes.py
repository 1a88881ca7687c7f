# SPDX-License-Identifier: Apache-2.0
"""Robots on wheels, and how fast rigid wheels with Coulomb friction would turn them.

The theory is quasi-static: at a constant rate, forces and moments on the robot balance. Each wheel
presses evenly on a line as long as the wheel is wide, whose points slip relative to the ground. A
servo of damping kv lags by F R / kv where the traction F acts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from contact_scenes import Scene, model_of
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_spawn import (
    MjcfModel,
    ModelDescription,
    MujocoOptions,
    Physics,
    WorldDescription,
)
from deepsim_sync import World

RADIUS, WHEEL = 0.08, 0.5  # [m], [kg]
G = 9.81
DIFFERENTIAL = ((0.0, 0.2), (0.0, -0.2))
SKID = ((0.2, 0.25), (0.2, -0.25), (-0.2, 0.25), (-0.2, -0.25))
"""Centres of the wheels [m]; left and right alternate."""
WHEELBASE, TRACK = 0.4, 0.3  # of the car [m]

Floats = NDArray[np.float64]


def _inertial(mass: float, x: float, y: float, z: float, at: float = 0.0) -> str:
    return (
        f"<inertial><pose>{at} 0 0 0 0 0</pose><mass>{mass}</mass><inertia><ixx>{x}</ixx>"
        f"<iyy>{y}</iyy><izz>{z}</izz></inertia></inertial>"
    )


def _wheel(
    name: str,
    x: float,
    y: float,
    width: float,
    turn: float = 0.0,
    mu: float = 1.0,
    radius: float = RADIUS,
    mass: float = WHEEL,
) -> str:
    spin = mass * radius**2 / 2
    return f"""<link name="{name}"><pose>{x} {y} 0 0 0 {turn}</pose>
    {_inertial(mass, spin / 2 + 1e-4, spin, spin / 2 + 1e-4)}
    <collision name="c"><pose>0 0 0 1.5707963267948966 0 0</pose><geometry><cylinder>
    <radius>{radius}</radius><length>{width}</length></cylinder></geometry><surface><friction><ode>
    <mu>{mu}</mu><mu2>{mu}</mu2></ode></friction></surface></collision></link>
    <joint name="{name} axle" type="revolute"><parent>base</parent><child>{name}</child>
    <axis><xyz>0 1 0</xyz></axis></joint>"""


def robot(
    places: Sequence[tuple[float, float]],
    width: float = 0.05,
    load: float = 8.0,
    mu: float = 1.0,
    radius: float = RADIUS,
    mass: float = WHEEL,
) -> ModelDescription:
    """Returns a robot on two wheels and a frictionless caster, or on four wheels."""
    wheels = "".join(
        _wheel(f"w{i}", *at, width, mu=mu, radius=radius, mass=mass) for i, at in enumerate(places)
    )
    caster, behind = "", 0.0
    if len(places) == 2:
        behind = -0.05
        caster = """<collision name="caster"><pose>-0.2 0 -0.05 0 0 0</pose><geometry><sphere>
        <radius>0.03</radius></sphere></geometry><surface><friction><ode><mu>0</mu><mu2>0</mu2>
        </ode></friction></surface></collision>"""
    body = _inertial(load, load * 0.009, load * 0.021, load * 0.029, behind)
    return model_of(f'<link name="base">{body}{caster}</link>{wheels}')


def car(turning: float = 1.0, width: float = 0.05) -> ModelDescription:
    """Returns a car whose front wheels are turned for a circle of the rear axle's middle [m]."""
    left = math.atan2(WHEELBASE, turning - TRACK / 2)
    right = math.atan2(WHEELBASE, turning + TRACK / 2)
    wheels = (
        _wheel("w0", 0.0, TRACK / 2, width)
        + _wheel("w1", 0.0, -TRACK / 2, width)
        + _wheel("w2", WHEELBASE, TRACK / 2, width, left)
        + _wheel("w3", WHEELBASE, -TRACK / 2, width, right)
    )
    body = _inertial(8.0, 0.072, 0.168, 0.232, 0.2)
    return model_of(f'<link name="base">{body}</link>{wheels}')


GROUND = """<static>true</static><link name="l"><collision name="c"><geometry><plane/></geometry>
<surface><friction><ode><mu>{0}</mu><mu2>{0}</mu2></ode></friction></surface></collision></link>"""


class Drive:
    """A robot that stands on the ground, with servos of some damping on its first wheels.

    Args:
        model: The robot.
        damping: Of each driven wheel [N m s/rad].
        driven: Number of driven wheels.
        step: Duration of a physics step [s].
        slope: Angle of the ground about the y axis [rad].
        mu: Friction coefficient of the ground.
        effort: Limit of each driven wheel [N m].
        options: Of the engine.
        height: Of the axles [m].
    """

    def __init__(
        self,
        model: ModelDescription | MjcfModel,
        damping: float,
        driven: int,
        step: float = 0.001,
        slope: float = 0.0,
        mu: float = 1.0,
        effort: float = math.inf,
        options: MujocoOptions | None = None,
        height: float = RADIUS,
    ) -> None:
        gravity = (-G * math.sin(slope), 0.0, -G * math.cos(slope))
        physics = Physics(step, mujoco=options or MujocoOptions())
        described = WorldDescription(gravity=gravity, physics=physics)
        self.world = World(Scene.make(described, worlds=1))
        self.world.spawn(model_of(GROUND.format(mu)), "ground", Pose())
        self.world.spawn(model, "robot", Pose((0.0, 0.0, height)))
        self.step = step
        self.body = self.world.models.select(["robot"])
        self.wheels = self.world.joints.select([f"robot::w{i} axle" for i in range(driven)])
        self.wheels.put(damping=damping, effort_limit=effort)
        self.run(0.2)

    def run(self, seconds: float, speeds: Sequence[float] | None = None) -> Floats:
        """Advances; returns the twist of the robot after each step, (n, 6)."""
        if speeds is not None:
            self.wheels.target_velocity = [speeds]
        seen = []
        for _ in range(round(seconds / self.step)):
            self.world.tick()
            seen.append(self.body.twist[0, 0])
        return np.array(seen)

    @property
    def place(self) -> Floats:
        """Position of the robot, (3,) [m]."""
        return np.array(self.body.pose[0, 0, :3])


def turning(
    places: Sequence[tuple[float, float]],
    damping: float,
    load: float,
    step: float,
    width: float = 0.05,
    **settings: object,
) -> float:
    """Returns the mean yaw rate of a robot that turns on the spot, its wheels at +-2 rad/s."""
    drive = Drive(robot(places, width, load), damping, len(places), step, **settings)
    speeds = [-2.0, 2.0] * (len(places) // 2)
    drive.run(0.8, speeds)
    return float(drive.run(1.0)[:, 5].mean())


def circling(step: float, width: float = 0.05, **settings: object) -> float:
    """Returns the yaw rate of a car at 0.5 m/s on a circle of 1 m, over that without slip."""
    drive = Drive(car(1.0, width), 50.0, 2, step, **settings)
    speeds = [0.5 / RADIUS * (1 - TRACK / 2), 0.5 / RADIUS * (1 + TRACK / 2)]
    drive.run(1.0, speeds)
    return float(drive.run(2.0)[:, 5].mean() / 0.5)


def braked(step: float, **settings: object) -> float:
    """Returns how far tyres creep on 15 degrees in 3 s, beside what their brakes yield [m]."""
    drive = Drive(robot(SKID), 1e5, 4, step, slope=math.radians(15.0), **settings)
    drive.run(0.3)
    start, angle = drive.place, drive.wheels.position[0]
    drive.run(3.0)
    yielded = RADIUS * (drive.wheels.position[0] - angle).mean()
    return float(abs(drive.place[0] - start[0] - yielded))


def quasi_static(
    places: Sequence[tuple[float, float]],
    damping: float,
    load: float,
    width: float = 0.05,
    radius: float = RADIUS,
    mass: float = WHEEL,
) -> float:
    """Returns the yaw rate by theory [rad/s], with friction of 1 and wheels at +-2 rad/s."""
    count = len(places)
    on_wheels = load * (0.75 if count == 2 else 1.0)  # a caster carries the rest
    pressed = (on_wheels / count + mass) * G
    inner, outer = 0.0, 2.0 * radius
    for _ in range(60):  # speed of the rims, so that the servo's lag fits the traction
        rim = (inner + outer) / 2
        traction = _yaw(places, rim, width)[1] * pressed
        slower = rim > radius * (2.0 - traction * radius / damping)
        inner, outer = (inner, rim) if slower else (rim, outer)
    return _yaw(places, rim, width)[0]


def _yaw(places: Sequence[tuple[float, float]], rim: float, width: float) -> tuple[float, float]:
    """Returns the yaw rate without a net moment, and the traction of a wheel over its weight."""
    n = 200
    along = (np.arange(n) + 0.5) / n * width - width / 2

    def slip(rate: float, x: float, y: float, side: float) -> tuple[Floats, Floats, Floats]:
        arm = y + along
        vx, vy = -rate * arm - side * rim, np.full(n, rate * x)
        speed = np.sqrt(vx**2 + vy**2 + 1e-14)
        return arm, -vx / speed, -vy / speed

    def moment(rate: float) -> float:
        total = 0.0
        for (x, y), side in zip(places, [-1.0, 1.0] * (len(places) // 2), strict=True):
            arm, fx, fy = slip(rate, x, y, side)
            total += float((x * fy - arm * fx).mean())
        return total

    low, high = 0.0, 10.0
    for _ in range(60):
        rate = (low + high) / 2
        low, high = (rate, high) if moment(rate) > 0.0 else (low, rate)
    (x, y), side = places[1], 1.0
    _, fx, _ = slip(rate, x, y, side)
    return rate, abs(float(fx.mean()))
