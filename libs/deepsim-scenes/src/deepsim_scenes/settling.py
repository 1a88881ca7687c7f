# SPDX-License-Identifier: Apache-2.0
"""Samples stable scenes: simulates each for a moment, and rejects it if an object moves."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from deepsim_math import quaternions
from deepsim_spawn import WorldDescription
from deepsim_sync import Simulator, World

from .errors import RejectedError
from .language.scenario import Scenario
from .scene import Scene
from .world import scene_world

OpenSimulator: TypeAlias = Callable[[WorldDescription], Simulator]
"""Opens a simulator of a world, such as ``deepsim_mujoco.MujocoSimulator``."""

MAX_DISTANCE = 0.01
"""Greatest distance that an object of a stable scene may move [m]."""
MAX_ANGLE = math.radians(2.0)
"""Greatest angle that an object of a stable scene may turn [rad]."""
MAX_DEPTH = 0.002
"""Greatest depth of an overlap in a stable scene [m]."""
FALLEN = 0.5
"""An object that sinks at least this far has fallen out of the scene [m]."""


@dataclass(frozen=True, slots=True)
class SettleReport:
    """The motion and the overlaps of objects in a scene that begins at rest.

    Attributes:
        moved: Distance [m] and angle [rad] of objects that moved or turned too far, by name.
        overlaps: Depth [m] of overlaps at the start that are too deep, by the pair of models.
        fallen: Names of objects that fell out of the scene.

    >>> SettleReport(moved={"cup": (0.2, 0.1)}, overlaps={}, fallen=("cup",)).reasons
    ('cup falls',)
    """

    moved: dict[str, tuple[float, float]]
    overlaps: dict[tuple[str, str], float]
    fallen: tuple[str, ...]

    @property
    def stands(self) -> bool:
        """Whether the scene is stable."""
        return not (self.moved or self.overlaps or self.fallen)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons why the scene is not stable, without distances and angles."""
        return (
            *(f"{first} overlaps {second}" for first, second in self.overlaps),
            *(f"{name} falls" for name in self.fallen),
            *(f"{name} moves" for name in self.moved if name not in self.fallen),
        )


def settle(scene: Scene, open_simulator: OpenSimulator, seconds: float = 1.0) -> SettleReport:
    """Simulates a scene, and reports objects that move, overlap or fall.

    Only simulators with the capability ``contacts`` find overlaps.

    Args:
        scene: The scene.
        open_simulator: Opens the simulator, which is closed afterwards.
        seconds: Simulated time, > 0 [s].

    Raises:
        SpawnError: The engine cannot build a model.
        ValueError: `seconds` is not > 0.
    """
    if not seconds > 0.0:
        raise ValueError(f"seconds must be > 0, got {seconds}")
    names = [each.name for each in scene.in_world]
    simulator = open_simulator(scene_world(scene))
    steps = max(1, round(seconds / simulator.timestep))
    with World(simulator, steps_per_tick=steps) as world:
        overlaps = _overlaps(world, set(names))
        if not names:
            return SettleReport({}, overlaps, ())
        rows = world.models.select(names)
        before = np.array(rows.get("pose")[0])
        world.tick()
        after = np.array(rows.get("pose")[0])
    distances = np.linalg.norm(after[:, :3] - before[:, :3], axis=1)
    angles = quaternions.angle_to(before[:, 3:], after[:, 3:])
    moved = {
        name: (float(distance), float(angle))
        for name, distance, angle in zip(names, distances, angles, strict=True)
        if not (distance <= MAX_DISTANCE and angle <= MAX_ANGLE)
    }
    sunk = before[:, 2] - after[:, 2]
    fallen = tuple(name for name, depth in zip(names, sunk, strict=True) if not depth < FALLEN)
    return SettleReport(moved, overlaps, fallen)


def sample_settled(
    scenario: Scenario,
    open_simulator: OpenSimulator,
    seed: int = 0,
    number: int = 0,
    *,
    seconds: float = 1.0,
    limit: int = 100,
) -> tuple[Scene, dict[str, int]]:
    """Samples scenes until one is stable. Each warning of the engine is shown once per scenario.

    Args:
        scenario: The scenario.
        open_simulator: Opens a simulator of a world; it is closed afterwards.
        seed: Seed, >= 0.
        number: Number of the scene in the sequence for this seed, >= 0.
        seconds: Simulated time for each scene, > 0 [s].
        limit: Greatest number of scenes to try.

    Returns:
        The scene, and the number of scenes rejected before it, by reason.

    Raises:
        RejectedError: None of the scenes is stable.
    """
    reasons: Counter[str] = Counter()
    for attempt in range(limit):
        scene = scenario.sample(seed, number, attempt=attempt)
        with _warning_once(scenario.warned):
            report = settle(scene, open_simulator, seconds)
        if report.stands:
            return scene, dict(reasons.most_common())
        reasons.update(report.reasons)
    raise RejectedError(limit, reasons)


def draw(
    scenario: Scenario,
    open_simulator: OpenSimulator,
    seed: int,
    number: int,
    seconds: float,
    limit: int,
) -> tuple[Scene, Mapping[str, int]]:
    """Samples a scene that settles in some seconds, or any scene for 0 s; see `sample_settled`."""
    if seconds > 0.0:
        return sample_settled(scenario, open_simulator, seed, number, seconds=seconds, limit=limit)
    scene = scenario.sample(seed, number, limit=limit)
    return scene, scene.rejections


_NUMBER = re.compile(r"_\d+(?=['\":.,\s])")


@contextmanager
def _warning_once(shown: set[str]) -> Iterator[None]:
    """Shows only new warnings of a block; the numbers of objects make no difference.

    Args:
        shown: The texts of the warnings shown before, which is extended.
    """
    said: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            yield
    finally:
        for each in said:
            text = _NUMBER.sub("", str(each.message))
            if text not in shown:
                shown.add(text)
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _overlaps(world: World, names: set[str]) -> dict[tuple[str, str], float]:
    """Returns the depths of overlaps of the scene's objects that exceed `MAX_DEPTH` [m]."""
    contacts = world.simulator.contacts
    if contacts is None:
        return {}
    points = contacts.read(0)
    links = world.entities.names("links")
    found: dict[tuple[str, str], float] = {}
    for (first, second), depth in zip(points.links.tolist(), points.depth.tolist(), strict=True):
        if depth > MAX_DEPTH:
            owners = [links[row].split("::")[0] if row >= 0 else "world" for row in (first, second)]
            pair = (min(owners), max(owners))
            if names & {*pair} and pair[0] != pair[1]:
                found[pair] = max(depth, found.get(pair, 0.0))
    return found
