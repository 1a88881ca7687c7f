# SPDX-License-Identifier: Apache-2.0
"""A car: the agent of the task."""

from __future__ import annotations

import math

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_colliders import RectangleCollider
from deepsim_envs import AbstractAgent
from deepsim_math import Euler, Point, Pose, Twist, Vector3
from deepsim_spawn import AbstractSpawner
from deepsim_sync import Transform, World

from .centreline import WIDTH, Centreline

LENGTH, BREADTH = 0.46, 0.31  # over the wheels [m]
WHEELBASE = 0.3  # [m]
MAX_STEERING = 0.5  # [rad]
MAX_SPEED = 3.0  # [m/s]
ACCELERATION = 4.0  # [m/s^2], at full throttle; brakes are twice as strong

LOOKAHEAD = (0.4, 0.8, 1.2, 1.8, 2.4)
"""How far ahead along the course the car sees points of it [m]."""
SIGHT = 5.0
"""Farther things are seen at this distance [m]."""

OFF_TRACK_REWARD = -5.0
HIT_REWARD = -0.5  # per step
LAP_REWARD = 10.0


class Car(AbstractAgent):
    """Drives one lap.

    It earns a reward of 1 per metre along the course, loses some for touching something, and loses
    the episode when its middle leaves the road.

    The observation is a vector of 3 + 2 * 5 + 2 * n numbers: speed [m/s], yaw rate [rad/s], offset
    from the centre line [half widths]; then points of the course ahead and the n other things on
    the road, each as x (ahead) and y (to the left) in the car's frame [m].

    The action is steering (-1 right .. 1 left) and throttle (-1 brake .. 1 full).

    Args:
        name: The car's name.
        course: Where it drives.
        spawner: Creates its model.
        world: Where it is spawned.

    Attributes:
        collider: Its outline on the ground.
        travelled: Along the course, since the start [m].
        hits: Steps in which it touched something.
        outcome: ``"driving"``, ``"finished"`` or ``"off track"``.
    """

    def __init__(
        self, name: str, course: Centreline, *, spawner: AbstractSpawner, world: World
    ) -> None:
        super().__init__(name, tags=["car"], spawner=spawner, world=world)
        self.course = course
        self.collider = RectangleCollider(LENGTH, BREADTH)
        self.collider.attach(self.transform)
        self.others: list[tuple[Transform, RectangleCollider]] = []
        self.start = 0.0
        self.travelled = 0.0
        self.hits = 0
        self.outcome = "driving"
        self._steering = 0.0
        self._throttle = 0.0

    def observation_space(self) -> Box:
        """What the car observes."""
        size = 3 + 2 * len(LOOKAHEAD) + 2 * len(self.others)
        return Box(-np.inf, np.inf, (size,), np.float32)

    def action_space(self) -> Box:
        """Steering and throttle."""
        return Box(-1.0, 1.0, (2,), np.float32)

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
        self.start = distance

    # The agent

    def on_episode_begin(self) -> None:
        """Forgets the last lap."""
        self.travelled = 0.0
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
        if self.done:
            return
        position = self.transform.pose.position
        place = self.course.locate((position.x, position.y))
        progress = math.remainder(place.distance - self.start - self.travelled, self.course.length)
        self.travelled += progress
        self.add_reward(progress)
        if any(self.collider.intersects(collider) for _, collider in self.others):
            self.hits += 1
            self.add_reward(HIT_REWARD)
        if not self.course.road.contains(Point(position.x, position.y, 0.0)):
            self.outcome = "off track"
            self.add_reward(OFF_TRACK_REWARD)
            self.end_episode()
        elif self.travelled >= self.course.length:
            self.outcome = "finished"
            self.add_reward(LAP_REWARD)
            self.end_episode()

    def get_next_state(self) -> NDArray[np.float32]:
        """Sees itself, the course ahead and the things on the road."""
        pose, twist = self.transform.pose, self.transform.twist
        inverse = pose.inverse()
        position = np.array([pose.position.x, pose.position.y])
        place = self.course.locate(position)
        forward: Vector3 = self.transform.forward
        rotation = np.array([[forward.x, forward.y], [-forward.y, forward.x]])
        ahead = self.course.point(place.distance + np.array(LOOKAHEAD)) - position
        things = np.array([tuple(other.pose.position)[:2] for other, _ in self.others])
        seen = np.concatenate([ahead, (things - position).reshape(-1, 2)]) @ rotation.T
        distance = np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-9)
        seen *= np.minimum(1.0, SIGHT / distance)
        speed = inverse.orientation.rotate(twist.linear).x
        own = [speed, twist.angular.z, place.offset / (WIDTH / 2)]
        return np.concatenate([own, seen.ravel()]).astype(np.float32)
