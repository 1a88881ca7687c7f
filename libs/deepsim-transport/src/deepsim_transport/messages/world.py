# SPDX-License-Identifier: Apache-2.0
"""Messages of positions, masses and times, of entities, joints and worlds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Point:
    """A position or another vector; in metres, unless the message that holds it says otherwise.

    >>> Point(1.0, 2.0).z
    0.0
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(frozen=True, slots=True)
class Quaternion:
    """A rotation as a unit quaternion; `u` is the scalar part.

    >>> Quaternion()  # no rotation
    Quaternion(x=0.0, y=0.0, z=0.0, u=1.0)
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    u: float = 1.0


@dataclass(frozen=True, slots=True)
class Pose:
    """Position [m] and orientation in the world frame.

    >>> Pose(Point(z=0.5)).position.z
    0.5
    """

    position: Point = field(default_factory=Point)
    orientation: Quaternion = field(default_factory=Quaternion)


@dataclass(frozen=True, slots=True)
class Twist:
    """Linear [m/s] and angular velocity [rad/s] in the world frame.

    `euler_angle_velocity`, a name from the paper on Gazebo 1.0, is the angular velocity.

    >>> Twist(linear_velocity=Point(x=2.0)).euler_angle_velocity.z
    0.0
    """

    linear_velocity: Point = field(default_factory=Point)
    euler_angle_velocity: Point = field(default_factory=Point)


@dataclass(frozen=True, slots=True)
class Wrench:
    """Force and torque [N, N m], in the world frame.

    >>> Wrench(force=Point(z=-9.81)).torque == Point()
    True
    """

    force: Point = field(default_factory=Point)
    torque: Point = field(default_factory=Point)


@dataclass(frozen=True, slots=True)
class Time:
    """An instant or a duration.

    >>> Time.of(1.5)
    Time(seconds=1, nanoseconds=500000000)
    """

    seconds: int = 0
    nanoseconds: int = 0

    @classmethod
    def of(cls, seconds: float) -> Time:
        """Converts a number of seconds, >= 0, to a time rounded to nanoseconds."""
        whole, rest = divmod(round(seconds * 1e9), 1_000_000_000)
        return cls(whole, rest)


@dataclass(frozen=True, slots=True)
class Mass:
    """Mass [kg] and moments of inertia [kg m^2].

    >>> Mass(2.0).inertia
    ()
    """

    mass: float = 0.0
    inertia: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityState:
    """The pose, twist and wrench of a model or link.

    The wrench acts on the centre of mass, that of a model on its first link, in every physics step
    until the next state of the entity, or a reset.

    >>> EntityState("car", Pose(Point(x=3.0))).twist == Twist()  # at rest
    True
    """

    entity_name: str = ""
    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    wrench: Wrench = field(default_factory=Wrench)


@dataclass(frozen=True, slots=True)
class WorldStatistics:
    """Clocks and counters of a world; `iterations` is the number of physics steps.

    `real_time` is the time since the server started, and `pause_time` its paused part.

    >>> WorldStatistics(sim_time=Time.of(0.5), iterations=500).model_count
    0
    """

    sim_time: Time = field(default_factory=Time)
    pause_time: Time = field(default_factory=Time)
    real_time: Time = field(default_factory=Time)
    iterations: int = 0
    model_count: int = 0


@dataclass(frozen=True, slots=True)
class WorldState:
    """The entities of a world at one instant, and its gravity [m/s^2] and time step [s].

    >>> WorldState((EntityState("car"), EntityState("van"))).entity_states[1].entity_name
    'van'
    """

    entity_states: tuple[EntityState, ...] = ()
    stats: WorldStatistics = field(default_factory=WorldStatistics)
    gravity: Point = field(default_factory=Point)
    time_step: float = 0.0


@dataclass(frozen=True, slots=True)
class EntityProp:
    """Total mass [kg] and friction of a model or link; a property that is 0 stays unchanged.

    The moments of inertia grow in proportion to the mass. `mass.inertia` and `velocity_damping` are
    refused: moments cannot be set alone, and only joints have damping.

    >>> EntityProp("car", Mass(900.0)).friction_coefficient  # unchanged
    0.0
    """

    entity_name: str = ""
    mass: Mass = field(default_factory=Mass)
    velocity_damping: float = 0.0
    friction_coefficient: float = 0.0


@dataclass(frozen=True, slots=True)
class JointProp:
    """Damping [N m s/rad or N s/m] and largest force [N m or N] of a joint.

    A property that is 0 or empty stays unchanged. `offset` and the limits, one for each axis, are
    refused.

    >>> JointProp("car::steer", lower_limits=(-0.5,), upper_limits=(0.5,)).damping
    0.0
    """

    joint_name: str = ""
    damping: float = 0.0
    offset: Point = field(default_factory=Point)
    max_force: float = 0.0
    lower_limits: tuple[float, ...] = ()
    upper_limits: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class JointState:
    """Positions, velocities and efforts of a joint, one number for each axis, or none.

    Units are rad and N m for axes of rotation, m and N for others; velocities are per second. What
    is empty stays as it is. An effort acts in every physics step until the next one, or a reset.

    >>> JointState("car::steer", angle=(0.2,)).velocity
    ()
    """

    joint_name: str = ""
    angle: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class InsertEntity:
    """A model to add: its name, its description as SDF or URDF text, and its pose.

    The paper on Gazebo 1.0 defines no field for the description; here, `sdf` holds both formats.

    >>> InsertEntity("ball", "<sdf version='1.7'>...</sdf>", Pose(Point(z=1.0))).pose.position.z
    1.0
    """

    entity_name: str = ""
    sdf: str = ""
    pose: Pose = field(default_factory=Pose)


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a command: whether it succeeded, and the reason if it did not.

    >>> Answer(ok=False, reason="no model is named 'cart'").reason
    "no model is named 'cart'"
    """

    ok: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WorldControl:
    """Pauses or resumes the physics, then makes some physics steps at once.

    The paper on Gazebo 1.0 does not define this message.

    >>> WorldControl(pause=True, steps=10).steps
    10
    """

    pause: bool = False
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Marker:
    """A shape or text that viewers draw in a world; one of the same name replaces it.

    Attributes:
        name: The name.
        shape: ``"box"``, ``"sphere"``, ``"cylinder"``, ``"arrow"``, ``"line"`` or ``"text"``; an
            empty one removes the marker.
        pose: The pose of the shape, and of its points.
        size: Lengths of the sides along x, y and z [m]; a sphere and a cylinder have the diameter
            x, and a cylinder the length z.
        color: Red, green, blue and opacity, each from 0 to 1.
        points: The points of a line, or the start and end of an arrow [m].
        text: The text.

    >>> Marker("goal", "sphere", Pose(Point(2.0, 1.0))).size.x
    0.1
    """

    name: str = ""
    shape: str = ""
    pose: Pose = field(default_factory=Pose)
    size: Point = field(default_factory=lambda: Point(0.1, 0.1, 0.1))
    color: tuple[float, ...] = (1.0, 0.6, 0.0, 1.0)
    points: tuple[Point, ...] = ()
    text: str = ""
