# SPDX-License-Identifier: Apache-2.0
"""Reading and writing the poses and twists of 100 models, beside the physics that moves them.

The boxes lie on the ground, the cheapest physics that 100 free models can have; cars of five
links each are the example task's. A tick reads and writes once, however many physics steps it has.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from report import interleaved, write

from deepsim import GazeboXMLLoader, ModelDescription, MujocoSimulator, Pose
from deepsim_sync import Cells, Changes, Tables

CAR = Path(__file__).parents[1] / "examples/racetrack/models/car/car.xacro"
GROUND = """<sdf version="1.6"><model name="ground"><static>true</static><link name="link">
<collision name="c"><geometry><plane><normal>0 0 1</normal><size>99 99</size></plane></geometry>
</collision></link></model></sdf>"""
BOX = """<sdf version="1.6"><model name="box"><link name="link">
<inertial><mass>1</mass><inertia><ixx>0.0067</ixx><iyy>0.0067</iyy><izz>0.0067</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
</link></model></sdf>"""
COUNT = 100


def scene(description: ModelDescription, height: float) -> MujocoSimulator:
    """100 models at rest on the ground."""
    simulator = MujocoSimulator()
    simulator.spawn(GazeboXMLLoader().load_model(GROUND), "ground", Pose())
    for number in range(COUNT):
        simulator.spawn(description, f"m{number}", Pose((number % 10, number // 10, height)))
    simulator.step(500)
    return simulator


def measure(simulator: MujocoSimulator) -> dict[str, float]:
    """Microseconds of a read, a write and a physics step."""
    tables = Tables.allocate(simulator.entities)
    simulator.read(tables)
    rows = simulator.entities.models.rows(f"m{number}" for number in range(COUNT))
    worlds = np.zeros(COUNT, dtype=np.intp)
    pose, twist = tables.models.pose[0, rows], tables.models.twist[0, rows]
    changes = Changes(
        simulator.entities.generation,
        {
            ("models", "pose"): Cells(worlds, rows, pose),
            ("models", "twist"): Cells(worlds, rows, twist),
        },
    )

    def read() -> None:
        simulator.step()  # so that what is read is not known yet; taken off below
        simulator.read(tables, ("models",))

    times = interleaved(
        {"step": simulator.step, "read": read, "write": partial(simulator.write, changes)}, 9, 100
    )
    return {**times, "read": times["read"] - times["step"]}


def main() -> None:
    """Measures boxes and cars."""
    figures: dict[str, float] = {}
    loader = GazeboXMLLoader()
    for name, description, height in (
        ("boxes", loader.load_model(BOX), 0.1),
        ("cars", loader.load_model(CAR), 0.0),
    ):
        times = measure(scene(description, height))
        both = times["read"] + times["write"]
        figures |= {f"{COUNT} {name}, {key} [us]": value for key, value in times.items()}
        for steps in (1, 5, 25):
            share = 100 * both / (steps * times["step"])
            figures[f"{COUNT} {name}, share of {steps} steps [%]"] = share
    write("batch_sync", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
