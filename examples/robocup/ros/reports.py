# SPDX-License-Identifier: Apache-2.0
"""What the robots see, as messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer import OmniVision, Pitch

CENTIMETRES = 100.0
Floats = NDArray[np.float64]


class Reports:
    """Makes an ``OminiVisionInfo`` of what each robot of world 0 sees.

    Args:
        pitch: The robots.
        messages: The classes of messages, by name.
    """

    def __init__(self, pitch: Pitch, messages: dict[str, Any]) -> None:
        self._pitch, self._messages = pitch, messages
        self._number = np.concatenate([np.arange(1, n + 1) for n in np.bincount(pitch.team)])

    def of_all(self, seen: OmniVision, stamp: Any) -> list[Any]:
        """Returns the message of each robot.

        Args:
            seen: What they see.
            stamp: The simulated time, as one of ROS.
        """
        header = self._header(stamp)
        mates = [self._robot(seen, robot, header) for robot in range(len(self._pitch.names))]
        team = self._pitch.team
        return [
            self._messages["OminiVisionInfo"](
                header=header,
                ballinfo=self._ball(seen, robot, header),
                obstacleinfo=self._obstacles(seen, robot, header),
                robotinfo=[
                    mate for number, mate in enumerate(mates) if team[number] == team[robot]
                ],
            )
            for robot in range(len(team))
        ]

    def _header(self, stamp: Any) -> Any:
        header = self._messages["OminiVisionInfo"]().header
        header.stamp = stamp
        return header

    def _ball(self, seen: OmniVision, robot: int, header: Any) -> Any:
        return self._messages["BallInfo"](
            header=header,
            ballinfostate=1,
            pos=self._point(seen.ball[0, robot]),
            real_pos=self._polar(
                float(seen.ball_angle[0, robot]), float(seen.ball_radius[0, robot])
            ),
            velocity=self._point(seen.ball_velocity[0, robot]),
            pos_known=True,
            velocity_known=True,
        )

    def _obstacles(self, seen: OmniVision, robot: int, header: Any) -> Any:
        places = seen.obstacles[0, robot]
        way = places - seen.place[0, robot]
        angles = np.arctan2(way[:, 1], way[:, 0]) - seen.yaw[0, robot]
        angles = np.arctan2(np.sin(angles), np.cos(angles))
        return self._messages["ObstaclesInfo"](
            header=header,
            pos=[self._point(place) for place in places],
            polar_pos=[
                self._polar(angle, radius)
                for angle, radius in zip(angles.tolist(), np.hypot(*way.T).tolist(), strict=True)
            ],
        )

    def _robot(self, seen: OmniVision, robot: int, header: Any) -> Any:
        return self._messages["RobotInfo"](
            header=header,
            AgentID=int(self._number[robot]),
            pos=self._point(seen.place[0, robot]),
            heading=self._messages["Angle"](theta=float(seen.yaw[0, robot])),
            vrot=float(self._pitch.velocity[0, robot, 2]),
            vtrans=self._point(seen.velocity[0, robot]),
            isvalid=bool(seen.valid[0, robot]),
            isstuck=bool(seen.stuck[0, robot]),
            isdribble=bool(self._pitch.holder[0] == robot),
            target=self._point((0.0, 0.0)),
        )

    def _point(self, metres: Sequence[float] | Floats) -> Any:
        x, y = metres
        return self._messages["Point2d"](x=CENTIMETRES * float(x), y=CENTIMETRES * float(y))

    def _polar(self, angle: float, metres: float) -> Any:
        return self._messages["PPoint"](angle=angle, radius=CENTIMETRES * metres)
