# SPDX-License-Identifier: Apache-2.0
"""The mind of a team: roles, and a behaviour tree for each robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_btree import (
    AGENT,
    Action,
    Behaviour,
    Check,
    ReactiveSelector,
    ReactiveSequence,
    Status,
)
from deepsim_btree.batch import Batch
from deepsim_soccer.pitch import Pitch
from deepsim_soccer.skills import lob_clear
from deepsim_soccer.skills.motion import Floats

from .formation import FRONT, Role, assign_roles, order, posts
from .steering import Agents, Limits, Steering, truth

RANGE = 5.5  # a robot shoots within this distance of the goal if the way is clear [m]
CLOSE = 2.3  # a robot always shoots within this distance of the goal [m]
SHOT, CLEARANCE = 10.0, 5.0  # speeds of kicks [m/s]
ARRIVAL = 2.0  # speed at which a pass arrives [m/s]
PACE = Limits(3.5, 2.5, 0.05, 5.0, 10.0, 0.05)  # limits of robots in a match
LANE = 0.4  # a kick is clear if opponents are farther from its line than this [m]
AIMED = math.radians(2.5)  # a robot kicks within this error of its aim [rad]
PRESSED = 1.6  # a robot passes if an opponent ahead is within this distance [m]
RELEASE = 2.5  # after dribbling this far, a robot pushes the ball ahead; 3 m are a foul [m]
PUSH = 2.5  # speed at which it pushes the ball [m/s]
SHY = 0.15  # distance that the attacker keeps from forbidden areas [m]
WALL = 0.4  # and that robots that wait keep, who are pushed now and then [m]
CORNER = 0.72  # distance of an aim from the middle of the goal [m]
THROUGH = 2.0  # distance of a through ball ahead of the mate who is to get it [m]
GAIN = 2.0  # a robot passes to a free mate who is farther ahead than itself by this distance [m]
FREE = 1.5  # a mate is free if no opponent is within this distance of where it gets the ball [m]
LOB_RANGE = (2.5, 6.5)  # distances from the goal line of a lob at the goal [m]
OVER = 0.95  # a ball whose centre is higher flies over robots [m]
ELBOW = 1.1  # robots that wait keep this distance from their mates [m]


class TeamMind:
    """The mind of both teams in all worlds, with attacker, supporters, defenders and keeper.

    Call `tick` after `Pitch.sense` and before `Pitch.drive`, and `forget` before a new match.

    Args:
        pitch: The robots and the ball.
        robots: Numbers of the robots to command, each in 0 .. N - 1; all by default.
        limits: Limits of speed and acceleration.
        period: Time between two calls of `tick` [s]; by default the duration of a world tick.

    Attributes:
        role: `Role` of each robot, (W, N).
        post: Where each robot waits in its team's formation, (W, N, 2) [m], in the team's frame.

    Example:
        >>> mind = TeamMind(pitch)
        >>> for _ in range(3):
        ...     pitch.sense()
        ...     mind.tick()
        ...     pitch.drive()
        ...     _ = pitch.world.tick()
        >>> Role(mind.role[0, 0]).name  # a team of one has no keeper
        'ATTACKER'
    """

    def __init__(
        self,
        pitch: Pitch,
        robots: NDArray[np.intp] | None = None,
        limits: Limits | None = None,
        period: float | None = None,
    ) -> None:
        self.pitch, self.steering = pitch, Steering(pitch, limits or PACE, period)
        count = len(pitch.names)
        self.robots = np.arange(count) if robots is None else np.asarray(robots)
        self.role = np.full((len(pitch.world), count), int(Role.DEFENDER))
        self.post = np.full((*self.role.shape, 2), np.nan)
        self.half = pitch.field.length / 2.0
        self.goal = np.array([self.half, 0.0])
        self.lobbed = np.zeros((len(pitch.world) * count, 2))  # speeds ahead and up of a lob [m/s]
        # The lobs that pass under the bar, by the distance from the goal line.
        self.ways = np.linspace(*LOB_RANGE, 51)
        chosen = pitch.dialect
        self.lobs = lob_clear(
            self.ways,
            radius=chosen.ball_radius,
            gravity=chosen.gravity,
            max_speed=chosen.lob_speed,
        )
        self.aim = np.zeros((len(pitch.world) * count, 2))  # of a shot or pass, team's frame [m]
        self.batch = Batch(self.root(AGENT), len(pitch.world) * count)

    def tick(self, worlds: NDArray[np.intp] | None = None) -> None:
        """Commands the robots of some worlds, (w,); all by default."""
        role = assign_roles(self.pitch, self.role)
        waits = (role == Role.DEFENDER) & ~self.pitch.sent_off
        row, lane, size = order(self.pitch, waits, self.post)
        role = np.where(waits & (row == FRONT), Role.SUPPORTER, role)
        post = np.where(waits[..., None], posts(self.pitch, row, lane, size), np.nan)
        on = np.arange(len(self.role)) if worlds is None else worlds
        self.role[on], self.post[on] = role[on], post[on]
        numbers = (on[:, None] * self.role.shape[1] + self.robots).reshape(-1)
        self.batch.tick(numbers)

    def forget(self, worlds: NDArray[np.intp]) -> None:
        """Forgets the roles and posts of some worlds, (w,), before new matches."""
        self.role[worlds], self.post[worlds] = Role.DEFENDER, np.nan
        count = self.role.shape[1]
        self.batch.reset((np.asarray(worlds)[:, None] * count + np.arange(count)).reshape(-1))

    def root(self, agent: Agents) -> Behaviour:
        """Returns the tree of the robot with this number; for `AGENT`, the tree of a `Batch`."""

        def check(function: Callable[[Agents], Any]) -> Check:
            return Check(function, agent)

        def act(function: Callable[[Agents], Any]) -> Action:
            return Action(function, agent)

        def when(function: Callable[[Agents], Any], *then: Behaviour) -> Behaviour:
            return ReactiveSequence([check(function), *then], function.__name__)

        play = ReactiveSelector(
            [
                when(self.sees_goal, act(self.shoot)),
                when(self.sees_lob, act(self.lob)),
                when(self.sees_free_mate, act(self.play_pass)),
                when(self.is_pressed, check(self.sees_mate), act(self.play_pass)),
                when(self.has_dribbled, act(self.push_on)),
                act(self.dribble_on),
            ],
            "play",
        )
        clear = ReactiveSelector(
            [when(self.sees_mate, act(self.play_pass)), act(self.clear)], "clear"
        )
        keep = ReactiveSelector([when(self.holds, clear), act(self.guard)], "keep")
        return ReactiveSelector(
            [
                when(self.is_keeper, keep),
                when(self.holds, play),
                when(self.is_attacker, act(self.chase)),
                act(self.wait),
            ],
            "robot",
        )

    # Checks

    def is_keeper(self, agents: Agents) -> Any:
        """Returns whether robots are keepers."""
        return self._has_role(agents, Role.KEEPER)

    def is_attacker(self, agents: Agents) -> Any:
        """Returns whether robots are attackers."""
        return self._has_role(agents, Role.ATTACKER)

    def holds(self, agents: Agents) -> Any:
        """Returns whether robots hold the ball."""
        return truth(self.steering.holds(agents))

    def sees_goal(self, agents: Agents) -> Any:
        """Returns whether robots should shoot: the goal is close, or in range with a clear corner.

        The clearer corner becomes the aim.
        """
        ball, numbers = self.steering.ball(agents), np.asarray(agents)
        corners = [np.broadcast_to([self.half, side * CORNER], ball.shape) for side in (-1, 1)]
        gaps = [self._lane(numbers, ball, corner) for corner in corners]
        better = gaps[1] > gaps[0]
        self.aim[agents] = np.where(better[..., None], corners[1], corners[0])
        way = self.goal - ball
        distance = np.sqrt((way * way).sum(axis=-1))
        clear = np.where(better, gaps[1], gaps[0]) > LANE
        return truth((clear & (distance < RANGE)) | (distance < CLOSE))

    def is_pressed(self, agents: Agents) -> Any:
        """Returns, for each robot, whether an opponent is close to it and ahead."""
        numbers = np.asarray(agents)
        place, others, rivals = self._others(numbers)
        way = others - place[..., None, :]
        near = (way * way).sum(axis=-1) < PRESSED * PRESSED
        return truth((rivals & near & (way[..., 0] > -0.2)).any(axis=-1))

    def sees_lob(self, agents: Agents) -> Any:
        """Returns whether robots can lob the ball over opponents into a corner of the goal."""
        ball, numbers = self.steering.ball(agents), np.asarray(agents)
        best, aim = np.full(ball.shape[:-1], -1.0), np.zeros_like(ball)
        speeds = np.zeros_like(ball)
        for side in (-1.0, 1.0):
            corner = np.broadcast_to([self.half, side * CORNER], ball.shape)
            way = corner - ball
            length = np.sqrt((way * way).sum(axis=-1))
            inside = (length > LOB_RANGE[0]) & (length < LOB_RANGE[1])
            ahead = np.interp(length, self.ways, np.nan_to_num(self.lobs.ahead))
            up = np.interp(length, self.ways, np.nan_to_num(self.lobs.up))
            gap = np.where(
                inside & (ahead > 0.0), self._flight(numbers, ball, corner, ahead, up), -1.0
            )
            better = gap > best
            best = np.where(better, gap, best)
            aim = np.where(better[..., None], corner, aim)
            speeds = np.where(better[..., None], np.stack([ahead, up], axis=-1), speeds)
        self.aim[agents], self.lobbed[agents] = aim, speeds
        return truth(best > LANE)

    def sees_free_mate(self, agents: Agents) -> Any:
        """Returns whether a free mate is farther ahead, at its place or where it can run to."""
        return self._sees(agents, GAIN, FREE)

    def sees_mate(self, agents: Agents) -> Any:
        """Returns whether robots can pass to a teammate; the foremost such mate becomes the aim."""
        return self._sees(agents, -3.0, 0.0)

    def _sees(self, agents: Agents, gain: float, free: float) -> Any:
        """Returns whether there is a pass to a mate at least `gain` ahead whom nobody is near."""
        numbers = np.asarray(agents)
        place, others, rivals = self._others(numbers)
        ball = self.steering.ball(agents)
        ahead = np.minimum(others[..., 0] + THROUGH, self.half - 2.9)
        runs = np.stack([np.maximum(ahead, others[..., 0]), others[..., 1]], axis=-1)
        spots = np.concatenate([others, runs], axis=-2)  # passes to feet, then through balls
        way = spots - place[..., None, :]
        distance = np.sqrt((way * way).sum(axis=-1))
        mates = np.concatenate([~rivals, ~rivals], axis=-1)
        mates &= (distance > 1.5) & (distance < 9.0) & (way[..., 0] > gain)
        own = np.asarray(numbers % self.steering.robots)[..., None]
        mates &= np.arange(spots.shape[-2]) % self.steering.robots != own
        count = others.shape[-2]
        off = spots[..., :, None, :] - others[..., None, :, :]
        near = np.where(rivals[..., None, :], (off * off).sum(axis=-1), 1e6).min(axis=-1)
        clear = np.sqrt(near) > np.r_[np.full(count, free), np.full(count, max(free, 2.0 * FREE))]
        gaps = self._lanes(ball, spots, others, rivals)
        score = np.where(mates & clear & (gaps > LANE), spots[..., 0], -1e6)
        best = score.argmax(axis=-1)[..., None]
        found = np.take_along_axis(score, best, axis=-1)[..., 0] > -1e5
        self.aim[agents] = np.take_along_axis(spots, best[..., None], axis=-2)[..., 0, :]
        return truth(found)

    def has_dribbled(self, agents: Agents) -> Any:
        """Returns whether robots have dribbled nearly as far as the rules allow."""
        worlds = self.steering.world[np.asarray(agents)]
        way = self.pitch.ball_place[worlds, :2] - self.pitch.got[worlds]
        return truth((way * way).sum(axis=-1) > RELEASE * RELEASE)

    # Actions

    def shoot(self, agents: Agents) -> Any:
        """Turns towards the aim and shoots along the ground."""
        return self._kick(agents, SHOT)

    def lob(self, agents: Agents) -> Any:
        """Turns towards the aim and lobs the ball under the bar."""
        return self._kick(agents, self.lobbed[agents][..., 0], self.lobbed[agents][..., 1])

    def play_pass(self, agents: Agents) -> Any:
        """Turns towards the aim and passes; the ball arrives at 2 m/s, as v² = 2² + 2 mu g s."""
        way = self.aim[agents] - self.steering.ball(agents)
        distance = np.sqrt((way * way).sum(axis=-1))
        speed = np.sqrt(ARRIVAL**2 + 2.0 * self.pitch.ball.deceleration * distance)
        return self._kick(agents, np.minimum(speed, self.pitch.dialect.pass_limit))

    def clear(self, agents: Agents) -> Any:
        """Kicks the ball away from the team's own goal, towards the nearer touch line."""
        ball = self.steering.ball(agents)
        side = np.where(ball[..., 1] >= 0.0, 1.0, -1.0)
        self.aim[agents] = np.stack([np.zeros_like(side), 3.5 * side], axis=-1)
        return self._kick(agents, CLEARANCE)

    def push_on(self, agents: Agents) -> Any:
        """Kicks the ball a little ahead; after that, the robot may dribble it again."""
        self.steering.shoot(agents, PUSH)
        return Status.RUNNING

    def dribble_on(self, agents: Agents) -> Any:
        """Dribbles towards the goal, around opponents."""
        self.steering.turn(agents, self.goal)
        self._drive(agents, np.broadcast_to(self.goal - [1.5, 0.0], (*np.shape(agents), 2)))
        return Status.RUNNING

    def chase(self, agents: Agents) -> Any:
        """Drives to where the ball is going, and faces it."""
        steering, numbers = self.steering, np.asarray(agents)
        ball, place = steering.ball(agents), steering.place(agents)
        way = ball - place
        time = np.minimum(np.sqrt((way * way).sum(axis=-1)) / steering.limits.speed, 1.0)
        moving = self.pitch.ball_velocity[steering.world[numbers]][..., :2]
        ahead = (steering.side[numbers] * time)[..., None] * moving
        faces = steering.turn(agents, ball) < 0.25
        steering.dribble(agents, True)
        # A robot that comes from the side turns before it touches the ball.
        spot = self._outside(self._bounded(ball + ahead), self.pitch.field.goal_area)
        steering.go(agents, spot, np.where(faces, 0.2, 0.55))
        return Status.RUNNING

    def wait(self, agents: Agents) -> Any:
        """Goes to the post in the formation, faces the ball, and keeps away from mates."""
        numbers = np.asarray(agents)
        place, others, rivals = self._others(numbers)
        way = place[..., None, :] - others
        distance = np.sqrt((way * way).sum(axis=-1))
        close = ~rivals & (distance > 1e-6) & (distance < ELBOW)
        push = np.where(close, (ELBOW - distance) / np.maximum(distance, 1e-6), 0.0)
        post = self.steering.rows(self.post)[agents]
        post = np.where(np.isfinite(post), post, place) + (push[..., None] * way).sum(axis=-2)
        self.steering.dribble(agents, True)
        self.steering.turn(agents, self.steering.ball(agents))
        depth = self.pitch.field.penalty_area + WALL - SHY
        self._drive(agents, self._outside(self._bounded(post), depth))
        return Status.RUNNING

    def guard(self, agents: Agents) -> Any:
        """Stands in the goal where the ball will arrive, or would arrive if it were shot now."""
        steering, numbers = self.steering, np.asarray(agents)
        ball, line = steering.ball(agents), -self.half + 0.45
        moving = (
            steering.side[numbers][..., None] * self.pitch.ball_velocity[steering.world[numbers]]
        )
        coming = moving[..., 0] < -1.0
        time = (ball[..., 0] - line) / np.maximum(-moving[..., 0], 1.0)
        straight = ball[..., 1] * 0.6 / np.maximum(ball[..., 0] + self.half, 0.6)
        y = np.where(coming, ball[..., 1] + moving[..., 1] * time, straight)
        spot = np.stack([np.full_like(y, line), np.clip(y, -0.85, 0.85)], axis=-1)
        steering.dribble(agents, True)
        steering.turn(agents, ball)
        steering.go(agents, spot)
        return Status.RUNNING

    def _has_role(self, agents: Agents, role: Role) -> Any:
        return truth(self.role.reshape(-1)[agents] == role)

    def _kick(self, agents: Agents, speed: Any, up: Any = 0.0) -> Any:
        steering = self.steering
        steering.stop(agents, turning=False)
        left = steering.turn(agents, self.aim[agents])
        aimed = left <= AIMED
        steering.shoot(agents, np.where(aimed, speed, 0.0), np.where(aimed, up, 0.0))
        return Status.RUNNING

    def _outside(self, spot: Floats, depth: float) -> Floats:
        """Moves spots out of the areas of a given depth in front of the goals."""
        side = self.pitch.field.goal_width / 2.0 + depth + SHY
        front = self.half - depth - SHY
        x, y = spot[..., 0], spot[..., 1]
        inside = (np.abs(x) > front) & (np.abs(y) < side)
        return np.stack([np.where(inside, np.copysign(front, x), x), y], axis=-1)

    def _bounded(self, spot: Floats) -> Floats:
        limit = np.array([self.half, self.pitch.field.width / 2.0]) - 0.2
        return np.clip(spot, -limit, limit)

    def _drive(self, agents: Agents, target: Floats) -> None:
        """Drives to a target, and evades the first robot in the way."""
        numbers = np.asarray(agents)
        place, others, _ = self._others(numbers)
        way = target - place
        length = np.maximum(np.sqrt((way * way).sum(axis=-1)), 1e-6)
        ahead = way / length[..., None]
        there = others - place[..., None, :]
        along = there[..., 0] * ahead[..., None, 0] + there[..., 1] * ahead[..., None, 1]
        across = there[..., 1] * ahead[..., None, 0] - there[..., 0] * ahead[..., None, 1]
        blocks = (
            (along > 0.0) & (along < np.minimum(length, 1.5)[..., None]) & (np.abs(across) < 0.65)
        )
        first = np.where(blocks, along, 1e6).argmin(axis=-1)[..., None]
        blocked = np.take_along_axis(blocks, first, axis=-1)
        across = np.take_along_axis(across, first, axis=-1)
        left = np.stack([-ahead[..., 1], ahead[..., 0]], axis=-1)
        along = np.take_along_axis(along, first, axis=-1)
        aside = across - np.where(across > 0.0, 0.8, -0.8)
        around = place + along * ahead + aside * left
        self.steering.go(agents, np.where(blocked, around, target))

    def _others(self, numbers: NDArray[np.intp]) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Returns the robots' positions, all robots' positions, and whether those are rivals.

        Shapes are (..., 2) [m], (..., N, 2) [m] and (..., N); positions are in the team's frame. A
        robot counts as its own teammate.
        """
        steering = self.steering
        side = steering.side[numbers]
        all_places = side[..., None, None] * self.pitch.place[steering.world[numbers]]
        return steering.place(numbers), all_places, self.pitch.side != side[..., None]

    def _lane(self, numbers: NDArray[np.intp], start: Floats, end: Floats) -> Floats:
        """Returns the nearest rival's distance from the segment between two points, (...) [m]."""
        _, others, rivals = self._others(numbers)
        return self._lanes(start, end[..., None, :], others, rivals)[..., 0]

    def _lanes(
        self, start: Floats, ends: Floats, others: Floats, rivals: NDArray[np.bool_]
    ) -> Floats:
        """Returns the nearest rival's distance from segments to some points, (..., n) [m]."""
        way = (ends - start[..., None, :])[..., None, :]  # (..., n, 1, 2)
        there = (others - start[..., None, :])[..., None, :, :]  # (..., 1, N, 2)
        share = (there * way).sum(axis=-1) / np.maximum((way * way).sum(axis=-1), 1e-9)
        off = there - np.clip(share, 0.0, 1.0)[..., None] * way
        distance = np.sqrt((off * off).sum(axis=-1))
        return np.asarray(np.where(rivals[..., None, :], distance, 1e3).min(axis=-1))

    def _flight(
        self, numbers: NDArray[np.intp], start: Floats, end: Floats, ahead: Floats, up: Floats
    ) -> Floats:
        """Returns the distance from a lob of the nearest rival that is in its way, (...) [m]."""
        _, others, rivals = self._others(numbers)
        way = end - start
        length = np.sqrt((way * way).sum(axis=-1))[..., None]
        ahead_of = way / np.maximum(length, 1e-9)
        there = others - start[..., None, :]
        along = np.clip((there * ahead_of[..., None, :]).sum(axis=-1), 0.0, length)
        off = there - along[..., None] * ahead_of[..., None, :]
        time = along / np.maximum(ahead, 1e-9)[..., None]
        chosen = self.pitch.dialect
        height = chosen.ball_radius + (up[..., None] - 0.5 * chosen.gravity * time) * time
        blocks = rivals & (height < OVER)
        distance = np.sqrt((off * off).sum(axis=-1))
        return np.asarray(np.where(blocks, distance, 1e3).min(axis=-1))
