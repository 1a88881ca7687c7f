# SPDX-License-Identifier: Apache-2.0
"""Models of every structure, and worlds of them that are played in the same way each time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import Cells, Changes, SpawnRequest, Tables

INERTIAL = """<inertial><mass>1</mass>
<inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.03</izz></inertia></inertial>"""
BALL = """<collision name="c"><geometry><sphere><radius>0.06</radius></sphere></geometry>
</collision>"""

FLOOR = """<static>true</static><link name="l"><collision name="c"><geometry>
<plane><normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link>"""
BOX = f"""<link name="l">{INERTIAL}
<collision name="c"><geometry><box><size>0.3 0.2 0.1</size></box></geometry></collision>
<visual name="v"><geometry><box><size>0.3 0.2 0.1</size></box></geometry></visual></link>"""
SHIFTED = BOX.replace('<link name="l">', '<link name="l"><pose>0.1 0 0.05 0 0 0.3</pose>')
PENDULUM = f"""<link name="base"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><box><size>0.3 0.3 0.1</size></box></geometry></collision></link>
<link name="bob"><pose>0.2 0 0.2 0 0 0</pose><inertial><mass>0.3</mass></inertial>{BALL}</link>
<joint name="hinge" type="revolute"><parent>base</parent><child>bob</child>
<axis><xyz>0 1 0</xyz><dynamics><damping>0.01</damping></dynamics></axis></joint>"""
HELD = f"""<link name="bob"><pose>0 0 0.2 0 0 0</pose><inertial><mass>0.3</mass></inertial>{BALL}
</link><joint name="hinge" type="revolute"><parent>world</parent><child>bob</child>
<axis><xyz>0 1 0</xyz></axis></joint>"""
PARTS = f"""{BOX}<link name="l2"><pose>0.5 0.2 0 0 0.3 0</pose>{INERTIAL}{BALL}</link>
<model name="n"><pose>0 0 1 0.3 0 0</pose><link name="q"><pose>0.1 0 0 0 0 1</pose>{INERTIAL}</link>
</model>"""
FRAMES = """<static>true</static><model name="inner"><pose>1 0 0 0 0 0.4</pose></model>"""

SCENES = {
    "free": (FLOOR, BOX, BOX),
    "jointed": (FLOOR, PENDULUM, HELD),
    "shifted": (FLOOR, BOX, SHIFTED),
    "parts": (FLOOR, PARTS, FRAMES),
}
STATE = [(kind, column) for kind in ("models", "links") for column in ("pose", "twist")]


def request(inside: str, name: str, pose: object = Pose()) -> SpawnRequest:
    text = f'<sdf version="1.7"><model name="model">{inside}</model></sdf>'
    return SpawnRequest(GazeboXMLLoader().load_model(text), name, pose)


def read(simulator: MujocoSimulator) -> Tables:
    tables = Tables(simulator.entities, simulator.worlds)
    simulator.read(tables)
    return tables


def bytes_of(simulator: MujocoSimulator) -> list[bytes]:
    """All poses and twists of each world."""
    tables = read(simulator)
    return [
        b"".join(tables.columns[key][world].tobytes() for key in STATE)
        for world in range(simulator.worlds)
    ]


def poses(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    drawn = rng.normal(size=(n, 7))
    drawn[:, 2] += 1.0
    drawn[:, 3:] /= np.linalg.norm(drawn[:, 3:], axis=1)[:, None]
    return drawn


class Play:
    """Worlds that are pushed and thrown at random, in part reset, scaled, and filled.

    Args:
        models: Of every world; each stands elsewhere.
        worlds: How many there are.
        first: The number of the first, which decides what happens to it.
        threads: As for the simulator.
    """

    def __init__(
        self, models: Sequence[str], worlds: int, first: int = 0, threads: int | None = None
    ) -> None:
        self.numbers = first + np.arange(worlds)
        self.rngs = [np.random.default_rng(100 + number) for number in self.numbers]
        self.simulator = MujocoSimulator(worlds=worlds, threads=threads)
        for number, inside in enumerate(models):
            self.spawn(inside, f"m{number}")

    def spawn(self, inside: str, name: str) -> None:
        pose = np.concatenate([poses(rng, 1) for rng in self.rngs])
        self.simulator.spawn([request(inside, name, pose)])

    def run(self, ticks: int) -> list[list[object]]:
        """Returns what is seen of each world after each tick, refusals among it."""
        seen = []
        for tick in range(ticks):
            refused = self.write(tick)
            if tick % 9 == 8:
                self.simulator.reset(np.flatnonzero((self.numbers + tick) % 2))
            if tick % 7 == 5:
                self.scale()
            if tick == ticks // 3:
                self.spawn(PENDULUM, f"x{tick}")
            if tick == ticks // 2:
                self.simulator.delete("m1")
            self.simulator.step(2, np.flatnonzero((self.numbers + tick) % 5))
            seen.append([[*pair] for pair in zip(bytes_of(self.simulator), refused, strict=True)])
        return [[at[world] for at in seen] for world in range(self.simulator.worlds)]

    def write(self, tick: int) -> list[list[str]]:
        kind = ("models", "links")[tick % 2]
        n = len(self.simulator.entities.names(kind))
        rows = [np.flatnonzero(rng.random(n) < 0.4) for rng in self.rngs]
        worlds = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
        pairs = list(zip(self.rngs, rows, strict=True))
        pose = np.concatenate([poses(rng, len(each)) for rng, each in pairs])
        twist = np.concatenate([rng.normal(size=(len(each), 6)) for rng, each in pairs])
        twist[:, 0] *= tick % 4 > 0
        cells = {}
        if tick % 4 != 1:
            cells[kind, "pose"] = Cells(worlds, np.concatenate(rows), pose)
        if tick % 4 != 2:
            cells[kind, "twist"] = Cells(worlds, np.concatenate(rows), twist * (tick % 3 > 0))
        refused: list[list[str]] = [[] for _ in rows]
        for refusal in self.simulator.write(Changes(self.simulator.entities.generation, cells)):
            refused[refusal.world].append(str(refusal))
        return [sorted(each) for each in refused]

    def scale(self) -> None:
        factors = [[rng.uniform(0.5, 2.0)] for rng in self.rngs]
        for name in ("mass", "friction", "damping"):
            self.simulator.physics.scale(name, [self.simulator.entities.links[-1]], factors)
