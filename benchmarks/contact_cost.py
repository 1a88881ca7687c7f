# SPDX-License-Identifier: Apache-2.0
"""What the contact settings cost: steps of piles and robots, beside MuJoCo's own settings.

Both run in turn, in one process and one thread, and are timed by the processor's clock; a ratio is
that of the least times.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from report import write

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "libs/deepsim-mujoco/tests"))

from contact_scenes import BEFORE, ball, body, cube, ground  # noqa: E402, the tests' scenes

from deepsim_math import Pose  # noqa: E402
from deepsim_mujoco import MujocoSimulator  # noqa: E402
from deepsim_spawn import (  # noqa: E402
    Cylinder,
    GazeboXMLLoader,
    ModelDescription,
    MujocoOptions,
    Physics,
    WorldDescription,
)
from deepsim_sync import Cells, Changes, SpawnRequest  # noqa: E402

Models = list[tuple[ModelDescription, Pose]]


def pile() -> Models:
    """Thirty cubes in three layers."""
    at = [(0.21 * (i % 3), 0.21 * (i // 3 % 4), 0.1 + 0.2 * (i // 12)) for i in range(30)]
    return [(cube(0.5), Pose(each)) for each in at]


def balls() -> Models:
    """Thirty balls that fall on one another."""
    return [
        (ball(mu=0.5), Pose((0.15 * (i % 4), 0.15 * (i // 4 % 3), 0.2 + 0.25 * i)))
        for i in range(30)
    ]


def dog() -> Models:
    """A body on four legs of three joints, which springs hold."""
    inertia = "<inertia><ixx>{0}</ixx><iyy>{0}</iyy><izz>{0}</izz></inertia>"
    text = f"""<link name="trunk"><inertial><mass>8</mass>{inertia.format(0.2)}</inertial>
    <collision name="c"><geometry><box><size>0.4 0.2 0.1</size></box></geometry></collision>
    </link>"""
    for x in (-0.18, 0.18):
        for y in (-0.12, 0.12):
            above, name = "trunk", f"{x}{y}".replace(".", "")
            for part, axis in enumerate(("1 0 0", "0 1 0", "0 1 0")):
                z = (0.0, -0.1, -0.3)[part]
                text += f"""<link name="{name}{part}"><pose>{x} {y} {z} 0 0 0</pose><inertial>
                <mass>0.5</mass>{inertia.format(0.002)}</inertial><collision name="c"><geometry>
                <sphere><radius>0.03</radius></sphere></geometry></collision></link>
                <joint name="j{name}{part}" type="revolute"><parent>{above}</parent>
                <child>{name}{part}</child><pose>0 0 0.1 0 0 0</pose><axis><xyz>{axis}</xyz>
                <dynamics><spring_stiffness>60</spring_stiffness><damping>1</damping></dynamics>
                </axis></joint>"""
                above = f"{name}{part}"
    xml = f"<sdf version='1.7'><model name='m'>{text}</model></sdf>"
    return [(GazeboXMLLoader().load_model(xml), Pose((0, 0, 0.34)))]


def robots() -> Models:
    """Ten robots of a soccer team, driven against one another."""
    one = body(Cylinder(0.25, 0.8), None, 31.0, 2.0)
    return [(one, Pose((0.55 * (i % 4), 0.55 * (i // 4), 0.4))) for i in range(10)]


SCENES: dict[str, tuple[Callable[[], Models], bool]] = {
    "pile of 30 cubes": (pile, False),
    "30 balls": (balls, False),
    "dog of 12 joints": (dog, False),
    "10 robots at rest": (robots, False),
    "10 robots driven": (robots, True),
}


class Play:
    """A scene with some settings, played again and again from where it has come to rest."""

    def __init__(self, models: Models, options: MujocoOptions, worlds: int, driven: bool) -> None:
        world = WorldDescription(physics=Physics(0.002, mujoco=options))
        self._simulator = simulator = MujocoSimulator(world, worlds=worlds, threads=1)
        everything = [(ground(), Pose()), *models]
        simulator.spawn([SpawnRequest(m, f"m{i}", at) for i, (m, at) in enumerate(everything)])
        rows = np.tile(np.arange(1, len(everything)), worlds)
        rng = np.random.default_rng(0)
        twists = np.zeros((len(rows), 6))
        twists[:, :2] = rng.normal(size=(len(rows), 2))
        cells = Cells(np.repeat(np.arange(worlds), len(everything) - 1), rows, twists)
        changes = Changes(simulator.entities.generation, {("models", "twist"): cells})
        self._changes = changes if driven else None
        simulator.step(500)
        self._start = simulator.snapshots.get_state()

    def seconds(self, steps: int) -> float:
        """Returns the time of some steps [s]."""
        self._simulator.snapshots.set_state(self._start)
        total = 0.0
        for _ in range(steps):
            if self._changes is not None:
                self._simulator.write(self._changes)
            start = process_time()
            self._simulator.step(1)
            total += process_time() - start
        return total


def main() -> None:
    """Measures all scenes in one world and in 64."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    figures: dict[str, float] = {}
    for name, (make, driven) in SCENES.items():
        for worlds, steps in ((1, 400), (64, 20)):
            plays = [Play(make(), each, worlds, driven) for each in (BEFORE, MujocoOptions())]
            times = np.array([[play.seconds(steps) for play in plays] for _ in range(rounds)])
            least = times.min(axis=0) * 1e6 / steps / worlds
            figures[f"{name}, {worlds} worlds, before [us]"] = float(least[0])
            figures[f"{name}, {worlds} worlds, now [us]"] = float(least[1])
            figures[f"{name}, {worlds} worlds, ratio"] = float(least[1] / least[0])
    write("contact_cost", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
