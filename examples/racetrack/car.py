# SPDX-License-Identifier: Apache-2.0
"""A car: the agent of the task."""

from __future__ import annotations

import math

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_colliders import RectangleCollider
from deepsim_envs import AbstractAgent
from deepsim_fx import AbstractEffect
from deepsim_math import Euler, Pose, Twist
from deepsim_spawn import AbstractSpawner
from deepsim_sync import Transform, World

from . import sight
from .centreline import Centreline, Place
from .gates import COUNT, Gates

LENGTH, BREADTH = 0.46, 0.31  # over the wheels [m]
WHEELBASE = 0.3  # [m]
MAX_STEERING = 0.5  # [rad]
MAX_SPEED = 3.0  # [m/s]
ACCELERATION = 4.0  # [m/s^2], at full throttle; brakes are twice as strong

OFF_TRACK_REWARD = -5.0
HIT_REWARD = -0.5  # per step
LAP_REWARD = 10.0


class Car(AbstractAgent):
    """Drives one lap.

    It earns a reward of 1 per metre along the course, loses some for touching something, and loses
    the episode when its middle leaves the road. Metres count as far as the next gate that it has
    not touched: a short cut earns nothing.

    What it observes is told in `sight.py`.

    The action is steering (-1 right .. 1 left) and throttle (-1 brake .. 1 full).

    Args:
        name: The car's name.
        course: Where it drives.
        gates: What it has to touch on its way, in order.
        spawner: Creates its model.
        world: Where it is spawned.

    Attributes:
        collider: Its outline on the ground.
        others: Who else is on the road, in the order in which it sees them.
        effect: What shows that it was hit; None for nothing.
        at: Where it was at the end of the last step.
        travelled: Along the course, since the start [m].
        gates_passed: How many gates it has touched, of `gates.COUNT` in a lap.
        hits: Steps in which it touched something.
        outcome: ``"driving"``, ``"finished"`` or ``"off track"``.
    """

    def __init__(
        self,
        name: str,
        course: Centreline,
        gates: Gates,
        *,
        spawner: AbstractSpawner,
        world: World,
    ) -> None:
        super().__init__(name, tags=["car"], spawner=spawner, world=world)
        self.course = course
        self.gates = gates
        self.collider = RectangleCollider(LENGTH, BREADTH)
        self.collider.attach(self.transform)
        self.others: list[tuple[Transform, RectangleCollider]] = []
        self.effect: AbstractEffect | None = None
        self.at = Place(0.0, 0.0)
        self.start = 0.0
        self.travelled = 0.0
        self.gates_passed = 0
        self.hits = 0
        self.outcome = "driving"
        self._steering = 0.0
        self._throttle = 0.0

    def observation_space(self) -> Box:
        """What the car observes."""
        return sight.space(len(self.others))

    def action_space(self) -> Box:
        """Steering and throttle."""
        return action_space()

    def place(self, distance: float, offset: float) -> None:
        """Puts the car at rest on the course.

        Args:
            distance: Along the course [m].
            offset: To the left of its centre line [m].
        """
        x, y = self.course.point(distance, offset)
        heading = Euler(yaw=self.course.heading(distance))
        self.transform.pose = Pose((x, y, 0.0), heading)
        self.transform.twist = Twist()
        self.at = self.course.locate((x, y))
        self.start = distance

    # The agent

    def on_episode_begin(self) -> None:
        """Forgets the last lap."""
        self.travelled = 0.0
        self.gates_passed = 0
        self.hits = 0
        self.outcome = "driving"
        self._steering = self._throttle = 0.0

    def on_action_received(self, action: NDArray[np.float32]) -> None:
        """Turns the wheel and sets the throttle."""
        self._steering, self._throttle = (float(value) for value in action)

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Drives: a bicycle whose tyres do not slip acts on the chassis; the rest is physics."""
        if self.done:
            self._throttle = -1.0
        twist = self.transform.twist
        forward, up = self.transform.forward, self.transform.up
        speed = twist.linear.dot(forward)
        braking = self._throttle * speed < 0.0
        push = self._throttle * ACCELERATION * (2.0 if braking else 1.0) * delta_time
        target = max(0.0, min(speed + push, MAX_SPEED))
        turn = target * math.tan(self._steering * MAX_STEERING) / WHEELBASE
        self.transform.twist = Twist(
            forward * target + up * twist.linear.dot(up),
            twist.angular + up * (turn - twist.angular.dot(up)),
        )

    def on_update(self) -> None:
        """Judges the step: progress, touches, the end of the road and of the lap."""
        position = self.transform.pose.position
        self.at = self.course.locate((position.x, position.y))
        if self.done:
            return
        self.add_reward(self._progress())
        if any(self.collider.intersects(collider) for _, collider in self.others):
            self._hit()
        if not self.course.road.contains(position):
            self._finish("off track", OFF_TRACK_REWARD)
        elif self.travelled >= self.course.length:
            self._finish("finished", LAP_REWARD)

    def _progress(self) -> float:
        """Metres along the course since the last step, if they count."""
        before = self.travelled
        way = self.at.distance - self.start - before
        travelled = before + math.remainder(way, self.course.length)
        if self.gates_passed < COUNT:
            gate = self.gates.after(self.start) + self.gates_passed
            if self.gates.collider(gate).intersects(self.collider):
                self.gates_passed += 1
            else:
                travelled = min(travelled, self.gates.distance(gate) - self.start)
        self.travelled = travelled
        return travelled - before

    def _hit(self) -> None:
        self.hits += 1
        self.add_reward(HIT_REWARD)
        if self.effect is not None and not self.effect.attached:
            self.effect.attach()

    def _finish(self, outcome: str, reward: float) -> None:
        self.outcome = outcome
        self.add_reward(reward)
        self.end_episode()

    def get_next_state(self) -> NDArray[np.float32]:
        """Sees itself, the course ahead and the things on the road."""
        others = [other.pose.position for other, _ in self.others]
        return sight.look(self.transform, self.course, self.at, others)


def action_space() -> Box:
    """Of every car: steering and throttle."""
    return Box(-1.0, 1.0, (2,), np.float32)
