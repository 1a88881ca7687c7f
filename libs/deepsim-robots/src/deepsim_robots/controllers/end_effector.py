# SPDX-License-Identifier: Apache-2.0
"""Controls the position or pose of an end effector by inverse kinematics in every tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import poses, quaternions
from deepsim_robots.joint_group import JointGroup
from deepsim_robots.kinematics import Search, next_positions, pose_error
from deepsim_sync import (
    SCOPE,
    Dynamics,
    PoseSolver,
    SolvingDynamics,
    UnsupportedError,
    WorldNumbers,
    checked_worlds,
)

from .controller import Controller, Floats, ServoDrive, gains_of

_NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])
_WORLD = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True, kw_only=True)
class EndEffectorPosition(Controller):
    """Moves a point on a link to a position [m]; the orientation of the link is free.

    Absolute actions are coordinates in the root frame (the model's frame) or in the world frame.
    Delta actions are steps along the axes of the root frame, of the world frame, or of the tool
    frame, which is the link's.

    >>> up = EndEffectorPosition(link="tool", delta=True, normalized=False)
    >>> config = replace(find_robot("arm").load(), parts={"arm": Part(["joint_.*"], up)})
    >>> robot = Robot(World(MujocoSimulator(), steps_per_tick=10), config, "arm")
    >>> robot.world.tick()  # the links follow the joints home
    >>> height = robot.link("tool").pose[0, 0, 2].copy()
    >>> for _ in range(20):
    ...     robot.set_action([[0.0, 0.0, 0.005]])  # up by 10 cm in all
    ...     robot.world.tick()
    >>> bool(robot.link("tool").pose[0, 0, 2] > height + 0.04)  # the arm lags behind
    True

    Attributes:
        link: Name of the link that is the end effector.
        point: The point to move, in the frame of the link [m].
        delta: Whether actions are steps.
        rate: Whether steps are velocities [m/s, rad/s], by which the goal moves in every tick until
            the next action.
        frame: Frame of the actions: ``root``, ``world``, or for steps ``tool``.
        of: Start of a step: the last ``target``, which avoids drift, or the ``measured`` pose.
        lower: Lowest action; by default -1 m, -0.1 m for steps, or -0.5 m/s for velocities.
        upper: Highest action; by default 1 m, 0.1 m for steps, or 0.5 m/s for velocities.
        ik_damping: Damping of least squares, > 0; larger values make the motion slower, and
            smoother near singular poses.
        step: Largest distance between a joint's position and its target, > 0 [rad or m].
        solver: ``dls`` for damped least squares, or the name of a solver of the simulator, such as
            ``mink`` (an extra of deepsim-mujoco), which treats limits as constraints but handles
            one world at a time.
        stiffness, damping: Gains of the joints; by default the robot's.
    """

    axes: ClassVar[int] = 3

    link: str = ""
    point: Sequence[float] = (0.0, 0.0, 0.0)
    delta: bool = False
    rate: bool = False
    frame: Literal["root", "tool", "world"] = "root"
    of: Literal["target", "measured"] = "target"
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    ik_damping: float = 0.05
    step: float = 0.3
    solver: str = "dls"
    stiffness: ArrayLike | None = None
    damping: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.frame not in ("root", "tool", "world"):
            raise ValueError(f"frame must be 'root', 'tool' or 'world', got {self.frame!r}")
        if self.frame == "tool" and not self.delta:
            raise ValueError("the tool frame is for steps: set delta, or another frame")
        if self.rate and not self.delta:
            raise ValueError("a rate is one of steps: set delta, too")
        if self.of not in ("target", "measured"):
            raise ValueError(f"of must be 'target' or 'measured', got {self.of!r}")
        if not (self.ik_damping > 0.0 and self.step > 0.0):
            raise ValueError(
                f"ik_damping and step must be > 0, got {self.ik_damping!r} and {self.step!r}"
            )
        if len(self.point) != 3:
            raise ValueError(f"point must be x y z in the frame of the link, got {self.point!r}")

    def drive(self, joints: JointGroup) -> EndEffectorDrive:
        return EndEffectorDrive(joints, self)

    def bounds(self) -> tuple[Floats, Floats]:
        """Returns the lowest and the highest action, (3,) or (6,) each."""
        size = np.full(self.axes, 1.0 if not self.delta else 0.5 if self.rate else 0.1)
        if not self.delta:
            size[3:] = np.pi
        lower = -size if self.lower is None else self._bound("lower")
        upper = size if self.upper is None else self._bound("upper")
        return lower, upper

    def _bound(self, name: str) -> Floats:
        given = getattr(self, name)
        try:
            return np.broadcast_to(np.asarray(given, dtype=np.float64), (self.axes,))
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} of {type(self).__name__} must be a number, or {self.axes} numbers, "
                f"got {given!r}"
            ) from None


@dataclass(frozen=True, kw_only=True)
class EndEffectorPose(EndEffectorPosition):
    """Moves an end effector to a pose: a position [m] and a rotation vector [rad].

    A rotation vector points along the axis of the rotation, and its length is the angle. By default
    its components are limited to +-pi, to +-0.1 rad for steps, or to +-0.5 rad/s for velocities.
    For everything else, see `EndEffectorPosition`.

    >>> part = Part(["joint_.*"], EndEffectorPose(link="tool"))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.action_size
    6
    """

    axes: ClassVar[int] = 6


class EndEffectorDrive(ServoDrive):
    """Moves an arm so that its end effector approaches a goal, by one step of IK per tick.

    The goal moves with the robot's base, unless actions are in the world frame. Until the first
    action, the joints are held at home.

    >>> part = Part(["joint_.*"], EndEffectorPosition(link="tool"))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.parts["arm"].pose().shape
    (1, 7)
    """

    def __init__(self, joints: JointGroup, settings: EndEffectorPosition) -> None:
        gains = gains_of(joints, settings.stiffness, settings.damping, held=True)
        super().__init__(joints, settings.bounds(), gains)
        world = joints.world
        if world.simulator.dynamics is None:
            raise UnsupportedError(
                f"{type(world.simulator).__name__} lacks the Jacobians that end effectors need"
            )
        self._dynamics = world.simulator.dynamics
        self._solver = _solver(settings.solver, self._dynamics)
        self._settings = settings
        self._link = joints.link(settings.link)
        self._name = joints.model + SCOPE + settings.link
        self._root = world.models.select([joints.model])
        self._tip = np.concatenate([np.asarray(settings.point, dtype=np.float64), _NO_TURN])
        self._goal = self.remember("goal", 7)
        self._given = self.remember("given")  # 1 after the first action, 2 after moves by a rate
        self._velocity = self.remember("velocity", settings.axes)

    def pose(self) -> Floats:
        """Returns the pose of the end effector in the world frame, (W, 7), after a flush."""
        self.joints.world.flush()
        if not self._tip[:3].any():
            return np.asarray(self._link.pose[:, 0])
        return np.asarray(poses.compose(self._link.pose[:, 0], self._tip), dtype=np.float64)

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the goal, moves it by a step, or sets the velocity of the steps."""
        if self._settings.rate:
            self._velocity[worlds] = action
        else:
            self._move(action, worlds)
        self._given[worlds] = np.maximum(self._given[worlds], 1.0)

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Moves the targets of the joints one step closer to the goal."""
        worlds = worlds[self._given[worlds] > 0.0]
        if not len(worlds):
            return
        if self._settings.rate:
            self._move(self._velocity[worlds] * delta_time, worlds)
            self._given[worlds] = 2.0
        self.joints.put(worlds, target_position=self._next(worlds))

    def _move(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the goal, or moves it by a step."""
        settings = self._settings
        start = self._goal[worlds]
        fresh = self._given[worlds] < (2.0 if settings.rate else 1.0)
        if settings.of == "measured":
            fresh[:] = True
        if fresh.any():
            measured = poses.relative(self._base(), self.pose())[worlds]
            start = np.where(fresh[:, None], measured, start)
        goal = start.copy()
        linear, rotation = action[:, :3], action[:, 3:]
        if not settings.delta:
            goal[:, :3] = linear
            if settings.axes == 6:
                goal[:, 3:] = quaternions.from_rotation_vector(rotation)
        elif settings.frame == "tool":
            goal[:, :3] += quaternions.rotate(start[:, 3:], linear)
            if settings.axes == 6:
                turn = quaternions.from_rotation_vector(rotation)
                goal[:, 3:] = quaternions.multiply(start[:, 3:], turn)
        else:
            goal[:, :3] += linear
            if settings.axes == 6:
                turn = quaternions.from_rotation_vector(rotation)
                goal[:, 3:] = quaternions.multiply(turn, start[:, 3:])
        goal[:, 3:] = quaternions.normalize(goal[:, 3:])
        self._goal[worlds] = goal

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints at home."""
        super().reset(worlds)
        self._given[worlds] = 0.0

    def solve(
        self,
        goal: ArrayLike,
        worlds: WorldNumbers | None = None,
        *,
        iterations: int = 50,
        tolerance: float = 1e-3,
    ) -> NDArray[np.bool_]:
        """Places the joints so that the end effector is at a pose; no simulated time passes.

        The search starts at the current positions; when stuck, it restarts at other positions.

        Args:
            goal: Pose in the world frame if `frame` is ``world``, else in the root frame; (7,) or
                (w, 7).
            worlds: Numbers of the w worlds; all by default.
            iterations: Largest number of steps.
            tolerance: Largest error of a solution in each component [m, rad].

        Returns:
            Whether a solution was found, (w,). Otherwise the joints are at the nearest positions
            that were found.

        Raises:
            ValueError: The goal has a wrong shape, is not finite or has a quaternion of length 0;
                nothing was changed.
        """
        count = len(self.joints.world)
        chosen = np.arange(count) if worlds is None else checked_worlds(worlds, count)
        self._goal[chosen] = _goals(goal, len(chosen))
        traits, rows = self.joints.traits, self.joints.rows
        search = Search(rows.position[chosen], (traits.lower, traits.upper), tolerance)
        for _ in range(iterations + 1):  # the last iteration only measures
            error, jacobian = self._error(chosen), self._jacobian(chosen)
            position = search.next(rows.position[chosen], jacobian, error)
            if search.solved.all():
                break
            self.joints.put(chosen, position=position)
        best = search.best
        self.joints.put(chosen, position=best, velocity=0.0, target_position=best)
        return search.solved

    def _base(self) -> Floats:
        """Returns the pose of the goals' frame in the world frame, (W, 7)."""
        if self._settings.frame == "world":
            return np.broadcast_to(_WORLD, (len(self._goal), 7))
        return self._root.pose[:, 0]

    def _error(self, worlds: WorldNumbers) -> Floats:
        """Returns the error from the end effector to its goal, in world axes, (w, m) [m, rad]."""
        pose = _of(worlds, self.pose())  # first, because it sends changes
        goal = poses.compose(_of(worlds, self._base()), _of(worlds, self._goal))
        return pose_error(pose, goal)[:, : self._settings.axes]

    def _jacobian(self, worlds: WorldNumbers) -> Floats:
        """Returns the Jacobians of the end effector, (w, m, k)."""
        settings = self._settings
        every = self._dynamics.jacobian(self._name, self.joints.scoped, settings.point)
        return _of(worlds, every)[:, : settings.axes]

    def _next(self, worlds: WorldNumbers) -> Floats:
        """Returns joint positions one step closer to the goal, within their limits, (w, k)."""
        settings, traits = self._settings, self.joints.traits
        if self._solver is not None:
            self.joints.world.flush()
            goals = poses.compose(self._base()[worlds], self._goal[worlds])
            return self._solver.next_positions(
                self._name,
                self.joints.scoped,
                np.asarray(goals, dtype=np.float64),
                worlds,
                self.joints.rows.position[worlds],
                limits=(traits.lower, traits.upper),
                point=self._tip[:3],
                axes=settings.axes,
                step=settings.step,
                damping=settings.ik_damping,
            )
        return next_positions(
            self._jacobian(worlds),
            self._error(worlds),
            settings.ik_damping,
            _of(worlds, self.joints.rows.position),
            (traits.lower, traits.upper),
            settings.step,
        )


def _of(worlds: WorldNumbers, values: Floats) -> Floats:
    """Returns the values of some worlds, without copying if these are all worlds."""
    return values if len(worlds) == len(values) else values[worlds]


def _solver(name: str, dynamics: Dynamics) -> PoseSolver | None:
    """Returns the simulator's inverse-kinematics solver with this name, or None for ``dls``."""
    if name == "dls":
        return None
    solvers = dynamics.solvers if isinstance(dynamics, SolvingDynamics) else {}
    if name not in solvers:
        known = ", ".join(map(repr, ("dls", *solvers)))
        raise UnsupportedError(
            f"unknown solver of inverse kinematics {name!r}; known: {known}; "
            "'mink' is an extra: pip install --find-links dist 'deepsim-mujoco[mink]'"
        )
    return solvers[name]


def _goals(goal: ArrayLike, count: int) -> Floats:
    """Returns valid poses with unit quaternions, (7,) or (count, 7)."""
    values = np.array(goal, dtype=np.float64)
    if values.shape not in ((7,), (1, 7), (count, 7)):
        raise ValueError(f"a goal must be a pose (7,), or ({count}, 7), got {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError(f"a goal must be finite, got {values.tolist()}")
    if not (np.linalg.norm(values[..., 3:], axis=-1) > 1e-6).all():
        raise ValueError(f"a goal must have a quaternion that is not zero, got {values.tolist()}")
    values[..., 3:] = quaternions.normalize(values[..., 3:])
    return values
