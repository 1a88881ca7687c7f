# SPDX-License-Identifier: Apache-2.0
"""Runs dynamic scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from deepsim_scenes.errors import SceneError
from deepsim_scenes.language.scenario import Scenario, seeded
from deepsim_scenes.scene import Scene
from deepsim_scenes.world import place_scenes, spawn_scenes
from deepsim_sync import DeepSimError, World

if TYPE_CHECKING:
    from .actions import WorldSimulator


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioRun:
    """The result of running a scenario.

    Attributes:
        reason: The reason for the end of the run, such as ``requirement on line 7``.
        is_rejected: Whether a requirement, or a guard of a behaviour, failed.
        times: Times of `poses` since the start of the run, (T,) [s].
        poses: Poses of the scene's n objects in the world frame, (T, n, 7) [m, unit quaternion];
            if a robot plays the role of an object, the poses of the robot's model.
        records: Values of the scenario's ``record`` statements, by name; for a rejected run, up to
            its end.

    >>> poses = np.array([[[0, 0, 0, 0, 0, 0, 1]], [[2, 0, 0, 0, 0, 0, 1]]])
    >>> run = ScenarioRun("reached the goal", False, np.array([0.0, 0.5]), poses, {})
    >>> float(run.times[-1]), run.poses[-1, 0, :3].tolist()  # the end of the first object's path
    (0.5, [2, 0, 0])
    """

    reason: str
    is_rejected: bool
    times: NDArray[np.float64]
    poses: NDArray[np.float64]
    records: Mapping[str, Any]


@overload
def run_scenario(
    scenario: Scenario,
    scenes: Scene,
    world: World,
    *,
    seconds: float = 60.0,
    interval: float = 0.1,
    robots: Mapping[str, str] | None = None,
) -> ScenarioRun: ...


@overload
def run_scenario(
    scenario: Scenario,
    scenes: Sequence[Scene],
    world: World,
    *,
    seconds: float = 60.0,
    interval: float = 0.1,
    robots: Mapping[str, str] | None = None,
) -> list[ScenarioRun]: ...


def run_scenario(
    scenario: Scenario,
    scenes: Scene | Sequence[Scene],
    world: World,
    *,
    seconds: float = 60.0,
    interval: float = 0.1,
    robots: Mapping[str, str] | None = None,
) -> ScenarioRun | list[ScenarioRun]:
    """Runs the behaviours, monitors and temporal requirements of a scenario in W worlds.

    Objects of the scene that are not in the world yet are spawned; the others are moved to their
    places in the scene, at rest. Actions hold for an interval, which may be several ticks of the
    world. On a deterministic engine, the same scene gives the same run, in any of any number of
    worlds. A world whose run has ended goes on ticking, without actions, until all have ended.

    The scenario is compiled once for each world, because its behaviours have a state.

    Args:
        scenario: The scenario of the scenes.
        scenes: The start of the run; or a scene for each of W worlds, all with the same objects in
            the same sizes.
        world: The worlds, on any engine.
        seconds: Longest simulated time of the run, > 0 [s].
        interval: Time between two steps of the behaviours, a multiple of the world's tick [s].
        robots: Names of models in the world that play the roles of mission-only objects, by the
            name of the object. A robot is moved to the object's place but keeps its own height;
            the robot's +x axis points where the object faces.

    Returns:
        The run, or a list of one for each world if `scenes` is a list.

    Raises:
        ImportError: The extra ``deepsim-scenes[scenic]`` is not installed.
        ScenarioError: A behaviour or requirement raised an error, or created an object that has
            no model.
        SceneError: An object in `robots` is not a mission-only object of the scene; the scenes
            differ in objects or sizes, or their number is not W; or an object appears during a run
            in one of several worlds.
        SpawnError: The engine cannot build a model.
        UnknownEntityError: The world has no model with the name of a robot.
        ValueError: `seconds` is not > 0, or `interval` is not a multiple of the tick.

    Example::

        scene = scenario.sample(seed=0)
        with World(MujocoSimulator(), steps_per_tick=10) as world:
            run = run_scenario(scenario, scene, world, seconds=20.0)
        print(run.reason, run.poses[-1])
    """
    drawn = [scenes] if isinstance(scenes, Scene) else [*scenes]
    if len(drawn) != len(world):
        raise SceneError(f"{len(world)} worlds need as many scenes, got {len(drawn)}")
    if not seconds > 0.0:
        raise ValueError(f"seconds must be > 0, got {seconds}")
    ticks = round(interval / world.delta_time)
    if ticks < 1 or abs(ticks * world.delta_time - interval) > 1e-9:
        raise ValueError(
            f"interval must be a multiple of the tick, {world.delta_time:g} s, got {interval}"
        )
    named = dict(robots or {})
    for name in set(named) - {each.name for each in drawn[0].missions}:
        raise SceneError(f"the scene has no mission-only object {name!r} that could be a robot")
    from deepsim_scenes.language.joint import isolated  # noqa: PLC0415 (of an extra)

    from .actions import WorldSimulation, WorldSimulator  # noqa: PLC0415 (of an extra)
    from .lockstep import Wait, in_lockstep  # noqa: PLC0415 (of an extra)

    def run_in(number: int, own: Scenario, scene: Scene, wait: Wait) -> ScenarioRun:
        simulator = WorldSimulator(scene, world, number, named, wait)
        with isolated(), seeded(scene.seed, scene.number, scene.samples, len("run")):
            try:
                ended = simulator.simulate(
                    scene.drawn,
                    maxSteps=max(1, round(seconds / interval)),
                    timestep=interval,
                    verbosity=0,
                    enableReplay=False,
                )
            except DeepSimError:
                raise
            except Exception as error:  # a behaviour is code of the scenario
                raise own.source.mistake(error) from error
        return _result(own, scene, simulator, ended, interval)

    def tick(waiting: Sequence[WorldSimulation]) -> None:
        for _ in range(ticks):
            for each in waiting:
                each.act()
            world.tick()

    if len(drawn) > 1:
        _place(world, drawn)
    copies = scenario.copies(len(drawn))
    starts = [drawn[0]] + [
        own.sample(scene.seed, scene.number, attempt=scene.attempt, limit=scene.samples)
        for own, scene in zip(copies[1:], drawn[1:], strict=True)
    ]
    pairs = enumerate(zip(copies, starts, strict=True))
    runs = in_lockstep([partial(run_in, number, *pair) for number, pair in pairs], tick)
    return runs[0] if isinstance(scenes, Scene) else runs


def _place(world: World, scenes: Sequence[Scene]) -> None:
    """Spawns the objects of scenes into several worlds, or moves them if they are there."""
    present = {*world.entities.names("models")}
    if any(each.name in present for each in scenes[0].in_world):
        place_scenes(world, scenes)
    else:
        spawn_scenes(world, scenes)


def _result(
    scenario: Scenario, scene: Scene, simulator: WorldSimulator, ended: Any, interval: float
) -> ScenarioRun:
    done, rejection = simulator.simulation, simulator.rejection
    states = np.array(done.trajectory, dtype=np.float64).reshape(-1, len(scene.objects), 7)
    reason = rejection if rejection is not None else ended.result.terminationReason
    return ScenarioRun(
        reason=scenario.source.in_own_lines(str(reason)),
        is_rejected=rejection is not None,
        times=interval * np.arange(len(states), dtype=np.float64),
        poses=states,
        records=dict(done.records),
    )
