# SPDX-License-Identifier: Apache-2.0
"""The topics and services of one robot."""

from __future__ import annotations

import threading
from typing import Any

from deepsim_soccer import Pitch

from .kicks import kick_speeds
from .reports import CENTIMETRES

PREFIXES = ("nubot", "rival")
"""The names of the teams in ROS."""


def robot_names(pitch: Pitch) -> list[str]:
    """Returns the names of the robots in ROS: nubot1, nubot2, ..., rival1, ..."""
    names: list[str] = []
    for team, prefix in enumerate(PREFIXES):
        names += [f"{prefix}{number + 1}" for number in range(int((pitch.team == team).sum()))]
    return names


class RobotInterface:
    """What a controller sees of a robot of world 0, below its name.

    All dialects listen to ``nubotcontrol/velcmd`` and report on ``omnivision/OmniVisionInfo``. The
    paper's and gazebo_visual's serve ``BallHandle`` and ``Shoot``; simatch's listens to
    ``nubotcontrol/actioncmd`` instead, and tells on ``ballisholding/BallIsHolding`` whether the
    robot holds the ball.

    Args:
        rospy: The module.
        name: Of the robot in ROS.
        robot: Its number on the pitch.
        pitch: The pitch.
        messages: The classes of messages and services, by name.
        lock: Held while the pitch is used.
    """

    def __init__(
        self,
        rospy: Any,
        name: str,
        robot: int,
        pitch: Pitch,
        messages: dict[str, Any],
        lock: threading.Lock,
    ) -> None:
        self._rospy, self._robot, self._pitch, self._lock = rospy, robot, pitch, lock
        self._messages = messages
        self._report = rospy.Publisher(
            f"/{name}/omnivision/OmniVisionInfo", messages["OminiVisionInfo"], queue_size=1
        )
        self._holding: Any = None
        rospy.Subscriber(f"/{name}/nubotcontrol/velcmd", messages["VelCmd"], self._move)
        if pitch.dialect.name == "simatch":
            self._holding = rospy.Publisher(
                f"/{name}/ballisholding/BallIsHolding", messages["BallIsHolding"], queue_size=1
            )
            rospy.Subscriber(f"/{name}/nubotcontrol/actioncmd", messages["ActionCmd"], self._act)
        else:
            rospy.Service(f"/{name}/BallHandle", messages["BallHandle"], self._handle)
            rospy.Service(f"/{name}/Shoot", messages["Shoot"], self._shoot)

    def publish(self, report: Any) -> None:
        """Sends what the robot sees, and whether it holds the ball."""
        self._report.publish(report)
        if self._holding is not None:
            self._holding.publish(int(self._holds))

    @property
    def _holds(self) -> bool:
        return bool(self._pitch.holder[0] == self._robot)

    def _move(self, wanted: Any) -> None:
        with self._lock:
            self._pitch.command[0, self._robot] = (
                wanted.Vx / CENTIMETRES,
                wanted.Vy / CENTIMETRES,
                wanted.w,
            )

    def _handle(self, request: Any) -> Any:
        with self._lock:
            self._pitch.dribbles[0, self._robot] = request.enable != 0
            return self._messages["BallHandle"]._response_class(int(self._holds))

    def _shoot(self, request: Any) -> Any:
        with self._lock:
            done = self._kick(request.strength, request.ShootPos)
        return self._messages["Shoot"]._response_class(int(done))

    def _act(self, action: Any) -> None:
        with self._lock:
            self._pitch.dribbles[0, self._robot] = action.handle_enable != 0
            self._kick(action.strength, action.shootPos)

    def _kick(self, strength: float, mode: int) -> bool:
        """Kicks in the next tick; a strength of 0 is no kick, and done."""
        if strength == 0.0:
            return True
        if not self._holds:
            return False
        try:
            self._pitch.kick[0, self._robot] = kick_speeds(self._pitch, self._robot, strength, mode)
        except ValueError as error:
            self._rospy.logwarn("%s", error)
            return False
        return True
