# SPDX-License-Identifier: Apache-2.0
"""Runs dynamic scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_scenes.errors import SceneError
from deepsim_scenes.language.scenario import Scenario, seeded
from deepsim_scenes.scene import Scene
from deepsim_sync import DeepSimError, World


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


def run_scenario(
    scenario: Scenario,
    scene: Scene,
    world: World,
    *,
    seconds: float = 60.0,
    interval: float = 0.1,
    robots: Mapping[str, str] | None = None,
) -> ScenarioRun:
    """Runs the behaviours, monitors and temporal requirements of a scenario in a world.

    Objects of the scene that are not in the world yet are spawned; the others are moved to their
    places in the scene, at rest. Actions hold for an interval, which may be several ticks of the
    world. On a deterministic engine, the same scene gives the same run.

    Args:
        scenario: The scenario of the scene.
        scene: The start of the run.
        world: One world, on any engine.
        seconds: Longest simulated time of the run, > 0 [s].
        interval: Time between two steps of the behaviours, a multiple of the world's tick [s].
        robots: Names of models in the world that play the roles of mission-only objects, by the
            name of the object. A robot is moved to the object's place but keeps its own height;
            the robot's +x axis points where the object faces.

    Raises:
        ImportError: The extra ``deepsim-scenes[scenic]`` is not installed.
        ScenarioError: A behaviour or requirement raised an error, or created an object that has
            no model.
        SceneError: An object in `robots` is not a mission-only object of the scene.
        SpawnError: The engine cannot build a model.
        UnknownEntityError: The world has no model with the name of a robot.
        UnsupportedError: There are several worlds.
        ValueError: `seconds` is not > 0, or `interval` is not a multiple of the tick.

    Example::

        scene = scenario.sample(seed=0)
        with World(MujocoSimulator(), steps_per_tick=10) as world:
            run = run_scenario(scenario, scene, world, seconds=20.0)
        print(run.reason, run.poses[-1])
    """
    world.require_single("a dynamic scenario")
    if not seconds > 0.0:
        raise ValueError(f"seconds must be > 0, got {seconds}")
    ticks = round(interval / world.delta_time)
    if ticks < 1 or abs(ticks * world.delta_time - interval) > 1e-9:
        raise ValueError(
            f"interval must be a multiple of the tick, {world.delta_time:g} s, got {interval}"
        )
    named = dict(robots or {})
    for name in set(named) - {each.name for each in scene.missions}:
        raise SceneError(f"the scene has no mission-only object {name!r} that could be a robot")
    from deepsim_scenes.language.joint import isolated  # noqa: PLC0415 (of an extra)

    from .actions import WorldSimulator  # noqa: PLC0415 (of an extra)

    simulator = WorldSimulator(scene, world, ticks, named)
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
            raise scenario.source.mistake(error) from error
    done = simulator.simulation
    states = np.array(done.trajectory, dtype=np.float64).reshape(-1, len(scene.objects), 7)
    rejection = simulator.rejection
    reason = rejection if rejection is not None else ended.result.terminationReason
    return ScenarioRun(
        reason=scenario.source.in_own_lines(str(reason)),
        is_rejected=rejection is not None,
        times=interval * np.arange(len(states), dtype=np.float64),
        poses=states,
        records=dict(done.records),
    )
