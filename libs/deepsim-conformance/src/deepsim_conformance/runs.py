# SPDX-License-Identifier: Apache-2.0
"""Runs that use most of the port, differently in each world."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import List, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.port.entities import SCOPE
from deepsim_sync.port.physics_properties import PHYSICS_PROPERTIES

from .bench import Bench
from .models import BLOCK, BOX, GROUND, HAMMER, HINGED, LAMP, PAIR, PENDULUM, SINKER

Scene = List[Tuple[str, str, Sequence[float]]]
"""SDF, name and position of each model."""

_BODIES: Scene = [
    (HAMMER, "hammer", (0, 0, 5)),
    (BOX, "box", (0, -3, 5)),
    (BLOCK, "wall", (3, 0, 1)),
    (LAMP, "lamp", (3, 3, 1)),
]
SCENES: dict[str, Scene] = {
    "bodies": _BODIES,
    "flight": [*_BODIES, (PAIR, "pair", (0, 3, 5))],
    "contacts": [
        (GROUND, "ground", (0, 0, 0)),
        (BOX, "box", (0, 0, 0.15)),
        (BOX, "lid", (0.05, 0.02, 0.4)),
        (BLOCK, "wall", (0.45, 0, 0.1)),
    ],
    "joints": [
        (GROUND, "ground", (0, 0, 0)),
        (HINGED, "gate", (0, 0, 1)),
        (PENDULUM, "pendulum", (3, 0, 1)),
        (SINKER, "sinker", (5, 0, 2)),
        (BOX, "box", (0, 5, 0.12)),
    ],
}
_PUSHED = {"hammer", "pair", "box", "lid", "gate"}
_MOVED = {"box", "wall"}
_SCALED = {"box::link", "sinker::link", "pendulum::link"}
COMMANDS = {
    "target_position": 0.5,
    "target_velocity": 1.0,
    "feedforward": 2.0,
    "stiffness": 30.0,
    "damping": 3.0,
    "effort_limit": 5.0,
    "velocity_limit": 2.0,
}
"""The columns of a joint's command, with the largest values in a run."""
SCALING = 6  # the round in which physics properties are scaled
LAST = 24


class Run:
    """Rounds of calls that differ from world to world, depending on the world's number.

    Args:
        bench: The simulator, to which the models of the scene are added.
        scene: A key of `SCENES`.
        numbers: For each world, the number that determines its calls; its own by default.
    """

    def __init__(self, bench: Bench, scene: str, numbers: Sequence[int] | None = None) -> None:
        self._bench = bench
        self._numbers = np.arange(bench.worlds) if numbers is None else np.array(numbers)
        self._positions = {name: position for _, name, position in SCENES[scene]}
        self.models = list(self._positions)
        for sdf, name, position in SCENES[scene]:
            bench.spawn(sdf, name, self.poses(position))

    def rounds(self, first: int, last: int) -> list[list[bytes]]:
        """Returns state, time and factors of each world after each round from `first` to `last`."""
        return [self._round(number) for number in range(first, last)]

    def _round(self, number: int) -> list[bytes]:
        n, bench = self._numbers, self._bench
        calls: list[tuple[NDArray[np.bool_], Callable[[NDArray[np.intp]], object]]] = [
            ((n + number) % 3 == 0, partial(self._push, number)),
            ((n + number) % 5 == 0, partial(self._move, number)),
            ((n + number) % 4 != 0, partial(bench.step, 1 + number % 7)),
            (n % 3 == number - 16, bench.reset),
        ]
        self._paint(number)
        if number == SCALING:
            self._scale()
        if number % 4 == 2:
            self._command(number)
        for chosen, call in calls:
            if chosen.any():
                call(np.flatnonzero(chosen))
        physics = bench.simulator.physics
        factors = [physics.factors(each) for each in PHYSICS_PROPERTIES] if physics else []
        parts = [bench.states(*self.models), bench.simulator.time, *factors]
        return [b"".join(map(bytes, of_one_world)) for of_one_world in zip(*parts)]

    def _paint(self, number: int) -> None:
        colors = np.stack([_random(n, number).uniform(size=4) for n in self._numbers.tolist()])
        self._bench.write({("visuals", "transparency"): {"box::link::paint": colors[:, 0]}})
        if "lamp" in self.models:
            self._bench.write({("lights", "diffuse"): {"lamp::link::bulb": colors}})

    def _push(self, number: int, worlds: NDArray[np.intp]) -> None:
        twists = np.stack([twist_of(n, number) for n in self._numbers[worlds].tolist()])
        models = [name for name in self.models if name in _PUSHED]
        if number % 2:
            self._bench.write({("models", "twist"): dict.fromkeys(models, twists)}, worlds)
        else:
            links = [self._bench.entities.links.within(name)[0] for name in models]
            self._bench.write({("links", "twist"): dict.fromkeys(links, twists)}, worlds)

    def _move(self, number: int, worlds: NDArray[np.intp]) -> None:
        places = {name: self._positions[name] for name in self.models if name in _MOVED}
        poses = {name: self.poses(place, number)[worlds] for name, place in places.items()}
        self._bench.write({("models", "pose"): poses}, worlds)

    def _scale(self) -> None:
        physics = self._bench.simulator.physics
        if physics is not None:
            links = [name for name in self._bench.entities.links if name in _SCALED]
            random = [_random(n, SCALING) for n in self._numbers.tolist()]
            for each in PHYSICS_PROPERTIES:
                factors = np.stack([one.uniform(0.4, 2.5, len(links)) for one in random])
                physics.scale(each, links, factors)

    def _command(self, number: int) -> None:
        """Sets gains and targets in most worlds, and only a feedforward in the others."""
        joints = [
            name for name in self._bench.entities.joints if name.split(SCOPE)[0] in self.models
        ]
        random = [_random(n, number) for n in self._numbers.tolist()]
        held = self._numbers % 3 != 0
        for column, largest in COMMANDS.items():
            values = np.array([one.uniform(0.0, largest) for one in random])
            if column in ("stiffness", "damping"):
                values *= held
            if joints:
                self._bench.write({("joints", column): dict.fromkeys(joints, values)})

    def poses(self, position: Sequence[float], number: int = 0) -> NDArray[np.float64]:
        """Returns poses near a position, (W, 7), which differ in each world and round."""
        return np.stack([pose_near(position, n, number) for n in self._numbers.tolist()])


def pose_near(
    position: Sequence[float], number: int, step: int = 0, spread: float = 0.02
) -> NDArray[np.float64]:
    """Returns a random pose near a position, (7,), for a world's number."""
    random = _random(number, step)
    quaternion = np.append(random.uniform(-spread, spread, 3), 1.0)
    quaternion /= np.sqrt(np.sum(quaternion * quaternion))
    return np.concatenate([position + random.uniform(-spread, spread, 3), quaternion])


def twist_of(number: int, step: int = 0) -> NDArray[np.float64]:
    """Returns a random twist, (6,), for a world's number."""
    return np.random.default_rng([number, step, 1]).uniform(-1.0, 1.0, 6)


def _random(number: int, step: int) -> np.random.Generator:
    return np.random.default_rng([number, step])
