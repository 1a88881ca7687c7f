# SPDX-License-Identifier: Apache-2.0
"""The dialects: sets of physical constants of robot, ball and simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .skills.motion import Floats


@dataclass(frozen=True)
class Grip:
    """A dribbler that pulls the ball to its place by a limited force, so that obstacles stop it.

    Attributes:
        force: Largest force of the dribbler [N].

    Example:
        >>> grip = Grip(force=20.0)
        >>> grip.pull(np.array([1.0, 0.0]), np.zeros(2), mass=0.4, period=0.025)
        array([1.25, 0.  ])
    """

    force: float = 30.0

    def pull(self, offset: Floats, velocity: Floats, mass: float, period: float) -> Floats:
        """Returns the change of the ball's velocity in a period, (..., 2) [m/s].

        It takes the ball to its place within the period if the force suffices.

        Args:
            offset: Vector from the ball to its place at the robot, (..., 2) [m].
            velocity: Velocity of that place relative to the ball, (..., 2) [m/s].
            mass: Mass of the ball [kg].
            period: Duration of a tick [s].
        """
        wanted = offset / period + velocity
        size = np.sqrt((wanted * wanted).sum(axis=-1))
        share = np.minimum(self.force * period / mass / np.maximum(size, 1e-300), 1.0)
        return np.asarray(share[..., None] * wanted)


@dataclass(frozen=True)
class Dialect:
    """The constants of one simulation of the league.

    `PAPER` has those in Tables I and II of Yao et al., 2015 (see `deepsim_soccer.skills`).

    Attributes:
        name: Name of the dialect.
        robot_mass: Mass of a robot [kg].
        robot_radius: Radius of the collision cylinder [m].
        robot_height: Height of the collision cylinder [m].
        robot_inertia: Moments of inertia about x, y and z [kg m²].
        robot_friction: Friction coefficient of the robot's surface.
        wheel_arm: Distance from the robot's centre to each of its four wheels [m].
        wheel_speed: Largest rim speed of a wheel [m/s].
        wheel_acceleration: Largest acceleration of a wheel [m/s²].
        wheel_braking: Largest deceleration of a wheel [m/s²].
        ball_mass: Mass of the ball [kg].
        ball_radius: Radius of the ball [m].
        ball_inertia: Moment of inertia of the ball about each axis [kg m²].
        ball_decay: Coefficient mu of the rolling decay: a ball on the ground decelerates by mu g.
        field_length: Distance between the goal lines [m].
        field_width: Distance between the touch lines [m].
        gravity: Gravity, downwards [m/s²].
        step: Physics step [s].
        update_rate: Physics steps in a second of real time, of an engine that runs freely [1/s].
        hold_distance: Largest distance from a robot's origin at which it can dribble a ball [m].
        hold_in_3d: Whether this is the distance of the ball's centre; otherwise, that along the
            ground.
        hold_angle: Full angle of the cone ahead in which a robot can dribble a ball [rad].
        hold_gap: Distance of a dribbled ball from the robot's centre [m].
        hold_height: Height of the centre of a dribbled ball [m]; unused with a grip.
        grip: Dribbler that holds the ball by a limited force; without one, the ball's pose is set,
            as in Yao et al., and a held ball passes through whatever is in its way.
        pass_limit: Largest speed of a ground pass [m/s].
        pass_factor: Speed of a ground pass per unit of strength [m/s].
        lob_height: Rise of the ball at the goal line, h of equation (5) [m].
        lob_limit: Largest horizontal speed of a lob through a point below the bar [m/s].
        lob_speed: Largest speed of a lob that clears the bar [m/s].
        lob_factors: Horizontal and vertical speed of a lob per unit of strength [m/s]; None if its
            speed follows from the way to the goal line.
        lob_modes: Codes of a ground pass and a lob in ``Shoot.ShootPos``.

    Example:
        >>> fast = replace(LEGAL, name="fast", wheel_speed=8.0)
        >>> fast.wheel_speed, fast.robot_mass
        (8.0, 31.0)
    """

    name: str
    robot_mass: float
    robot_radius: float
    robot_height: float
    robot_inertia: tuple[float, float, float]
    robot_friction: float
    wheel_arm: float
    wheel_speed: float
    wheel_acceleration: float
    wheel_braking: float
    ball_mass: float
    ball_radius: float
    ball_inertia: float
    ball_decay: float
    field_length: float
    field_width: float
    gravity: float
    step: float
    update_rate: float
    hold_distance: float
    hold_angle: float
    hold_gap: float
    hold_height: float
    pass_limit: float
    pass_factor: float
    lob_height: float
    lob_limit: float
    lob_speed: float
    lob_modes: tuple[int, int]
    hold_in_3d: bool = False
    lob_factors: tuple[float, float] | None = None
    grip: Grip | None = None

    @property
    def hold_reach(self) -> float:
        """Largest distance along the ground at which a robot can dribble a ball that lies [m]."""
        height = self.ball_radius if self.hold_in_3d else 0.0
        return math.sqrt(self.hold_distance**2 - height**2)


PAPER = Dialect(
    name="paper",
    robot_mass=31.0,  # Table I
    robot_radius=0.25,  # N1's cylinder; the published mesh, 0.33 m, breaks the rules
    robot_height=0.79,
    # Table I gives Izz only, and Ixx = Iyy = 0 is not a rigid body. A real robot stands on its
    # wheels; such large moments let bumps turn it about z only.
    robot_inertia=(1000.0, 1000.0, 2.86),
    robot_friction=0.1,  # Table I
    wheel_arm=0.203,  # nubot_hwcontroller of simatch
    wheel_speed=math.inf,  # SetLinearVel: the robot has the commanded velocity at once
    wheel_acceleration=math.inf,
    wheel_braking=math.inf,
    ball_mass=0.41,  # single_nubot_gazebo, model.sdf of the ball; FIFA size 5
    ball_radius=0.11,  # ditto
    ball_inertia=3.2e-3,  # ditto: 2/3 m r², a thin shell
    ball_decay=0.3,  # single_nubot_gazebo, ball decay
    field_length=18.0,  # parameter /field/length
    field_width=12.0,  # parameter /field/width
    gravity=9.8,  # Table II
    step=0.007,  # Table II
    update_rate=150.0,  # single_nubot_gazebo, football.world
    hold_distance=0.5,  # parameter /general/dribble_distance_thres
    hold_angle=math.radians(30.0),  # /general/dribble_angle_thres, half of it to each side
    hold_gap=0.43,  # single_nubot_gazebo
    hold_height=0.11,  # the ball rests on the ground
    pass_limit=20.0,  # single_nubot_gazebo, kick_ball_vel
    pass_factor=1.0,
    lob_height=0.76,  # single_nubot_gazebo; H - 2 r = 0.78 of equation (5), less a margin
    lob_limit=20.0,  # single_nubot_gazebo, kick_ball_vel
    lob_speed=20.0,
    lob_modes=(-1, 1),  # README of single_nubot_gazebo
)
"""The simulation of Yao et al. (`single_nubot_gazebo`): robots reach commanded speeds at once."""

GAZEBO_VISUAL = replace(
    PAPER,
    name="gazebo_visual",
    robot_inertia=(100.0, 100.0, 2.86),  # model.sdf of gazebo_visual
    step=0.015,  # gazebo_visual.world
    update_rate=67.0,
    ball_decay=0.5,  # parameter /general/ball_decay_coef
    pass_limit=34.5,  # strength of at most 15, times 2.3
    pass_factor=2.3,
    lob_height=0.80,
    lob_limit=math.inf,  # gazebo_visual has no limit
    lob_modes=(1, -1),  # RUN and FLY of core.hpp
)
"""The later simulation of many robots (`gazebo_visual`): like `PAPER`, but with other kicks."""

SIMATCH = replace(
    PAPER,
    name="simatch",
    robot_mass=39.0,  # model.sdf of simatch
    robot_inertia=(1000.0, 1000.0, 1.625),  # Ixx = 0.65 < Izz / 2 is not a rigid body; see above
    wheel_speed=5.0,  # nubot_hwcontroller
    wheel_acceleration=2.5,
    wheel_braking=5.0,
    ball_decay=0.5,  # parameter /general/ball_decay_coef
    field_length=22.0,  # simatch.world
    field_width=14.0,
    gravity=9.81,
    step=0.005,
    update_rate=200.0,
    hold_distance=0.4,  # dribble_distance_thres of global_config.yaml, as the two below
    hold_in_3d=True,
    hold_angle=math.radians(20.0),
    hold_gap=0.35,
    hold_height=0.12,
    pass_limit=10.0,
    lob_height=0.80,
    lob_limit=math.inf,
    lob_factors=(0.8, 0.6),  # of the plugin's FLY
    lob_modes=(1, -1),
)
"""The simulation of league matches (`simatch`): wheels with limits, a larger field."""

LEGAL = Dialect(
    name="legal",
    robot_mass=31.0,  # rules: at most 40 kg
    robot_radius=0.25,  # rules: at most 0.52 m x 0.52 m
    robot_height=0.79,  # rules: at most 0.80 m
    robot_inertia=(1000.0, 1000.0, 2.86),
    robot_friction=0.1,
    wheel_arm=0.203,  # simatch, as the three below
    wheel_speed=5.0,
    wheel_acceleration=2.5,
    wheel_braking=5.0,
    ball_mass=0.43,  # rules: 0.41 to 0.45 kg
    ball_radius=0.11,  # rules: circumference of 0.68 to 0.70 m
    ball_inertia=3.4687e-3,  # 2/3 m r²
    ball_decay=0.05,  # chosen: a pass at 5 m/s rolls 25 m on a hard carpet
    field_length=18.0,  # rules of 2015
    field_width=12.0,
    gravity=9.81,
    step=0.00625,  # chosen: 4 in 25 ms; the paper has 7 ms
    update_rate=160.0,  # real time
    hold_distance=0.5,
    hold_angle=math.radians(30.0),
    hold_gap=0.4,  # chosen: 4 cm of air between ball and robot
    hold_height=0.11,
    pass_limit=10.0,  # simatch
    pass_factor=1.0,
    lob_height=0.72,  # 1.00 - 2 r, less 6 cm
    lob_limit=12.0,  # chosen: about the kick of a real robot
    lob_speed=12.0,
    lob_modes=(1, -1),
    grip=Grip(),
)
"""A robot and a ball that obey the league's rules of 2015."""

DIALECTS = {each.name: each for each in (PAPER, GAZEBO_VISUAL, SIMATCH, LEGAL)}
"""All dialects by name."""


def find_dialect(dialect: str | Dialect) -> Dialect:
    """Returns the dialect with the given name; a `Dialect` is returned unchanged.

    Raises:
        ValueError: No dialect has the name.

    Example:
        >>> find_dialect("paper").gravity
        9.8
    """
    if isinstance(dialect, Dialect):
        return dialect
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}, got {dialect!r}")
    return DIALECTS[dialect]
