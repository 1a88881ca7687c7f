# SPDX-License-Identifier: Apache-2.0
"""Scenes of contacts whose outcome is known from theory, played with any settings.

Tests and benchmarks/contacts.py share them. Each returns what it measured; lengths in m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    CollisionDescription,
    Cylinder,
    GazeboXMLLoader,
    Geometry,
    Inertial,
    LinkDescription,
    ModelDescription,
    MujocoOptions,
    Physics,
    Plane,
    Sphere,
    Surface,
    WorldDescription,
)
from deepsim_sync import Cells, Changes, Simulator, SpawnRequest, Tables

G = 9.8
BEFORE = MujocoOptions("euler", "pyramidal", 1.0, 20.0, 1.0, 0.95)
"""Near what deepsim-mujoco 0.3 had, at 1 ms: MuJoCo's own settings."""

Floats = NDArray[np.float64]


def body(
    shape: Geometry, surface: Surface | None = None, mass: float = 1.0, inertia: float = 0.0067
) -> ModelDescription:
    """Returns a free model of one shape."""
    inertial = Inertial(mass, ixx=inertia, iyy=inertia, izz=inertia)
    collision = CollisionDescription("c", shape, surface=surface or Surface())
    return ModelDescription(
        "m", links=(LinkDescription("l", inertial=inertial, collisions=(collision,)),)
    )


def ground(surface: Surface | None = None, shape: Geometry | None = None) -> ModelDescription:
    """Returns a static plane, or another shape."""
    collision = CollisionDescription("c", shape or Plane(), surface=surface or Surface())
    return ModelDescription(
        "m", links=(LinkDescription("l", collisions=(collision,)),), static=True
    )


def cube(mu: float = 1.0, mass: float = 1.0) -> ModelDescription:
    """Returns a cube of 0.2 m."""
    return body(Box((0.2, 0.2, 0.2)), Surface(mu, mu), mass, mass * 0.04 / 6)


def ball(restitution: float = 0.0, mu: float = 1.0) -> ModelDescription:
    """Returns a solid ball of 0.1 m and 1 kg."""
    return body(Sphere(0.1), Surface(mu, mu, restitution), inertia=0.004)


class Scene:
    """Worlds of some models.

    Args:
        models: They are called m0, m1, ...
        poses: One for each model, or (W, 7) for those that lie elsewhere in each world.
        gravity: [m/s^2].
        options: Of the engine.
        step: Duration of a step [s].
        worlds: The number of worlds, W.

    Attributes:
        make: Makes the simulator, also of wheels and servos; a benchmark plays them on Gazebo too.
    """

    make: Callable[..., Simulator] = MujocoSimulator

    def __init__(
        self,
        models: Sequence[ModelDescription],
        poses: Sequence[Pose | Floats],
        gravity: Sequence[float] = (0.0, 0.0, -G),
        options: MujocoOptions | None = None,
        step: float = 0.001,
        worlds: int = 1,
    ) -> None:
        physics = Physics(step, mujoco=options or MujocoOptions())
        world = WorldDescription(gravity=tuple(gravity), physics=physics)
        self.simulator = self.make(world, worlds=worlds)
        self.simulator.spawn(
            [
                SpawnRequest(one, f"m{i}", at)
                for i, (one, at) in enumerate(zip(models, poses, strict=True))
            ]
        )
        self.step = step

    def run(self, seconds: float) -> None:
        """Advances all worlds."""
        self.simulator.step(round(seconds / self.step))

    def read(self, column: str, kind: str = "models") -> Floats:
        """Returns the poses or twists of all, (W, n, ...)."""
        tables = Tables(self.simulator.entities, self.simulator.worlds)
        self.simulator.read(tables, [(kind, column)])
        return tables.columns[kind, column]

    def throw(self, row: int, twist: Sequence[float]) -> None:
        """Sets the twist of a model in all worlds."""
        worlds = np.arange(self.simulator.worlds)
        cells = Cells(
            worlds, np.full(len(worlds), row), np.tile(np.array(twist, float), (len(worlds), 1))
        )
        changes = Changes(self.simulator.entities.generation, {("models", "twist"): cells})
        self.simulator.write(changes)


def tilted(degrees: float, turn: float = 0.0) -> tuple[float, float, float]:
    """Returns gravity on a slope that goes down in some direction [deg]."""
    slope, way = math.radians(degrees), math.radians(turn)
    down = G * math.sin(slope)
    return down * math.cos(way), down * math.sin(way), -G * math.cos(slope)


def slide(turn: float, *, steepness: float = 1.1, height: float = 0.2, **settings: object) -> float:
    """Returns how far a box of mu 0.5 slides in 1.5 s, over theory.

    Args:
        turn: Direction of the slope in the frame of the box [deg].
        steepness: The slope over the friction angle.
        height: Of the box [m].
        settings: Of the scene.
    """
    slope = steepness * math.degrees(math.atan(0.5))
    tile = body(Box((0.2, 0.2, height)), Surface(0.5, 0.5), inertia=(0.04 + height**2) / 12)
    gravity = tilted(slope, turn)
    scene = Scene([ground(), tile], [Pose(), Pose((0, 0, height / 2))], gravity, **settings)
    scene.run(1.5)
    way = np.linalg.norm(scene.read("pose")[0, 1, :2])
    theory = (math.hypot(*gravity[:2]) + 0.5 * gravity[2]) * 1.5**2 / 2
    return float(way / theory)


def creep(turn: float, **settings: object) -> float:
    """Returns how far a cube of mu 0.5 moves on a slope of 17 degrees in 10 s."""
    scene = Scene([ground(), cube(0.5)], [Pose(), Pose((0, 0, 0.1))], tilted(17, turn), **settings)
    scene.run(10.0)
    return float(np.linalg.norm(scene.read("pose")[0, 1, :2]))


def impact(**settings: object) -> float:
    """Returns how deep a ball of 0.1 m goes into the ground that falls from 1 m."""
    scene = Scene([ground(), ball()], [Pose(), Pose((0, 0, 1.1))], **settings)
    scene.run(0.44)
    heights = []
    for _ in range(round(0.04 / scene.step)):
        scene.run(scene.step)
        heights.append(scene.read("pose")[0, 1, 2])
    return 0.1 - min(heights)


def sunk(masses: Sequence[float], **settings: object) -> float:
    """Returns how much too low the top of a stack of cubes is after 3 s."""
    at = [Pose((0, 0, 0.1 + 0.2 * i)) for i in range(len(masses))]
    scene = Scene([ground(), *(cube(mass=each) for each in masses)], [Pose(), *at], **settings)
    scene.run(3.0)
    return float(at[-1].position.z - scene.read("pose")[0, -1, 2])


def bounces(
    restitution: float, of_ground: float | None = None, phases: int = 40, **settings: object
) -> Floats:
    """Returns the speeds (phases,) of a ball after it hit the ground, over those before.

    Args:
        restitution: Of the ball.
        of_ground: That of the ground, if it is another one.
        phases: How many heights it falls from, apart by parts of a step's way.
        settings: Of the scene.
    """
    lift = np.tile(np.asarray(Pose()), (phases, 1))
    lift[:, 2] = 0.6 + 0.0011 * np.arange(phases)  # of several steps of way
    surface = Surface(restitution=restitution if of_ground is None else of_ground)
    scene = Scene([ground(surface), ball(restitution)], [Pose(), lift], worlds=phases, **settings)
    before, after = np.zeros(phases), np.full(phases, np.nan)
    for _ in range(round(0.45 / scene.step)):
        scene.run(scene.step)
        speed, height = scene.read("twist")[:, 1, 2], scene.read("pose")[:, 1, 2]
        before = np.minimum(before, speed)
        leaves = np.isnan(after) & (speed > 0.0) & (height > 0.1)
        after[leaves] = speed[leaves]
    return np.nan_to_num(after) / -before


def grasped(**settings: object) -> float:
    """Returns how far 0.5 kg slips in 10 s between two fingers of 10 N, twice what it needs."""
    finger = """<link name="{0}"><pose>{1} 0 1 0 0 0</pose><gravity>false</gravity><inertial>
    <mass>0.2</mass><inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.02 0.04 0.04</size></box></geometry></collision>
    </link><joint name="{0} slide" type="prismatic"><parent>world</parent><child>{0}</child><axis>
    <xyz>{2} 0 0</xyz><dynamics><spring_stiffness>10</spring_stiffness>
    <spring_reference>1</spring_reference><damping>1</damping></dynamics></axis></joint>"""
    inside = finger.format("left", -0.035, 1) + finger.format("right", 0.035, -1)
    hand = model_of(inside)
    held = body(Box((0.05, 0.05, 0.05)), Surface(0.5, 0.5), 0.5, 0.5 * 0.0025 / 6)
    scene = Scene([hand, held], [Pose(), Pose((0, 0, 1))], **settings)
    scene.run(10.0)
    return float(1.0 - scene.read("pose")[0, 1, 2])


def kick(friction: float, phases: int = 20, **settings: object) -> float:
    """Returns the mean speed of a ball that a robot of 31 kg hits at 1.5 m/s [m/s].

    Args:
        friction: Of robot and ball; the ground has 1.
        phases: How many starts, apart by parts of a step.
        settings: Of the scene.
    """
    robot = body(Cylinder(0.25, 0.8), Surface(friction, friction), 31.0, 2.0)
    football = body(Sphere(0.11), Surface(friction, friction), 0.45, 0.0022)
    start = np.tile(np.asarray(Pose((0, 0, 0.4))), (phases, 1))
    start[:, 0] = -0.5 - 0.0015 * np.arange(phases) / phases
    scene = Scene(
        [ground(), robot, football],
        [Pose(), start, Pose((0, 0, 0.11))],
        worlds=phases,
        **settings,
    )
    fastest = np.zeros(phases)
    for _ in range(round(0.3 / scene.step)):
        scene.throw(1, (1.5, 0, 0, 0, 0, 0))
        scene.run(scene.step)
        fastest = np.maximum(fastest, scene.read("twist")[:, 2, 0])
    return float(fastest.mean())


def spun_down(**settings: object) -> float:
    """Returns how much spin a ball with a patch of 5 cm loses in 0.1 s on the ground, over theory.

    The ground has no patch radius. Theory is the torque of Gazebo's model of a patch,
    3 pi / 16 mu r N.
    """
    moment, patch = 0.0067, 0.05
    spinner = body(Sphere(0.1), Surface(torsional_mu=1.0, patch_radius=patch), inertia=moment)
    scene = Scene([ground(), spinner], [Pose(), Pose((0, 0, 0.1))], **settings)
    scene.run(0.1)
    scene.throw(1, (0, 0, 0, 0, 0, 10.0))
    scene.run(0.1)
    theory = 3 * math.pi / 16 * patch * G / moment * 0.1
    return float((10.0 - scene.read("twist")[0, 1, 5]) / theory)


def carried(turn: float = 0.0, **settings: object) -> tuple[float, float]:
    """Returns the speed of a box on a belt of 0.5 m/s, along and across it [m/s]."""
    belt = ground(Surface(velocity=(0.5, 0, 0)), Box((4, 1, 0.1)))
    at = Pose((0, 0, -0.05), Euler(0, 0, turn))
    scene = Scene([belt, cube()], [at, Pose((0, 0, 0.1))], **settings)
    scene.run(1.0)
    x, y = scene.read("twist")[0, 1, :2]
    return float(x), float(y)


def model_of(inside: str) -> ModelDescription:
    """Returns a model of SDF, given the inside of its element."""
    text = f"<sdf version='1.7'><model name='m'>{inside}</model></sdf>"
    return GazeboXMLLoader().load_model(text)


def tumbling(**settings: object) -> float:
    """Returns by which share the energy of a body changes that tumbles at 10 rad/s for 10 s."""
    moments = np.array([0.01, 0.02, 0.025])
    inertial = Inertial(1.0, ixx=moments[0], iyy=moments[1], izz=moments[2])
    free = ModelDescription("m", links=(LinkDescription("l", inertial=inertial),))
    scene = Scene([free], [Pose()], (0.0, 0.0, 0.0), **settings)
    scene.throw(0, (0, 0, 0, 0.1, 10.0, 0.1))

    def energy() -> float:
        turn = Pose.from_array(scene.read("pose")[0, 0]).orientation
        spin = turn.inverse().rotate(tuple(scene.read("twist")[0, 0, 3:]))
        return float(moments @ np.square(np.array(spin)) / 2)

    before = energy()
    scene.run(10.0)
    return energy() / before - 1.0


def precession(**settings: object) -> float:
    """Returns how fast a top of 300 rad/s goes round its foot, over theory.

    A top of moments A and C, whose centre is l above its foot, precesses at angle a with the
    smaller root of (A + m l^2) cos(a) p^2 - C w p + m g l = 0 (Goldstein, Classical Mechanics).
    """
    top = """<link name="l"><inertial><pose>0 0 0.1 0 0 0</pose><mass>1</mass><inertia>
    <ixx>0.002</ixx><iyy>0.002</iyy><izz>0.001</izz></inertia></inertial></link>
    <joint name="foot" type="ball"><parent>world</parent><child>l</child></joint>"""
    scene = Scene([model_of(top)], [Pose()], **settings)
    state = scene.simulator.snapshots.get_state()
    tilt, spin = 0.3, 300.0
    # The time, a quaternion (w, x, y, z), and the velocity of the joint: nothing else moves.
    state.integration[0, 1:8] = math.cos(tilt / 2), math.sin(tilt / 2), 0, 0, 0, 0, spin
    scene.simulator.snapshots.set_state(state)
    angles = []
    for _ in range(200):
        scene.run(0.01)
        axis = Pose.from_array(scene.read("pose", "links")[0, 0]).orientation.rotate((0, 0, 1))
        angles.append(math.atan2(axis[1], axis[0]))
    turned = np.unwrap(angles)
    a, b, c = 0.012 * math.cos(tilt), 0.001 * spin, G * 0.1
    theory = (b - math.sqrt(b * b - 4 * a * c)) / (2 * a)
    return float((turned[-1] - turned[0]) / 1.99 / theory)
