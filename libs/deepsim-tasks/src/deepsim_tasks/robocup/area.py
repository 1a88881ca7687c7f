# SPDX-License-Identifier: Apache-2.0
"""Soccer: two teams of robots, of which one or both are agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, ArrayPolicy
from deepsim_soccer import Pitch, Referee
from deepsim_soccer.mind import TeamMind
from deepsim_sync import World, plain_attributes, restore_attributes
from deepsim_train import TrainedPolicy

from .sight import Sight

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

FASTEST = np.array([3.0, 3.0, 4.0])  # V_x, V_y [m/s] and w [rad/s] at an action of 1
KICK = 10.0  # speed of a kick at an action of 1 [m/s]
OPPONENTS = ("agents", "tree", "static", "standing")  # or the file of a trained policy

ACTION = Box(-1.0, 1.0, (5,))  # drive (3), kick, lob
GOAL = 1.0
BALL_NEARER = 0.05  # per metre that the ball comes nearer to the opponents' goal
ROBOT_NEARER = 0.02  # per metre that a robot comes nearer to the ball
HOLDING = 0.05  # for getting the ball; it is taken back when it is lost


class Match(Area):
    """Each agent earns 1 for a goal of its team, and loses 1 for one of the opponents.

    Args:
        world: Made from `deepsim_soccer.world_sdf`.
        robots: Of each team.
        opponents: Magenta: ``"agents"``; ``"tree"``, a `TeamMind`; ``"static"``, one keeper that
            stands in the goal; ``"standing"``, robots that stand where they begin; or the file of
            a policy that was trained for as many robots.
        shaped: Whether agents also earn for bringing the ball nearer to the goal and themselves
            nearer to the ball. These rewards are differences of a potential.
        until_goal: Whether an episode ends with a goal; otherwise play goes on from a kick-off.
        drill: Whether episodes begin with ball and robots anywhere in the opponents' half, rather
            than with a kick-off.
        period: Of a step [s].
    """

    def __init__(
        self,
        world: World,
        robots: int,
        opponents: str,
        *,
        shaped: bool,
        until_goal: bool,
        drill: bool,
        period: float,
    ) -> None:
        super().__init__(world)
        self.rival_policy: ArrayPolicy | None = None
        if opponents.endswith(".npz"):
            self.rival_policy = TrainedPolicy.load(Path(opponents))
        elif opponents not in OPPONENTS:
            known = ", ".join(OPPONENTS)
            raise ValueError(f"opponents must be {known} or an .npz file, got {opponents!r}")
        self.pitch = Pitch(world, (robots, 1 if opponents == "static" else robots))
        self.referee = Referee(self.pitch, lines_up=not until_goal)
        self.opponents, self.shaped = opponents, shaped
        self.until_goal, self.drill = until_goal, drill
        self.rivals = np.flatnonzero(self.pitch.team == 1)
        self.rival_sight = Sight(self.pitch, self.rivals)
        tree = opponents == "tree"
        self.mind = TeamMind(self.pitch, self.rivals, period=period) if tree else None
        count = len(self.pitch.names) if opponents == "agents" else robots
        self.players = np.arange(count)
        self.sight = Sight(self.pitch, self.players)
        self.names = self.pitch.names[:count]
        self.agents = Agents(self.names, self.sight.space, ACTION)
        self.earned: NDArray[Any] = np.zeros((len(world), count))
        self.goal = np.zeros(len(world), np.int64)
        self.worth = np.zeros((len(world), count))

    def reset(self, worlds: Numbers) -> None:
        """Lines the teams up; one of them, drawn evenly, has the kick-off."""
        kick_off = self.world.uniform(0.0, 1.0, 1, worlds)[:, 0] < 0.5
        self.referee.begin(worlds, kick_off.astype(np.int64))
        if self.mind is not None:
            self.mind.forget(worlds)
        if self.opponents == "static":
            self._stand_in_goal(worlds)
        if self.drill:
            self._scatter(worlds)
        self.goal[worlds] = 0
        if self.shaped:
            self.worth[worlds] = self.potential()[worlds]

    def _stand_in_goal(self, worlds: Numbers) -> None:
        """Puts the keeper into its goal, facing the field."""
        pitch = self.pitch
        place, yaw = pitch.place[worlds], pitch.yaw[worlds]
        place[:, -1] = [pitch.field.length / 2.0 - 0.4, 0.0]
        pitch.put_robots(worlds, place, yaw)

    def _scatter(self, worlds: Numbers) -> None:
        """Puts agents and ball anywhere in the opponents' half."""
        pitch, count = self.pitch, len(self.players)
        drawn = self.world.uniform(-1.0, 1.0, (count + 1, 3), worlds)
        place, yaw = pitch.place[worlds], pitch.yaw[worlds]
        place[:, :count, 0] = 3.0 + 2.5 * drawn[:, :-1, 0]
        place[:, :count, 1] = 3.5 * drawn[:, :-1, 1]
        yaw[:, :count] = np.pi * drawn[:, :-1, 2]
        pitch.put_robots(worlds, place, yaw)
        pitch.put_ball(worlds, np.array([4.0, 0.0]) + [2.0, 3.0] * drawn[:, -1, :2])
        self.referee.start(worlds)

    def act(self, actions: NDArray[np.float32]) -> None:
        """Drives and kicks; opponents with a tree or a policy decide."""
        self._command(slice(0, len(self.players)), actions)
        if self.mind is not None:
            self.mind.tick(self.stepping)
        if self.rival_policy is not None:
            self._command(slice(len(self.players), None), self._rival_actions(self.rival_policy))

    def _command(self, robots: slice, actions: NDArray[np.float32]) -> None:
        """Sets what robots do, (W, n, 5)."""
        pitch, chosen = self.pitch, actions.astype(np.float64)
        pitch.command[:, robots] = FASTEST * chosen[..., :3]
        ahead = KICK * np.maximum(chosen[..., 3], 0.0)
        pitch.kick[:, robots, 0] = ahead
        pitch.kick[:, robots, 1] = ahead * np.maximum(chosen[..., 4], 0.0)

    def _rival_actions(self, policy: ArrayPolicy) -> NDArray[np.float32]:
        """Returns what a policy does in the place of the opponents, (W, n, 5)."""
        seen = self.rival_sight.observe()
        names, rngs = self.pitch.names, self.world.rngs
        return np.stack(
            [
                policy.act(names[robot], seen[:, each].astype(np.float32), ACTION, rngs)
                for each, robot in enumerate(self.rivals)
            ],
            axis=1,
        )

    def fixed_update(self, delta_time: float) -> None:
        """Moves robots and balls, in the worlds that step."""
        self.pitch.drive(self.stepping)

    def update(self) -> None:
        """Lets the referee judge, and adds up what the agents earned."""
        pitch, on = self.pitch, self.stepping
        pitch.sense()
        before = self.potential() if self.shaped else self.worth
        side = pitch.side[: len(self.players)]
        decision = self.referee.judge(on)
        if self.opponents == "static":
            again = np.flatnonzero(decision.goal)
            if len(again) and not self.until_goal:
                self._stand_in_goal(again)
        self.goal = decision.goal
        self.earned = GOAL * side * decision.goal[:, None]
        if self.shaped:
            self.earned = self.earned + before - self.worth
            self.worth[on] = (self.potential() if decision.call.any() else before)[on]

    def potential(self) -> Floats:
        """Returns the worth of the present state for each agent, (W, A)."""
        pitch, count = self.pitch, len(self.players)
        side = pitch.side[:count]
        ball = pitch.ball_place[:, None, :2]
        goal_x = ball[..., 0] - side * pitch.field.length / 2.0
        to_goal = np.sqrt(goal_x * goal_x + ball[..., 1] * ball[..., 1])
        way = ball - pitch.place[:, :count]
        to_ball = np.sqrt(way[..., 0] * way[..., 0] + way[..., 1] * way[..., 1])
        holds = pitch.holder[:, None] == self.players
        return HOLDING * holds - BALL_NEARER * to_goal - ROBOT_NEARER * to_ball

    def observe(self) -> Floats:
        """Returns what the agents see."""
        return self.sight.observe()

    def reward(self) -> Floats:
        """Returns the rewards of the step."""
        return self.earned

    def terminated(self) -> NDArray[np.bool_] | None:
        """Returns whether a goal ended the episode."""
        if not self.until_goal:
            return None
        return np.broadcast_to((self.goal != 0)[:, None], self.earned.shape)

    def info(self) -> dict[str, Any]:
        """Returns the score, and for each agent whether its team scored more."""
        score = self.referee.score
        lead = score[:, 0] - score[:, 1]
        success = {name: {"success": self.pitch.side[i] * lead > 0} for i, name in self._numbered()}
        return {"cyan": score[:, 0], "magenta": score[:, 1], **success}

    def _numbered(self) -> list[tuple[int, str]]:
        return list(enumerate(self.names))

    def get_state(self) -> Any:
        """Returns what the pitch, the referee, the trees and the task remember."""
        return [plain_attributes(part) for part in self._parts()]

    def set_state(self, state: Any) -> None:
        """Restores it."""
        for part, kept in zip(self._parts(), state, strict=True):
            restore_attributes(part, kept)

    def _parts(self) -> list[Any]:
        return [self, self.pitch, self.referee, *([self.mind] if self.mind else [])]
