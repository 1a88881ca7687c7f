# SPDX-License-Identifier: Apache-2.0
"""Two teams of robots and a ball in each of W worlds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Euler, Pose
from deepsim_soccer.description import ball_sdf, robot_sdf
from deepsim_soccer.description.robot import CYAN, MAGENTA
from deepsim_soccer.dialect import Dialect, find_dialect
from deepsim_soccer.field import Field
from deepsim_soccer.skills import (
    body_velocity,
    can_dribble,
    held_position,
    held_velocity,
    kick_direction,
    limit_wheels,
    rolling_spin,
    world_velocity,
)
from deepsim_soccer.skills.motion import Floats
from deepsim_spawn import ModelSpawner
from deepsim_sync import World

from .ball import Ball
from .formation import formation
from .grip import Grip, impulse_force
from .possession import NOBODY, Bools, Numbers, next_holder

TEAMS = ("cyan", "magenta")
LOST_PAUSE = 3.0  # before a robot that lost the ball to an opponent may hold it again [s]
KICK_PAUSE = 0.5  # before a robot that kicked may hold it again [s]
_TILT = 1e-4  # of a quaternion's x and y, or height [m], beyond which a robot is put upright


class Pitch:
    """Robots that drive, hold and kick, by setting poses and twists as in the paper, or by forces.

    Cyan plays to the right (+x), magenta to the left. Set `command`, `dribbles` and `kick`, then
    call `drive` once per tick; `sense` reads the state after a tick.

    Args:
        world: Made from `world_sdf`; robots and ball are spawned in it.
        robots: Number of robots of each team, or of cyan and magenta.
        dialect: Its constants.
        keeps_ball_in: Whether a ball that crosses a line is put back inside, at rest, as by
            gazebo_visual. Otherwise only the boundary stops it.
        grip: Of a dribbler and kicker that act by forces, so that the ball can be torn away; by
            default a ball that is held or kicked gets its pose and twist, as in the paper.

    Attributes:
        names: Of the robots, (N,): cyan_0, ..., magenta_0, ...
        team: Of each robot, (N,): 0 cyan, 1 magenta.
        side: (N,): 1 for cyan, -1 for magenta.
        command: Wanted V_x, V_y [m/s] and w [rad/s] in each robot's frame, (W, N, 3).
        dribbles: Whether each robot takes the ball where it can, (W, N).
        kick: Speed ahead and up that each robot's kicker gives the ball, (W, N, 2) [m/s]; 0 for
            none. A robot without the ball kicks nothing. `drive` clears it.
        holder: Number of the robot that holds the ball, (W,); -1 for nobody.
        kicked: Number of the robot that kicked in the last `drive`, (W,); -1 for nobody.
        halted: Whether robots stand whatever their commands are, and take no ball, (W,).
        got: Where the holder of the ball got it, or the latest one did, (W, 2) [m].
        touched: Number of the robot that held the ball last, (W,); -1 for nobody.
        place: Position of each robot, (W, N, 2) [m].
        yaw: Of each robot, (W, N) [rad].
        velocity: V_x, V_y and w of each robot in its own frame, (W, N, 3).
        ball_pose: (W, 7) [m, unit quaternion].
        ball_place: (W, 3) [m].
        ball_velocity: (W, 3) [m/s].

    Example::

        simulator = open_simulator(GazeboXMLLoader().load_world(world_sdf()), worlds=16)
        pitch = Pitch(World(simulator, steps_per_tick=5), robots=3)
        pitch.command[..., 0] = 1.0  # everybody ahead at 1 m/s
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
    """

    def __init__(
        self,
        world: World,
        robots: int | tuple[int, int] = 1,
        dialect: str | Dialect = "legal",
        *,
        keeps_ball_in: bool = False,
        grip: Grip | None = None,
    ) -> None:
        counts = (robots, robots) if isinstance(robots, int) else tuple(robots)
        if min(counts) < 0 or not 1 <= max(counts) <= 11:
            raise ValueError(f"robots must be 1 to 11 of a team, got {robots}")
        self.world, self.dialect = world, find_dialect(dialect)
        self.field, self.keeps_ball_in, self.grip = Field.of(self.dialect), keeps_ball_in, grip
        self.ball = Ball(self.dialect, self.field)
        self.names = [
            f"{name}_{i}" for name, n in zip(TEAMS, counts, strict=True) for i in range(n)
        ]
        self.team: Numbers = np.repeat(np.arange(2), counts)
        self.side = 1.0 - 2.0 * self.team
        self._spawn(counts)
        self._rows = world.models.select([*self.names, "ball"])
        self._link = world.links.select(["ball::ball"])
        self._wrench = np.zeros((len(world), 6))  # force [N] and torque [N m] of a grip
        shape = len(world), len(self.names)
        self.command, self.kick = np.zeros((*shape, 3)), np.zeros((*shape, 2))
        self.dribbles: Bools = np.ones(shape, np.bool_)
        self.pause = np.zeros(shape)
        self.holder: Numbers = np.full(len(world), NOBODY)
        self.kicked, self.touched = self.holder.copy(), self.holder.copy()
        self.halted: Bools = np.zeros(len(world), np.bool_)
        self.got = np.zeros((len(world), 2))
        self.sense()

    def _spawn(self, counts: tuple[int, ...]) -> None:
        """Lines each team up on its half."""
        for name, count, color, side in zip(TEAMS, counts, (CYAN, MAGENTA), (1, -1), strict=True):
            yaw = 0.0 if side > 0 else np.pi
            places = side * formation(count, self.field.length)
            spots = [Pose((x, y, 0.0), Euler(0.0, 0.0, yaw)) for x, y in places]
            poses = {f"{name}_{i}": spot for i, spot in enumerate(spots)}
            if poses:
                ModelSpawner(robot_sdf(self.dialect, color)).spawn_many(self.world, poses)
        height = Pose((0.0, 0.0, self.dialect.ball_radius))
        ModelSpawner(ball_sdf(self.dialect)).spawn(self.world, "ball", height)

    def sense(self) -> None:
        """Reads where robots and ball are and how they move."""
        pose, twist = self._rows.pose, self._rows.twist
        self._pose, self._twist = pose, twist
        self.ball_pose: Floats = pose[:, -1]
        self.place, self.ball_place = pose[:, :-1, :2], pose[:, -1, :3]
        self.yaw = 2.0 * np.arctan2(pose[:, :-1, 5], pose[:, :-1, 6])
        linear = body_velocity(self.yaw, twist[:, :-1, :2])
        self.velocity = np.concatenate([linear, twist[:, :-1, 5:]], axis=-1)
        self.ball_velocity = twist[:, -1, :3]

    def put_robots(self, worlds: NDArray[np.intp], place: ArrayLike, yaw: ArrayLike) -> None:
        """Puts all robots of some worlds somewhere, at rest.

        Args:
            worlds: (w,).
            place: (w, N, 2) [m].
            yaw: (w, N) [rad].
        """
        pose, twist = self._rows.pose[worlds], self._rows.twist[worlds]
        pose[:, :-1] = _upright(np.asarray(place, np.float64), np.asarray(yaw, np.float64))
        twist[:, :-1] = 0.0
        self._rows.put(worlds, pose=pose, twist=twist)
        self.command[worlds], self.kick[worlds], self.pause[worlds] = 0.0, 0.0, 0.0
        self.holder[worlds] = self.kicked[worlds] = self.touched[worlds] = NOBODY
        self.sense()

    def put_ball(self, worlds: NDArray[np.intp], place: ArrayLike) -> None:
        """Puts the balls of some worlds somewhere on the ground, at rest; `place` is (w, 2) [m]."""
        pose, twist = self._rows.pose[worlds], self._rows.twist[worlds]
        pose[:, -1, :2], pose[:, -1, 2] = place, self.dialect.ball_radius
        twist[:, -1] = 0.0
        self._rows.put(worlds, pose=pose, twist=twist)
        self.holder[worlds] = NOBODY
        self.sense()

    def drive(self, worlds: NDArray[np.intp] | None = None) -> None:
        """Moves robots and balls for one tick, in the worlds that tick.

        Who holds the ball is decided first; then the holder may kick it. Robots approach their
        commands as fast as their wheels allow.
        """
        period = self.world.delta_time
        self.sense()
        on = np.arange(len(self.world)) if worlds is None else worlds
        active = np.zeros(len(self.world), np.bool_)
        active[on] = True
        moved = self._wheels(period)
        holder = self._take(active, period)
        ball_pose, ball_twist, replaced = self._ball(holder, moved, period)
        chassis = np.zeros_like(self._twist[:, :-1])
        chassis[..., :2] = world_velocity(self.yaw, moved[..., :2])
        chassis[..., 5] = moved[..., 2]
        twist = np.concatenate([chassis, ball_twist[:, None]], axis=1)
        self._rows.put(on, twist=twist[on])
        if self.grip is not None:
            wrench = self._wrench[on, None]
            self._link.put(on, force=wrench[..., :3], torque=wrench[..., 3:])
        # Poses are set only where they must be: a ball that is held, a robot that tilts.
        off = np.abs(self._pose[:, :-1, 2:5]).max(axis=-1) > _TILT
        put = np.flatnonzero(active & (replaced | off.any(axis=-1)))
        if len(put):
            robots = _upright(self.place, self.yaw)
            pose = np.concatenate([robots, ball_pose[:, None]], axis=1)
            self._rows.put(put, pose=pose[put])
        self.kick[on] = 0.0

    def _wheels(self, period: float) -> Floats:
        """Returns the velocities that robots reach in a tick, in their own frames."""
        chosen = self.dialect
        return limit_wheels(
            np.where(self.halted[:, None, None], 0.0, self.command),
            self.velocity,
            period,
            arm=chosen.wheel_arm,
            speed=chosen.wheel_speed,
            acceleration=chosen.wheel_acceleration,
            braking=chosen.wheel_braking,
        )

    def _take(self, active: Bools, period: float) -> Numbers:
        """Decides who holds the ball; one who lost it must wait."""
        chosen = self.dialect
        spot = self.ball_place[:, None, :2]
        able = can_dribble(self.place, self.yaw, spot, chosen.hold_distance, chosen.hold_angle)
        able &= self.dribbles & (self.pause <= 0.0) & ~self.halted[:, None]
        able &= (self.ball_place[:, 2] <= 2.0 * chosen.ball_radius + 0.02)[:, None]
        self.pause = np.where(active[:, None], np.maximum(self.pause - period, 0.0), self.pause)
        if not able.any():
            return np.where(active, NOBODY, self.holder)
        way = spot - self.place
        distance = way[..., 0] * way[..., 0] + way[..., 1] * way[..., 1]
        holder = next_holder(self.holder, able, distance, self.team)
        holder = np.where(active, holder, self.holder)
        lost = (self.holder != NOBODY) & (holder != NOBODY) & (holder != self.holder)
        worlds = np.flatnonzero(lost)
        self.pause[worlds, self.holder[worlds]] = LOST_PAUSE
        self.touched = np.where(holder != NOBODY, holder, self.touched)
        began = (holder != NOBODY) & (holder != self.holder)
        self.got = np.where(began[:, None], self.ball_place[:, :2], self.got)
        return holder

    def _ball(self, holder: Numbers, moved: Floats, period: float) -> tuple[Floats, Floats, Bools]:
        """Returns pose and twist of the balls, and where the pose is another one."""
        chosen, every = self.dialect, np.arange(len(holder))
        held, number = holder != NOBODY, np.maximum(holder, 0)
        pose, twist = (
            self._pose[:, -1],
            self.ball.roll(self._pose[:, -1], self._twist[:, -1], period),
        )
        if not held.any():
            self.holder, self.kicked = holder, np.full_like(holder, NOBODY)
            self._wrench[:] = 0.0
            return self._kept_in(pose, twist, held)
        yaw, place = self.yaw[every, number], self.place[every, number]
        kick, velocity = self.kick[every, number], moved[every, number]
        kicks = held & (np.abs(kick).max(axis=-1) > 0.0)
        self.kicked = np.where(kicks, holder, NOBODY)
        worlds = np.flatnonzero(kicks)
        self.pause[worlds, holder[worlds]] = KICK_PAUSE
        self.holder = np.where(kicks, NOBODY, holder)
        # Held: at the gap ahead, with the velocity of that place. Kicked: from there.
        pose, twist = (
            self._pose[:, -1],
            self.ball.roll(self._pose[:, -1], self._twist[:, -1], period),
        )
        spot = held_position(place, yaw, chosen.hold_gap)
        carried = held_velocity(
            world_velocity(yaw, velocity[:, :2]), velocity[:, 2], yaw, chosen.hold_gap
        )
        ahead = kick[:, :1] * kick_direction(yaw)
        flat = np.where(kicks[:, None], ahead, carried)
        up = np.where(kicks, kick[:, 1], 0.0)[:, None]
        linear = np.concatenate([flat, up], axis=1)
        spin = np.where(up > 0.0, 0.0, rolling_spin(linear, chosen.ball_radius))
        played = np.concatenate([linear, spin], axis=1)
        if self.grip is None:
            height = np.full_like(spot[:, :1], chosen.hold_height)
            held_pose = np.concatenate([spot, height, pose[:, 3:]], axis=1)
            pose = np.where(held[:, None], held_pose, pose)
            twist = np.where(held[:, None], played, twist)
            moves = held
        else:
            push = self._push(self.grip, kicks, spot, played - twist, period)
            self._wrench = np.where(held[:, None], push, 0.0)
            moves = np.zeros_like(held)
        return self._kept_in(pose, twist, moves)

    def _kept_in(self, pose: Floats, twist: Floats, moves: Bools) -> tuple[Floats, Floats, Bools]:
        """Returns pose, twist and where the pose is another one, by the boundary rule."""
        if not self.keeps_ball_in:
            return pose, twist, moves
        pose, over = self.ball.kept_inside(pose)
        return pose, np.where(over[:, None], 0.0, twist), moves | over

    def _push(
        self, grip: Grip, kicks: Bools, spot: Floats, change: Floats, period: float
    ) -> Floats:
        """Returns force and torque of dribblers and kickers on the balls, (W, 6) [N, N m].

        Args:
            grip: Of the dribblers.
            kicks: Where the ball is kicked, (W,).
            spot: Where it is to be held, (W, 2) [m].
            change: Of its twist that is wanted, (W, 6).
            period: Of a tick [s].
        """
        chosen = self.dialect
        pull = grip.pull(spot - self.ball_place[:, :2], change[:, :2], chosen.ball_mass)
        kick = np.concatenate(
            [
                impulse_force(change[:, :3], chosen.ball_mass, period),
                impulse_force(change[:, 3:], chosen.ball_inertia, period),
            ],
            axis=1,
        )
        hold = np.concatenate([pull, np.zeros((len(pull), 4))], axis=1)
        return np.where(kicks[:, None], kick, hold)


def _upright(place: Floats, yaw: Floats) -> Floats:
    """Returns poses on the ground, (..., 7)."""
    zero = np.zeros_like(yaw)
    x, y, half = place[..., 0], place[..., 1], 0.5 * yaw
    return np.stack([x, y, zero, zero, zero, np.sin(half), np.cos(half)], axis=-1)
