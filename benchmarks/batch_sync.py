# SPDX-License-Identifier: Apache-2.0
"""Reading and writing the poses and twists of 100 models, beside the physics that moves them.

The boxes lie on the ground, the cheapest physics that 100 free models can have; cars of five
links each are the example task's. A tick reads and writes once, however many physics steps it has.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from report import interleaved, write

from deepsim import GazeboXMLLoader, ModelDescription, MujocoSimulator, Pose, World
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
    """Microseconds of a physics step, and of reading and writing all models once.

    The port is what the simulator itself takes; the world adds checks and the memory of what was
    put.
    """
    world = World(simulator)
    rows = world.entities.models.rows(f"m{number}" for number in range(COUNT))
    tables = Tables.allocate(simulator.entities)
    simulator.read(tables)
    pose, twist = tables.models.pose[0, rows], tables.models.twist[0, rows]
    worlds = np.zeros(COUNT, dtype=np.intp)
    changes = Changes(
        simulator.entities.generation,
        {
            ("models", "pose"): Cells(worlds, rows, pose),
            ("models", "twist"): Cells(worlds, rows, twist),
        },
    )

    def port() -> None:
        simulator.read(tables, ("models",))
        simulator.write(changes)
        simulator.step()

    def through_world() -> None:
        models = world.models
        world.put("models", {"pose": models.pose[0, rows], "twist": models.twist[0, rows]}, rows)
        world.tick()

    times = interleaved({"step": simulator.step, "port": port, "world": through_world}, 9, 100)
    return {
        "physics step": times["step"],
        "read and write, port": times["port"] - times["step"],
        "read and write, world": times["world"] - times["step"],
    }


def main() -> None:
    """Measures boxes and cars."""
    figures: dict[str, float] = {}
    loader = GazeboXMLLoader([CAR.parents[1]])
    for name, description, height in (
        ("boxes", loader.load_model(BOX), 0.1),
        ("cars", loader.load_model(CAR), 0.0),
    ):
        times = measure(scene(description, height))
        figures |= {f"{COUNT} {name}, {key} [us]": value for key, value in times.items()}
        for steps in (1, 5, 25):
            step = steps * times["physics step"]
            for path in ("port", "world"):
                share = 100 * times[f"read and write, {path}"] / step
                figures[f"{COUNT} {name}, {path}, share of {steps} steps [%]"] = share
    write("batch_sync", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
