# SPDX-License-Identifier: Apache-2.0
"""A behaviour tree for a single robot, as in Fig. 5 of Yao et al. (see `deepsim_soccer.skills`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from deepsim_btree import Action, Behaviour, Check, ReactiveSequence, Retry, Sequence, Status
from deepsim_soccer.pitch import Pitch
from deepsim_soccer.skills import goal_crossing, lob_clear
from deepsim_soccer.skills.motion import Floats

from .steering import Agents, Limits, Steering, pick, running_until, truth

AIMED = math.radians(0.25)  # a turn is complete within this error [rad]
NEAR = 0.1  # a place is reached within this distance [m]
REACH = 0.40  # chasing ends at this distance from the ball [m]
MARGIN = 0.02  # and not nearer than this to the largest distance for dribbling [m]


class SoloMind:
    """A mind that scores a goal with one robot: Fig. 5 of Yao et al. as a behaviour tree.

    CHASE_BALL turns to the ball and drives to it. DRIBBLE_BALL takes the ball to a place
    (MOVE_BALL) and turns to the goal (ROTATE_BALL); if the ball is lost, CHASE_BALL starts again.
    KICK_BALL lobs the ball under the bar, RESET drives back, and HOME leaves the robot to other
    commands.

    Args:
        pitch: The robots; the mind can control each of them.
        shot: Place from which to shoot, in the team's frame [m].
        rest: Place to which RESET drives, in the team's frame [m].
        limits: Limits of speed and acceleration.

    Attributes:
        state: Name of each robot's state, (W N,); empty before its first tick.

    Example:
        >>> mind = SoloMind(pitch)
        >>> tree = Tree(mind.root(0))  # robot 0 of world 0
        >>> _ = tree.tick()
        >>> str(mind.state[0])
        'CHASE_BALL'
        >>> batch = Batch(mind.root(AGENT), len(pitch.world) * len(pitch.names))  # all robots
    """

    def __init__(
        self,
        pitch: Pitch,
        *,
        shot: tuple[float, float] = (4.0, -2.0),
        rest: tuple[float, float] = (-4.0, -2.0),
        limits: Limits | None = None,
    ) -> None:
        self.pitch, self.steering = pitch, Steering(pitch, limits)
        self.shot, self.rest = np.array(shot), np.array(rest)
        self.goal = np.array([pitch.field.length / 2.0, 0.0])
        self.state = np.full(len(pitch.world) * len(pitch.names), "", "U12")

    def root(self, agent: Agents) -> Behaviour:
        """Returns the tree of the robot with this number; for `AGENT`, the tree of a `Batch`."""

        def act(state: str, function: Callable[[Agents], Any]) -> Action:
            def leaf(numbers: Agents) -> Any:
                self.state[numbers] = state
                return function(numbers)

            return Action(leaf, agent, name=f"{state}: {function.__name__}")

        chase = [
            act("CHASE_BALL", each) for each in (self.turn_to_ball, self.reach_ball, self.take)
        ]
        dribble = Sequence(
            [act("MOVE_BALL", self.move_ball), act("ROTATE_BALL", self.rotate_ball)], "dribble"
        )
        held = ReactiveSequence([Check(self.holds, agent), dribble], "DRIBBLE_BALL")
        attack = Sequence([*chase, held, act("KICK_BALL", self.lob)], "attack")
        reset, home = act("RESET", self.go_back), act("HOME", self.wait)
        return Sequence([Retry(attack, attempts=-1), reset, home], "solo")

    def holds(self, agents: Agents) -> Any:
        """Returns whether robots hold the ball."""
        return truth(self.steering.holds(agents))

    def turn_to_ball(self, agents: Agents) -> Any:
        """Turns to the ball until the error is at most 0.25 degrees."""
        steering = self.steering
        steering.dribble(agents, False)
        steering.stop(agents, turning=False)
        return running_until(steering.turn(agents, steering.ball(agents)) <= AIMED)

    def reach_ball(self, agents: Agents) -> Any:
        """Drives to within 0.40 m of the ball, or nearer where the dialect needs it."""
        steering = self.steering
        steering.turn(agents, steering.ball(agents))
        short = min(REACH, self.pitch.dialect.hold_reach - MARGIN)
        return running_until(steering.go(agents, steering.ball(agents), short) <= 1e-3)

    def take(self, agents: Agents) -> Any:
        """Takes the ball; fails if the ball has rolled away."""
        steering = self.steering
        steering.stop(agents)
        steering.dribble(agents, True)
        way = steering.way(agents, steering.ball(agents))
        far = (way * way).sum(axis=-1) > self.pitch.dialect.hold_reach**2
        taken = pick(steering.holds(agents), Status.SUCCESS, Status.RUNNING)
        return pick(far, Status.FAILURE, taken)

    def move_ball(self, agents: Agents) -> Any:
        """Dribbles to the place of the shot."""
        return self._drive_to(agents, self.shot)

    def rotate_ball(self, agents: Agents) -> Any:
        """Turns to the goal until the error is at most 0.25 degrees."""
        self.steering.stop(agents, turning=False)
        return running_until(self.steering.turn(agents, self.goal) <= AIMED)

    def lob(self, agents: Agents) -> Any:
        """Lobs the ball under the bar; fails if no speed clears the bar."""
        steering, pitch, chosen = self.steering, self.pitch, self.pitch.dialect
        steering.stop(agents)
        yaw = steering.rows(pitch.yaw)[agents]
        spot = pitch.ball_place[steering.world[agents]][..., :2]
        away, _ = goal_crossing(spot, yaw, steering.side[agents] * self.goal[0])
        away = np.clip(away, 1.0, 2.0 * self.goal[0])
        shot = lob_clear(
            away, radius=chosen.ball_radius, gravity=chosen.gravity, max_speed=chosen.lob_speed
        )
        steering.shoot(agents, np.nan_to_num(shot.ahead), np.nan_to_num(shot.up))
        gone = pick(steering.holds(agents), Status.RUNNING, Status.SUCCESS)
        return pick(shot.possible, gone, Status.FAILURE)

    def go_back(self, agents: Agents) -> Any:
        """Drives back to `rest`."""
        return self._drive_to(agents, self.rest)

    def wait(self, agents: Agents) -> Any:
        """Leaves the robots to other commands."""
        return Status.RUNNING

    def _drive_to(self, agents: Agents, place: Floats) -> Any:
        self.steering.turn(agents, place)
        done = self.steering.go(agents, place) <= NEAR
        self.steering.stop(np.asarray(agents)[done])
        return running_until(done)
