# SPDX-License-Identifier: Apache-2.0
"""A world as a simulator of Scenic, and actions for Scenic behaviours. Imports Scenic."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scenic.core.distributions import RejectionException
from scenic.core.dynamics import GuardViolation, RejectSimulationException
from scenic.core.dynamics.actions import Action
from scenic.core.requirements import RequirementType
from scenic.core.simulators import Simulation, Simulator
from scenic.core.vectors import Orientation, Vector

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_scenes.errors import SceneError
from deepsim_scenes.language.joint import SubRequirement, end_behavior, sub_requirements
from deepsim_scenes.language.scenario import scene_object
from deepsim_scenes.scene import Scene, SceneObject
from deepsim_scenes.world import described
from deepsim_sync import SpawnRequest, World

_AHEAD = Quaternion.from_euler(0.0, 0.0, math.pi / 2)
"""Rotates the forward axis of a robot, +x, to the forward axis of a Scenic object, +y."""


class WorldSimulator(Simulator):  # type: ignore[misc] # Scenic has no types
    """The simulator of one of W worlds that Scenic calls.

    Attributes:
        simulation: The latest simulation, even if it was rejected.
        rejection: The error that rejected it, or None.
    """

    def __init__(
        self,
        scene: Scene,
        world: World,
        number: int,
        robots: Mapping[str, str],
        wait: Callable[[WorldSimulation], None],
    ) -> None:
        super().__init__()
        self._begin = (scene, world, number, robots, wait)
        self.simulation: Any = None
        self.rejection: Exception | None = None

    def createSimulation(self, scene: Any, **options: Any) -> WorldSimulation:  # noqa: N802
        """Runs the scenario from a scene to its end."""
        try:
            self.simulation = WorldSimulation(scene, *self._begin, **options)
        except (RejectSimulationException, RejectionException, GuardViolation) as error:
            self.simulation, self.rejection = error.simulation, error
            raise
        return self.simulation  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class _Body:
    """The model that represents an object of Scenic.

    Attributes:
        name: The model's name.
        turn: The rotation from the object's orientation to the model's.
        center: The object's centre in the model frame [m].
    """

    name: str
    turn: Quaternion
    center: Vector3


class WorldSimulation(Simulation):  # type: ignore[misc] # Scenic has no types
    """A run of a scenario in one of W worlds; its constructor returns when the run has ended.

    Attributes:
        world: The W worlds, for actions.
        number: The number of the run's own world.
        own: This number as an array (1,), as `Rows.put` takes it.
    """

    def __init__(
        self,
        drawn: Any,
        scene: Scene,
        world: World,
        number: int,
        robots: Mapping[str, str],
        wait: Callable[[WorldSimulation], None],
        **options: Any,
    ) -> None:
        self.world, self.number, self.own = world, number, np.array([number])
        self._start, self._robots, self._wait = scene, robots, wait
        self._bodies: dict[Any, _Body] = {}
        self._spawned: list[str] = []
        self._held: dict[Any, list[Callable[[], None]]] = {}
        self._behaviors: dict[int, Any] = {}
        self._sub_records: list[SubRequirement] = []
        with sub_requirements(self._sub_records):
            super().__init__(drawn, **options)

    def model_of(self, agent: Any) -> str:
        """Returns the name of the model that represents a Scenic object.

        Raises:
            ValueError: The object is mission-only, and no robot plays its role.
        """
        if agent not in self._bodies:
            raise ValueError(
                f"{agent} is a mission-only object: name the model that acts as it in `robots`"
            )
        return self._bodies[agent].name

    def heading_of(self, agent: Any) -> float:
        """Returns the current heading of an agent, counterclockwise from +y [rad]."""
        name, turn = self.model_of(agent), self._bodies[agent].turn
        return (self._pose(name).orientation * turn.conjugate()).yaw

    def _pose(self, name: str) -> Pose:
        return Pose.from_array(self.world.models.select([name]).pose[self.number, 0])

    def hold(self, agent: Any, act: Callable[[], None]) -> None:
        """Calls a function before every tick, until the agent takes other actions."""
        self._held.setdefault(agent, []).append(act)

    def setup(self) -> None:
        """Spawns or places all objects, and writes their states to the simulator."""
        super().setup()
        self.world.flush()

    def createObjectInSimulator(self, obj: Any) -> None:  # noqa: N802 (Scenic calls it)
        """Spawns an object, or moves it to its place if the world already has its model."""
        index = len(self.objects) - 1
        given = self._start.objects
        thing = (
            given[index]
            if index < len(given)
            else scene_object(index, obj, self._start.models, self._start.dimensions)
        )
        if thing.is_in_world:
            self._add(obj, thing, dynamically=index >= len(given))
        elif thing.name in self._robots:
            name = self._robots[thing.name]
            there = thing.pose.position.replace(z=self._pose(name).position.z)
            self._place(name, Pose(there, thing.pose.orientation * _AHEAD))
            self._bodies[obj] = _Body(name, _AHEAD, Vector3())

    def _add(self, obj: Any, thing: SceneObject, *, dynamically: bool) -> None:
        if thing.name in self.world.entities.names("models"):
            self._place(thing.name, thing.pose)
        elif len(self.world) > 1:
            raise SceneError(
                f"{thing.name} appears during the run: all of {len(self.world)} worlds have the "
                "same models, so use one world"
            )
        else:
            self.world.spawn_many([SpawnRequest(described(thing), thing.name, thing.pose)])
            if dynamically:
                self._spawned.append(thing.name)
        arm = thing.position - Vector3(*thing.pose.position)
        center = thing.pose.orientation.conjugate().rotate(arm)
        self._bodies[obj] = _Body(thing.name, Quaternion(), center)

    def _place(self, name: str, pose: Pose) -> None:
        rows = self.world.models.select([name])
        rows.put(self.own, pose=np.asarray(pose), twist=np.zeros(6))

    def scheduleForAgents(self) -> Any:  # noqa: N802 (Scenic calls it)
        """Returns the agents in their order; remembers their behaviours, to stop them all."""
        for agent in self.agents:
            self._behaviors[id(agent.behavior)] = agent.behavior
        return self.agents

    def recordCurrentState(self) -> None:  # noqa: N802 (Scenic calls it)
        """Records the poses of the objects, and the values of `record` statements."""
        super().recordCurrentState()
        values = {}
        for each in self._sub_records:
            if each.ty is RequirementType.record:
                values[each.name] = each.evaluate()
            elif each.ty is RequirementType.recordFinal or each.name not in self.records:
                self.records[each.name] = each.evaluate()
        for name, value in values.items():
            self.records[name].append((self.currentTime, value))
        self._sub_records[:] = [each for each in self._sub_records if each.scenario._isRunning]

    def executeActions(self, allActions: Any) -> None:  # noqa: N802, N803 (Scenic calls it)
        """Replaces the actions of all agents with new ones."""
        self._held.clear()
        super().executeActions(allActions)

    def act(self) -> None:
        """Carries out the actions that are held, before a tick."""
        for acts in self._held.values():
            for act in acts:
                act()

    def step(self) -> None:
        """Waits until all worlds have ticked for one interval."""
        self._wait(self)

    def getProperties(self, obj: Any, properties: set[str]) -> dict[str, Any]:  # noqa: N802
        """Returns the properties of an object, with its current pose and velocity in the world."""
        values = {name: getattr(obj, name) for name in properties}
        body = self._bodies.get(obj)
        if body is None:
            return values
        rows = self.world.models.select([body.name])
        pose = self._pose(body.name)
        linear, angular = rows.twist[self.number, 0].reshape(2, 3)
        arm = pose.orientation.rotate(body.center)
        position, velocity = pose.position + arm, linear + np.cross(angular, arm)
        turn = pose.orientation * body.turn.conjugate()
        if self._start.dimensions == 2:
            position = position.replace(z=0.0)
            velocity[2] = 0.0
            turn = Quaternion.from_euler(0.0, 0.0, turn.yaw)
        angles = obj.parentOrientation.localAnglesFor(Orientation.fromQuaternion([*turn]))
        known = dict(zip(("yaw", "pitch", "roll"), map(float, angles), strict=True))
        known |= {
            "position": Vector(*position),
            "velocity": Vector(*map(float, velocity)),
            "speed": float(np.linalg.norm(velocity)),
            "angularVelocity": Vector(*map(float, angular)),
            "angularSpeed": float(np.linalg.norm(angular)),
        }
        return values | {name: known[name] for name in properties & known.keys()}

    def currentState(self) -> list[list[float]]:  # noqa: N802 (Scenic calls it)
        """Returns the poses of the scene's initial objects, (n, 7), in the world frame."""
        first = zip(self._start.objects, self.objects, strict=False)
        return [
            np.asarray(self._pose(self._bodies[obj].name)).tolist()
            if obj in self._bodies
            else np.asarray(thing.pose).tolist()
            for thing, obj in first
        ]

    def destroy(self) -> None:
        """Stops all behaviours, and deletes the objects that the run created."""
        for behavior in self._behaviors.values():
            if behavior is not None:
                end_behavior(behavior)
        for name in self._spawned:
            self.world.delete(name)


MAX_TURN = 3.0
"""Highest yaw rate of `DriveTowards` [rad/s]."""


class Drive(Action):  # type: ignore[misc] # Scenic has no types
    """Drives on the ground; vertical motion is left to the physics.

    The velocity is set before every tick of the world; within a tick, friction acts.

    Args:
        ahead: Speed in the direction that the agent faces [m/s].
        turn: Yaw rate, counterclockwise [rad/s].
        left: Speed to the agent's left [m/s].
    """

    def __init__(self, ahead: float = 0.0, turn: float = 0.0, left: float = 0.0) -> None:
        self.ahead, self.turn, self.left = float(ahead), float(turn), float(left)

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Sets the velocity before every tick of the interval."""
        name = simulation.model_of(agent)
        rows = simulation.world.models.select([name])

        def act() -> None:
            heading = simulation.heading_of(agent)
            sine, cosine = math.sin(heading), math.cos(heading)
            twist = rows.twist[simulation.own]
            twist[0, 0, 0] = -sine * self.ahead - cosine * self.left
            twist[0, 0, 1] = cosine * self.ahead - sine * self.left
            twist[0, 0, 5] = self.turn
            rows.put(simulation.own, twist=twist)

        simulation.hold(agent, act)


class DriveTowards(Action):  # type: ignore[misc] # Scenic has no types
    """Drives straight to a place, turns to face it, and stops there.

    Args:
        place: A vector or object of the scenario.
        speed: Highest speed, >= 0 [m/s].
    """

    def __init__(self, place: Any, speed: float = 1.0) -> None:
        self.place, self.speed = place, float(speed)

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Sets the velocity that leads to the place before every tick of the interval."""
        place = getattr(self.place, "position", self.place)
        east, north = place.x - agent.position.x, place.y - agent.position.y
        distance = math.hypot(east, north)
        speed = min(self.speed, distance / simulation.timestep)
        heading = simulation.heading_of(agent)
        bearing = math.atan2(-east, north)
        turn = math.remainder(bearing - heading, math.tau) if distance > 0.0 else 0.0
        rate = max(-MAX_TURN, min(MAX_TURN, turn / simulation.timestep))
        ahead, left = speed * math.cos(turn), speed * math.sin(turn)
        Drive(ahead, rate, left).applyTo(agent, simulation)


class Push(Action):  # type: ignore[misc] # Scenic has no types
    """Applies a force and a torque at the centre of mass of the agent's first link.

    Args:
        force: Force in the world frame, (3,) [N].
        torque: Torque in the world frame, (3,) [N m].
    """

    def __init__(self, force: Any, torque: Any = (0.0, 0.0, 0.0)) -> None:
        self.force, self.torque = np.array([*force], float), np.array([*torque], float)

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Applies force and torque in every tick of the interval."""
        world, name = simulation.world, simulation.model_of(agent)
        first = next(each for each in world.entities.names("links") if each.startswith(f"{name}::"))
        rows = world.links.select([first])
        simulation.hold(
            agent, lambda: rows.put(simulation.own, force=self.force, torque=self.torque)
        )


class SetJoints(Action):  # type: ignore[misc] # Scenic has no types
    """Sets targets of the agent's joints, which hold until they are replaced.

    Args:
        position: Target positions by joint name [rad or m].
        velocity: Target velocities by joint name [rad/s or m/s].
    """

    def __init__(
        self,
        position: Mapping[str, float] | None = None,
        velocity: Mapping[str, float] | None = None,
    ) -> None:
        self.targets = {"target_position": position or {}, "target_velocity": velocity or {}}

    def applyTo(self, agent: Any, simulation: WorldSimulation) -> None:  # noqa: N802 (Scenic's)
        """Sets the targets."""
        name = simulation.model_of(agent)
        for column, targets in self.targets.items():
            if targets:
                rows = simulation.world.joints.select([f"{name}::{joint}" for joint in targets])
                rows.put(simulation.own, **{column: np.array([*targets.values()], float)})
