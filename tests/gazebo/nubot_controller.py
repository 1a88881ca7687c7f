# SPDX-License-Identifier: Apache-2.0
"""A controller as for NuBot's simulations: nubot1 fetches the ball and shoots it at the goal.

It uses nothing but topics and services, and prints what came of it as JSON.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from examples.robocup.ros.messages import find_rospy, load_messages  # noqa: E402 (see above)

PATIENCE = 90.0  # of real time [s]
ROBOT = "/nubot1"


class Controller:
    """Drives one robot.

    Args:
        dialect: Whose messages it speaks.
    """

    def __init__(self, dialect: str) -> None:
        self.rospy = rospy = find_rospy()
        self.types = load_messages(ROOT / "plugins/nubot-messages/nubot_common")
        rospy.init_node("controller", disable_signals=True)
        self.seen: Any = None
        self.holds = False
        self.acts = dialect == "simatch"
        self.wheels = self.publisher("nubotcontrol/velcmd", "VelCmd")
        self.listen("omnivision/OmniVisionInfo", "OminiVisionInfo", self.see)
        if self.acts:
            self.actions = self.publisher("nubotcontrol/actioncmd", "ActionCmd")
            self.listen("ballisholding/BallIsHolding", "BallIsHolding", self.feel)
        else:
            for name in ("BallHandle", "Shoot"):
                rospy.wait_for_service(f"{ROBOT}/{name}", PATIENCE)
            self.handle = rospy.ServiceProxy(f"{ROBOT}/BallHandle", self.types["BallHandle"])
            self.shoot = rospy.ServiceProxy(f"{ROBOT}/Shoot", self.types["Shoot"])

    def publisher(self, topic: str, kind: str) -> Any:
        return self.rospy.Publisher(f"{ROBOT}/{topic}", self.types[kind], queue_size=1)

    def listen(self, topic: str, kind: str, call: Any) -> None:
        self.rospy.Subscriber(f"{ROBOT}/{topic}", self.types[kind], call, queue_size=1)

    def see(self, report: Any) -> None:
        self.seen = report

    def feel(self, message: Any) -> None:
        self.holds = message.BallIsHolding == 1

    def take(self) -> bool:
        """Takes the ball if it can; returns whether it holds it."""
        if self.acts:
            self.actions.publish(handle_enable=1)
            return self.holds
        return bool(self.handle(1).BallIsHolding == 1)

    def kick(self) -> bool:
        """Kicks along the ground at 6 m/s; returns whether that was accepted."""
        if self.acts:
            self.actions.publish(handle_enable=1, strength=6.0, shootPos=1)
            return True
        return bool(self.shoot(6.0, 1).ShootIsDone == 1)

    def play(self) -> dict[str, Any]:
        """Fetches the ball and shoots; returns what happened."""
        clock = self.rospy.Rate(50, reset=True)  # the node sets time back to 0
        deadline = time.monotonic() + PATIENCE
        shot_at = math.inf
        while time.monotonic() < deadline:
            clock.sleep()
            if self.seen is None:
                continue
            ball, itself = self.seen.ballinfo, self.seen.robotinfo[0]
            if ball.pos.x > shot_at + 150.0:
                return {
                    "agent": itself.AgentID,
                    "mates": len(self.seen.robotinfo),
                    "obstacles": len(self.seen.obstacleinfo.pos),
                    "forward": ball.pos.x - shot_at,
                }
            angle, away = ball.real_pos.angle, ball.real_pos.radius
            ahead = min(250.0, 2.0 * away) if abs(angle) < 0.3 else 0.0
            self.wheels.publish(Vx=ahead, Vy=0.0, w=max(-3.0, min(3.0, 3.0 * angle)))
            if self.take() and abs(itself.heading.theta) < 0.5 and self.kick():
                shot_at = min(shot_at, ball.pos.x)
        raise SystemExit(f"no goal within {PATIENCE:g} s; the last report was\n{self.seen}")


if __name__ == "__main__":
    controller = Controller(sys.argv[1])
    md5 = {name: kind._md5sum for name, kind in controller.types.items()}
    print(json.dumps({"md5": md5, **controller.play()}))
