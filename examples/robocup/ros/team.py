# SPDX-License-Identifier: Apache-2.0
"""The topics of a team: what coach and robots tell each other, and what the robots know."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer import Mode

_LATEST = 0.1  # age of what a robot told, above which its mates are not told of it [s]
_PLACES = 5  # robots that published programs expect in a world model, at least
_NOBODY = 2**32 - 1  # the published number of a robot that passes or catches, if none does


class TeamInterface:
    """What coach and robots of a team tell each other, below the names of team and robots.

    A team listens to its coach on ``receive_from_coach``, and to its robots on each robot's
    ``nubotcontrol/strategy``. It tells all robots on its own ``nubotcontrol/strategy`` what they
    told of late, and each on ``worldmodel/worldmodelinfo`` what it knows.

    Args:
        rospy: The module.
        prefix: Name of the team in ROS.
        robots: Names of its robots in ROS.
        messages: The classes of messages and services, by name.
        lock: Held while a command or a message is kept.
        command: Called with a mode that the coach commands; for its repetitions, once.
        shares: Whether to publish; not for a team that runs such nodes of its own.
    """

    def __init__(
        self,
        rospy: Any,
        prefix: str,
        robots: Sequence[str],
        messages: dict[str, Any],
        lock: threading.Lock,
        command: Callable[[Mode], None],
        *,
        shares: bool = True,
    ) -> None:
        self._rospy, self._messages, self._lock, self._obey = rospy, messages, lock, command
        self._coach = messages["CoachInfo"]()  # which says STOP, as published
        self._latest: int | None = None
        self._new: dict[int, Any] = {}  # what robots told since the last tick, by place in the team
        self._told: dict[int, tuple[float, Any]] = {}  # with the time when it came [s]
        rospy.Subscriber(f"/{prefix}/receive_from_coach", messages["CoachInfo"], self._command)
        for place, name in enumerate(robots):
            topic, kind = f"/{name}/nubotcontrol/strategy", messages["StrategyInfo"]
            rospy.Subscriber(topic, kind, self._tell, callback_args=place)
        self._strategy: Any = None
        self._models: list[Any] = []
        if shares:
            self._strategy = rospy.Publisher(
                f"/{prefix}/nubotcontrol/strategy", messages["simulation_strategy"], queue_size=1
            )
            self._models = [
                rospy.Publisher(
                    f"/{name}/worldmodel/worldmodelinfo", messages["WorldModelInfo"], queue_size=1
                )
                for name in robots
            ]

    def publish(
        self, time: float, reports: Sequence[Any], opponents: Sequence[NDArray[np.bool_]]
    ) -> None:
        """Tells the robots what their mates told, and what they know.

        Args:
            time: The simulated time [s].
            reports: What each robot of the team sees, an ``OminiVisionInfo``.
            opponents: Which of the obstacles in its report are robots of the other team.
        """
        with self._lock:
            self._told |= {place: (time, each) for place, each in self._new.items()}
            self._new = {}
            coach = self._coach
        late = [place for place, (came, _) in self._told.items() if not 0 <= time - came <= _LATEST]
        for place in late:
            del self._told[place]
        if self._strategy is None:
            return
        told = {place: each for place, (_, each) in sorted(self._told.items())}
        self._strategy.publish(list(told.values()))
        robots, balls = self._robots(reports[0], told), [each.ballinfo for each in reports]
        balls += [self._messages["BallInfo"]() for _ in robots[len(balls) :]]
        for place, (model, report) in enumerate(zip(self._models, reports, strict=True)):
            model.publish(
                header=report.header,
                obstacleinfo=report.obstacleinfo,
                oppinfo=self._opponents(report.obstacleinfo, opponents[place]),
                robotinfo=robots,
                ballinfo=balls,
                coachinfo=coach,
                pass_cmd=self._pass(place, told),
            )

    def _command(self, info: Any) -> None:
        """Keeps a coach's message, which comes again and again, and its mode if it is new."""
        with self._lock:
            is_new, self._latest = info.MatchMode != self._latest, info.MatchMode
            try:
                mode = Mode(info.MatchMode)
            except ValueError:
                if is_new:
                    self._rospy.logwarn("a coach sent the unknown MatchMode %d", info.MatchMode)
                return
            self._coach = info
            if is_new:
                self._obey(mode)

    def _tell(self, strategy: Any, place: int) -> None:
        with self._lock:
            self._new[place] = strategy

    def _robots(self, report: Any, told: dict[int, Any]) -> list[Any]:
        """The team, with the roles that its robots told, and invalid robots up to the fifth."""
        robots = [copy.copy(mate) for mate in report.robotinfo]
        for place, strategy in told.items():
            robot = robots[place]
            robot.current_role, robot.role_time = strategy.role % 256, strategy.role_time
            for name in ("targetNum1", "targetNum2", "targetNum3", "targetNum4"):
                setattr(robot, name, getattr(strategy, name))
            robot.staticpassNum = strategy.staticpassNum
            robot.staticcatchNum = strategy.staticcatchNum
        numbers = range(len(robots) + 1, _PLACES + 1)
        return robots + [self._messages["RobotInfo"](AgentID=number) for number in numbers]

    def _opponents(self, seen: Any, chosen: NDArray[np.bool_]) -> Any:
        """The opponents among the obstacles that a robot sees."""
        places = np.flatnonzero(chosen).tolist()
        return self._messages["ObstaclesInfo"](
            header=seen.header,
            pos=[seen.pos[each] for each in places],
            polar_pos=[seen.polar_pos[each] for each in places],
        )

    def _pass(self, robot: int, told: dict[int, Any]) -> Any:
        """The pass that a mate of a robot announces, or an invalid one."""
        found = self._messages["PassCommands"](pass_id=_NOBODY, catch_id=_NOBODY)
        for place, strategy in told.items():
            wanted = strategy.pass_cmd
            kinds = wanted.is_static_pass, wanted.is_dynamic_pass, wanted.is_passout
            if place != robot and wanted.is_valid and any(kinds):
                found = wanted
        return found
