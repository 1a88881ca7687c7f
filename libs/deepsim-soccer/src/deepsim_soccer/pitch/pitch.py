# SPDX-License-Identifier: Apache-2.0
"""Two teams of robots and a ball in each of W worlds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Euler, Pose
from deepsim_soccer.description import CYAN, MAGENTA, ball_sdf, robot_sdf
from deepsim_soccer.dialect import Dialect, find_dialect
from deepsim_soccer.field import Field, starting_places
from deepsim_soccer.skills import (
    body_velocity,
    held_position,
    held_velocity,
    kick_direction,
    rolling_spin,
    world_velocity,
)
from deepsim_soccer.skills.ball import in_reach
from deepsim_soccer.skills.motion import Floats, anywhere, limited
from deepsim_spawn import ModelSpawner
from deepsim_sync import World, square_sum

from .ball import NOBODY, Ball, Bools, Numbers, next_holder
from .touches import Touches

TEAMS = ("cyan", "magenta")
LOST_PAUSE = 3.0  # time before a robot that lost a duel may hold the ball again [s]
DUEL = 0.5  # mean time for which robots of two teams struggle for a held ball [s]
KICK_PAUSE = 0.5  # time before a robot that kicked may hold it again [s]
_ADJUSTABLE = (
    *("wheel_speed", "wheel_acceleration", "wheel_braking", "ball_decay"),
    *("hold_distance", "hold_angle", "hold_gap", "hold_height", "hold_in_3d", "grip"),
    *("pass_limit", "pass_factor", "lob_height", "lob_limit", "lob_speed", "lob_factors"),
)
_REST = np.zeros(6)
_RETREAT = 3.0  # outward speed of a robot per metre that it is too near to the ball [1/s]
_TILT = 1e-4  # above this height [m] or quaternion x or y, a robot is put upright


class Pitch:
    """N robots that drive, dribble and kick, and a ball, in each of W worlds.

    Cyan plays to the right (+x), magenta to the left. Set `command`, `dribbles` and `kick`, then
    call `drive` once per tick; after the tick, `sense` reads the new state. Positions and
    velocities are in the world frame unless stated otherwise.

    Args:
        world: World made from `world_sdf`; the pitch spawns the robots and the ball in it.
        robots: Number of robots per team, or of cyan and of magenta; at most 11 each.
        dialect: Dialect that defines the constants, by name or as a `Dialect`.
        keeps_ball_in: Whether a ball that crosses a line is put back inside, at rest, as in
            gazebo_visual. Otherwise only the boundary of the field stops it.

    Attributes:
        names: Names of the robots, (N,): cyan_0, ..., magenta_0, ...
        team: Team of each robot, (N,): 0 cyan, 1 magenta.
        side: 1 for each robot of cyan, -1 for magenta, (N,).
        command: Commanded V_x, V_y [m/s] and w [rad/s] in each robot's frame, (W, N, 3).
        dribbles: Whether each robot takes the ball when it can, (W, N).
        kick: Horizontal and vertical speed of each robot's kick, (W, N, 2) [m/s]; 0 for no kick.
            A kick takes effect if the robot holds the ball; `drive` clears all kicks. A pass along
            the ground is at most as fast as the dialect's `pass_limit`.
        distance: Distance from the ball that each robot has to keep, (W, N) [m]; 0 for any. Robots
            that are nearer drive away, and others stop there, whatever their commands are.
        sent_off: Whether each robot left the match, (W, N); see `send_off`.
        keeper: Whether each robot is its team's keeper, the first that was not sent off, (W, N).
        holder: Number of the robot that holds the ball, (W,); -1 for nobody.
        kicked: Number of the robot that kicked in the last `drive`, (W,); -1 for nobody.
        halted: Whether robots ignore their commands, stand still and take no ball, (W,).
        got: Position of the ball when its latest holder got it, (W, 2) [m].
        touched: Number of the robot whose body, dribbler or kicker the ball met last, (W,); -1 if
            nobody touched it since it was put somewhere.
        place: Position of each robot, (W, N, 2) [m].
        yaw: Yaw of each robot, (W, N) [rad].
        heading: Unit vector D_K of each robot's kicker, (W, N, 2).
        velocity: V_x, V_y and w of each robot in its own frame, (W, N, 3).
        ball_pose: Pose of the ball, (W, 7) [m, unit quaternion].
        ball_place: Position of the ball, (W, 3) [m].
        ball_velocity: Velocity of the ball, (W, 3) [m/s].

    Example:
        >>> simulator = MujocoSimulator(GazeboXMLLoader().load_world(world_sdf()), worlds=16)
        >>> pitch = Pitch(World(simulator, steps_per_tick=4), robots=3)
        >>> pitch.command[..., 0] = 1.0  # all robots drive ahead at 1 m/s
        >>> for _ in range(80):  # 2 s
        ...     pitch.drive()
        ...     _ = pitch.world.tick()
        ...     pitch.sense()
        >>> pitch.velocity[15, 0].round(2) + 0.0
        array([1., 0., 0.])
    """

    def __init__(
        self,
        world: World,
        robots: int | tuple[int, int] = 1,
        dialect: str | Dialect = "legal",
        *,
        keeps_ball_in: bool = False,
    ) -> None:
        counts = (robots, robots) if isinstance(robots, int) else tuple(robots)
        if min(counts) < 0 or not 1 <= max(counts) <= 11:
            raise ValueError(f"robots must be 1 to 11 of a team, got {robots}")
        self.world, self.dialect = world, find_dialect(dialect)
        self.field, self.keeps_ball_in = Field.of(self.dialect), keeps_ball_in
        self.ball = Ball(self.dialect, self.field)
        self.names = [
            f"{name}_{i}" for name, n in zip(TEAMS, counts, strict=True) for i in range(n)
        ]
        self.team: Numbers = np.repeat(np.arange(2), counts)
        self.side = 1.0 - 2.0 * self.team
        self._spawn()
        self._rows = world.models.select([*self.names, "ball"])
        self._robots = world.models.select(self.names)
        self._ball_row = world.models.select(["ball"])
        self._seen = b""  # poses and twists that `sense` read last
        shape = len(world), len(self.names)
        self.command, self.kick = np.zeros((*shape, 3)), np.zeros((*shape, 2))
        self.dribbles: Bools = np.ones(shape, np.bool_)
        self.pause, self.distance = np.zeros(shape), np.zeros(shape)
        self.sent_off: Bools = np.zeros(shape, np.bool_)
        self.keeper: Bools = np.zeros(shape, np.bool_)
        self.send_off(self.sent_off)
        self.holder: Numbers = np.full(len(world), NOBODY)
        self.kicked, self.touched = self.holder.copy(), self.holder.copy()
        self.halted: Bools = np.zeros(len(world), np.bool_)
        self.got = np.zeros((len(world), 2))
        self._touches = Touches(
            world, self.names, self.dialect.robot_radius + self.dialect.ball_radius
        )
        self.sense()
        self._touches.begin(self._way, self._twist)

    def _spawn(self) -> None:
        """Spawns the teams at their kick-off places, and the ball."""
        places, yaws = starting_places(np.bincount(self.team, minlength=2), self.field.length)
        for team, color in enumerate((CYAN, MAGENTA)):
            poses = {
                self.names[i]: Pose((*places[i], 0.0), Euler(0.0, 0.0, yaws[i]))
                for i in np.flatnonzero(self.team == team)
            }
            if poses:
                ModelSpawner(robot_sdf(self.dialect, color)).spawn_many(self.world, poses)
        height = Pose((0.0, 0.0, self.dialect.ball_radius))
        ModelSpawner(ball_sdf(self.dialect)).spawn(self.world, "ball", height)

    def sense(self) -> None:
        """Reads the poses and velocities of the robots and the ball, and who touched the ball."""
        pose, twist = self._rows.pose, self._rows.twist
        seen = pose.tobytes() + twist.tobytes()
        if seen == self._seen:
            return
        self._seen, self._pose, self._twist = seen, pose, twist
        self.ball_pose: Floats = pose[:, -1]
        self.place, self.ball_place = pose[:, :-1, :2], pose[:, -1, :3]
        self.yaw = 2.0 * np.arctan2(pose[:, :-1, 5], pose[:, :-1, 6])
        # Components first, (2, W, N) and (3, W, N): this is faster in NumPy for few robots.
        self._turn = np.empty((2, *self.yaw.shape))
        self._moving = np.empty((3, *self.yaw.shape))
        c, s = np.cos(self.yaw, out=self._turn[0]), np.sin(self.yaw, out=self._turn[1])
        x, y = twist[:, :-1, :2].transpose(2, 0, 1).copy()
        np.add(c * x, s * y, out=self._moving[0])
        np.subtract(c * y, s * x, out=self._moving[1])
        self._moving[2] = twist[:, :-1, 5]
        self.heading = np.ascontiguousarray(self._turn.transpose(1, 2, 0))
        self.velocity = np.ascontiguousarray(self._moving.transpose(1, 2, 0))
        self.ball_velocity = twist[:, -1, :3]
        self._way = self.ball_place[:, None, :2] - self.place
        x, y = self._way[..., 0], self._way[..., 1]
        self._square = x * x + y * y  # of the distances of robots from the ball, (W, N) [m²]
        self._touches.update(self.touched, self.holder, self._square, self._way, twist)

    def put_robots(self, worlds: ArrayLike, place: ArrayLike, yaw: ArrayLike) -> None:
        """Places all robots of some worlds, at rest.

        Args:
            worlds: Numbers of the worlds, (w,).
            place: Positions, (w, N, 2) [m].
            yaw: Yaws, (w, N) [rad].
        """
        self.sense()  # touches until now
        worlds = np.asarray(worlds, np.intp)
        pose = _upright(np.asarray(place, np.float64), np.asarray(yaw, np.float64))
        self._robots.put(worlds, pose=pose, twist=_REST)
        self.command[worlds], self.kick[worlds], self.pause[worlds] = 0.0, 0.0, 0.0
        self.distance[worlds] = 0.0
        self.holder[worlds] = self.kicked[worlds] = self.touched[worlds] = NOBODY
        self.sense()

    def put_ball(self, worlds: ArrayLike, place: ArrayLike) -> None:
        """Places the balls of some worlds, (w,), on the ground at rest; `place` is (w, 2) [m].

        Nobody has touched them since.
        """
        self.sense()  # touches until now
        worlds = np.asarray(worlds, np.intp)
        pose = np.zeros((len(worlds), 1, 7))
        pose[:, 0, :2], pose[:, 0, 2], pose[:, 0, 6] = place, self.dialect.ball_radius, 1.0
        self._ball_row.put(worlds, pose=pose, twist=_REST)
        self.holder[worlds] = self.touched[worlds] = NOBODY
        self.sense()

    def change(self, **constants: object) -> None:
        """Changes constants of the dialect while the worlds run, for the ticks to come.

        Those of driving, dribbling, kicking and rolling can change; masses, sizes, gravity and the
        physics step are those of the world.

        Raises:
            ValueError: A constant has no such name, or is fixed.

        Example:
            >>> pitch.change(hold_distance=0.45, ball_decay=0.3)
            >>> pitch.dialect.hold_distance
            0.45
        """
        for name in constants:
            if name not in _ADJUSTABLE:
                known = ", ".join(_ADJUSTABLE)
                raise ValueError(f"{name!r} cannot be changed; expected one of {known}")
        self.dialect = replace(self.dialect, **constants)  # type: ignore[arg-type]
        self.ball = Ball(self.dialect, self.field)

    def send_off(self, robots: Bools) -> None:
        """Sets which robots left the match, (W, N): they do nothing, and cannot be keepers."""
        self.sent_off = np.array(robots, np.bool_)
        for team in (0, 1):
            ours = (self.team == team) & ~self.sent_off
            self.keeper[:, self.team == team] = (ours & (ours.cumsum(axis=1) == 1))[
                :, self.team == team
            ]

    def drive(self, worlds: NDArray[np.intp] | None = None) -> None:
        """Sets the motion of robots and balls for one tick.

        First the holder of each ball is determined, then the holder may kick it. Robots approach
        their commands as fast as their wheels allow.

        Args:
            worlds: Numbers of the worlds that tick, (w,); all by default.
        """
        period = self.world.delta_time
        self.sense()
        on = None if worlds is None or len(worlds) == len(self.world) else worlds
        moved = self._wheels(period)
        holder = self._take(on, period)
        ball_pose, ball_twist, replaced = self._ball(on, holder, moved, period)
        (c, s), (x, y, w) = self._turn, moved
        twist = np.zeros(self._twist.shape)
        np.subtract(c * x, s * y, out=twist[:, :-1, 0])
        np.add(c * y, s * x, out=twist[:, :-1, 1])
        twist[:, :-1, 5] = w
        twist[:, -1] = ball_twist
        self._touches.begin(self._way, twist)
        chosen = slice(None) if on is None else on
        self._rows.put(on, twist=twist[chosen])
        self._put_poses(on, ball_pose, replaced)
        self.kick[chosen] = 0.0

    def _put_poses(
        self, worlds: NDArray[np.intp] | None, ball_pose: Floats, replaced: Bools
    ) -> None:
        """Sets poses only where necessary: for replaced balls and tilted robots."""
        tilt = self._pose[:, :-1, 2:5]
        # A small sum means that no robot tilts; it is NaN if a world diverged.
        if not square_sum(tilt) <= _TILT * _TILT:
            put = np.flatnonzero(self._active(worlds) & (np.abs(tilt).max(axis=(1, 2)) > _TILT))
            if len(put):
                self._robots.put(put, pose=_upright(self.place[put], self.yaw[put]))
        if anywhere(replaced):
            put = np.flatnonzero(self._active(worlds) & replaced)
            self._ball_row.put(put, pose=ball_pose[put, None])

    def _active(self, worlds: NDArray[np.intp] | None) -> Bools:
        """Returns whether each world ticks, (W,)."""
        active = np.zeros(len(self.world), np.bool_)
        active[slice(None) if worlds is None else worlds] = True
        return active

    def _wheels(self, period: float) -> Floats:
        """Returns V_x, V_y and w that robots reach in a tick, in the robots' frames, (3, W, N)."""
        chosen, command = self.dialect, self.command
        if anywhere(self.halted):
            command = np.where(self.halted[:, None, None], 0.0, command)
        if anywhere(self.sent_off):
            command = np.where(self.sent_off[..., None], 0.0, command)
        if self.distance.any():
            command = self._kept_off(command)
        both = np.empty((2, *self._moving.shape))
        both[0], both[1] = command.transpose(2, 0, 1), self._moving
        up, down = period * chosen.wheel_acceleration, period * chosen.wheel_braking
        return limited(both, chosen.wheel_arm, chosen.wheel_speed, up, down)

    def _kept_off(self, command: Floats) -> Floats:
        """Returns commands, (W, N, 3), that respect `distance`."""
        lines = self.ball.half
        # A robot that is off the field moves along the line.
        way = self.ball_place[:, None, :2] - np.clip(self.place, -lines, lines)
        way /= np.maximum(np.sqrt((way * way).sum(axis=-1, keepdims=True)), 1e-9)
        ahead, left = body_velocity(self.yaw, way).transpose(2, 0, 1)
        allowed = _RETREAT * np.maximum(np.sqrt(self._square) - self.distance, -1.0)
        speed = command[..., 0] * ahead + command[..., 1] * left
        excess = np.where(self.distance > 0.0, np.maximum(speed - allowed, 0.0), 0.0)
        kept = command.copy()
        kept[..., 0] -= excess * ahead
        kept[..., 1] -= excess * left
        return kept

    def _take(self, worlds: NDArray[np.intp] | None, period: float) -> Numbers:
        """Returns the holder of each ball, (W,); updates the pauses of robots that lost one."""
        chosen, waits = self.dialect, self.pause > 0.0
        reach: float | Floats = chosen.hold_distance
        if chosen.hold_in_3d:
            height = self.ball_place[:, 2:]
            reach = np.sqrt(np.maximum(chosen.hold_distance**2 - height * height, 0.0))
        able = in_reach(self._way, self.heading, reach, chosen.hold_angle)
        on = slice(None) if worlds is None else worlds
        self.pause[on] = np.maximum(self.pause[on] - period, 0.0)
        if anywhere(able):
            able &= self.dribbles & ~waits & ~self.halted[:, None] & ~self.sent_off
            able &= (self.ball_place[:, 2] <= 2.0 * chosen.ball_radius + 0.02)[:, None]
        if not anywhere(able):
            return np.where(self._active(worlds), NOBODY, self.holder)
        lot, ends = self._draw(able & self._active(worlds)[:, None], period)
        holder = next_holder(self.holder, able, self._square, self.team, lot, ends)
        holder = np.where(self._active(worlds), holder, self.holder)
        for world in np.flatnonzero(ends & (self.holder != NOBODY)):
            self.pause[world, able[world] & (self.team != lot[world])] = LOST_PAUSE
        self.touched = np.where(holder != NOBODY, holder, self.touched)
        began = (holder != NOBODY) & (holder != self.holder)
        self.got = np.where(began[:, None], self.ball_place[:, :2], self.got)
        return holder

    def _draw(self, able: Bools, period: float) -> tuple[Numbers, Bools]:
        """Returns lots and whether duels end, (W,) each; a lot is -1 unless both teams are able."""
        lot = np.full(len(able), NOBODY)
        ends = np.zeros(len(able), np.bool_)
        cyan = able[:, self.team == 0].any(axis=1)
        both = np.flatnonzero(cyan & able[:, self.team == 1].any(axis=1))
        if len(both):
            drawn = self.world.uniform(0.0, 1.0, 2, both)
            lot[both], ends[both] = drawn[:, 0] < 0.5, drawn[:, 1] < period / DUEL
        return lot, ends

    def _ball(
        self, worlds: NDArray[np.intp] | None, holder: Numbers, moved: Floats, period: float
    ) -> tuple[Floats, Floats, Bools]:
        """Applies kicks; returns the balls' poses, twists, and whether each pose has to be set."""
        chosen, held = self.dialect, holder != NOBODY
        pose = self._pose[:, -1]
        twist = self.ball.roll(pose, self._twist[:, -1], period)
        active = self._active(worlds)
        if not anywhere(held):
            self.holder, self.kicked = holder, np.where(active, NOBODY, self.kicked)
            return self._kept_in(pose, twist, held)
        every, number = np.arange(len(holder)), np.maximum(holder, 0)
        yaw, place = self.yaw[every, number], self.place[every, number]
        kick, velocity = self.kick[every, number], moved[:, every, number].T
        passes = (kick[:, 1] == 0.0) & (kick[:, 0] > chosen.pass_limit)
        kick[:, 0] = np.where(passes, chosen.pass_limit, kick[:, 0])
        kicks = held & active & (np.abs(kick).max(axis=-1) > 0.0)
        self.kicked = np.where(active, np.where(kicks, holder, NOBODY), self.kicked)
        on = np.flatnonzero(kicks)
        self.pause[on, holder[on]] = KICK_PAUSE
        self.holder = np.where(kicks, NOBODY, holder)
        # A held ball is `hold_gap` ahead of the robot, and moves with it; kicks start from there.
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
        if chosen.grip is None:
            height = np.full_like(spot[:, :1], chosen.hold_height)
            held_pose = np.concatenate([spot, height, pose[:, 3:]], axis=1)
            pose = np.where(held[:, None], held_pose, pose)
            twist = np.where(held[:, None], played, twist)
            return self._kept_in(pose, twist, held)
        pulled, offset = twist.copy(), spot - pose[:, :2]
        pulled[:, :2] += chosen.grip.pull(offset, carried - twist[:, :2], chosen.ball_mass, period)
        pulled[:, 2] = np.minimum(pulled[:, 2], 0.0)  # a ball that an obstacle stops climbs nothing
        twist = np.where(kicks[:, None], played, np.where(held[:, None], pulled, twist))
        return self._kept_in(pose, twist, np.zeros_like(held))

    def _kept_in(self, pose: Floats, twist: Floats, moves: Bools) -> tuple[Floats, Floats, Bools]:
        """Applies the boundary rule, if the pitch has it, to the results of `_ball`."""
        if not self.keeps_ball_in:
            return pose, twist, moves
        pose, over = self.ball.kept_inside(pose)
        return pose, np.where(over[:, None], 0.0, twist), moves | over


def _upright(place: Floats, yaw: Floats) -> Floats:
    """Returns poses of upright robots on the ground, (..., 7)."""
    pose, half = np.zeros((*yaw.shape, 7)), 0.5 * yaw
    pose[..., :2], pose[..., 5], pose[..., 6] = place, np.sin(half), np.cos(half)
    return pose
