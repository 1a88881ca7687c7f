# SPDX-License-Identifier: Apache-2.0
"""The coaches of two teams, and two robots of the first, as for NuBot's simulations.

nubot1 always wants to turn; nubot2 tells its mates its role and a pass. It uses nothing but topics,
and prints what came of it as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from examples.robocup.ros.messages import find_rospy, load_messages  # noqa: E402 (see above)

PATIENCE = 60.0  # of real time, for each command [s]
STOP, OUR_CORNER, START, PARKING = 0, 9, 15, 25
ROLE, PASS_TO = 3, 1  # of nubot2
TURN = 2.0  # [rad/s]


class Coach:
    """Commands, and reads the world models."""

    def __init__(self) -> None:
        self.rospy = rospy = find_rospy()
        self.types = load_messages(ROOT / "plugins/nubot-messages/nubot_common")
        rospy.init_node("coach", disable_signals=True)
        self.modes: dict[str, int] = {}  # of the team: what its coach says again and again
        self.models: dict[str, Any] = {}
        self.told: Any = None
        self.coaches = {
            team: self.publisher(f"/{team}/receive_from_coach", "CoachInfo")
            for team in ("nubot", "rival")
        }
        self.wheels = self.publisher("/nubot1/nubotcontrol/velcmd", "VelCmd")
        self.strategy = self.publisher("/nubot2/nubotcontrol/strategy", "StrategyInfo")
        for robot in ("nubot1", "nubot2", "rival1"):
            topic, kind = f"/{robot}/worldmodel/worldmodelinfo", self.types["WorldModelInfo"]
            rospy.Subscriber(topic, kind, self.know, callback_args=robot)
        topic, kind = "/nubot/nubotcontrol/strategy", self.types["simulation_strategy"]
        rospy.Subscriber(topic, kind, self.hear)
        self.clock = rospy.Rate(50, reset=True)  # the node sets time back to 0

    def publisher(self, topic: str, kind: str) -> Any:
        return self.rospy.Publisher(topic, self.types[kind], queue_size=1)

    def know(self, model: Any, robot: str) -> None:
        self.models[robot] = model

    def hear(self, strategy: Any) -> None:
        self.told = strategy

    def until(self, what: str, holds: Callable[[], bool], times: int = 1) -> None:
        """Says the same again and again until something holds a few times in a row."""
        deadline, found = time.monotonic() + PATIENCE, 0
        passed = self.types["PassCommands"](
            pass_id=2, catch_id=PASS_TO, is_static_pass=True, is_valid=True
        )
        while found < times:
            if time.monotonic() > deadline:
                raise SystemExit(f"{what}: not within {PATIENCE:g} s\n{self.told}\n{self.models}")
            for team, mode in self.modes.items():
                self.coaches[team].publish(
                    MatchMode=mode, pointA=self.types["Point2d"](120.0, -30.0)
                )
            self.wheels.publish(0.0, 0.0, TURN)
            self.strategy.publish(AgentID=2, role=ROLE, pass_cmd=passed)
            self.clock.sleep()
            heard = len(self.models) == 3 and self.told is not None
            found = found + 1 if heard and holds() else 0

    def command(self, team: str, mode: int, holds: Callable[[], bool], times: int = 1) -> None:
        """Commands until it is done."""
        self.modes[team] = mode
        self.until(f"{team}: {mode}", holds, times)

    @property
    def turns(self) -> bool:
        return bool(self.models["nubot1"].robotinfo[0].vrot > 0.5 * TURN)

    def stands(self) -> bool:
        return bool(abs(self.models["nubot1"].robotinfo[0].vrot) < 0.01)

    def said(self, robot: str) -> int:
        """What a robot knows of its coach."""
        return int(self.models[robot].coachinfo.MatchMode)

    def shares(self) -> bool:
        """Whether the first robot knows what the second told."""
        model = self.models["nubot1"]
        roles = [robot.current_role for robot in model.robotinfo]
        return bool(
            [each.role for each in self.told.strategy_msgs] == [ROLE]
            and roles == [0, ROLE, 0, 0, 0]
            and (model.pass_cmd.pass_id, model.pass_cmd.catch_id) == (2, PASS_TO)
        )

    def parked(self, half_width: float) -> bool:
        robots = self.models["nubot1"].robotinfo[:2] + self.models["rival1"].robotinfo[:2]
        return all(abs(robot.pos.y) > half_width for robot in robots)

    def play(self, half_length: float, half_width: float) -> dict[str, Any]:
        """Commands one thing after the other; returns what the robots know at the end."""
        self.until("nubot1 turns", lambda: self.turns and self.shares())
        before = self.said("nubot1")
        self.command("nubot", STOP, self.stands, times=20)
        self.command("nubot", START, lambda: self.turns and self.said("nubot1") == START)
        alone = self.said("rival1")
        corner = -half_length + 100.0  # behind which a corner of the rivals lies
        self.command(
            "rival", OUR_CORNER, lambda: bool(self.models["nubot1"].ballinfo[0].pos.x < corner)
        )
        self.command("rival", START, lambda: self.turns and self.said("rival1") == START)
        self.command("nubot", PARKING, lambda: self.stands() and self.parked(half_width), times=20)
        first, second, rival = (self.models[each] for each in ("nubot1", "nubot2", "rival1"))
        return {
            "before": before,
            "alone": alone,
            "point": [first.coachinfo.pointA.x, first.coachinfo.pointA.y],
            "valid": [bool(robot.isvalid) for robot in first.robotinfo],
            "balls": [bool(ball.pos_known) for ball in first.ballinfo],
            "obstacles": len(first.obstacleinfo.pos),
            "opponents": [[point.x, point.y] for point in first.oppinfo.pos],
            "rivals": [[robot.pos.x, robot.pos.y] for robot in rival.robotinfo[:2]],
            "passes": [bool(each.pass_cmd.is_valid) for each in (first, second, rival)],
            "roles of rivals": [robot.current_role for robot in rival.robotinfo],
        }


if __name__ == "__main__":
    coach = Coach()
    md5 = {name: kind._md5sum for name, kind in coach.types.items()}
    print(json.dumps({"md5": md5, **coach.play(*map(float, sys.argv[1:]))}))
