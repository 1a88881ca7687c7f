# SPDX-License-Identifier: Apache-2.0
"""What do ticks of a task cost on Gazebo beyond the physics, and what does a large spawn cost?

``python benchmarks/gazebo_ticks.py`` enters the Gazebo host's sandbox, starts a gzserver for each
scene, and writes ``results/gazebo_ticks.json``:

- calls after a policy has thought for 0, 6 and 50 ms, by computing and by sleeping, beside an echo
  of another process, which the machine wakes as late
- reads of 100 models right after the caches were emptied
- calls for 10 robots of 12 joints that read and command the joints too, over calls that do not
- the time to spawn 400 boxes in one call
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import numpy as np
from figure6.scene import names, write_world
from report import write

from deepsim_conformance.models import BOX
from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import Cells, Changes, Key, SpawnRequest, Tables

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tools")]

from gazebo.sandbox import attached  # noqa: E402 (the line above makes it importable)
from gazebo.servers import GazeboServer  # noqa: E402 (as above)

MODELS: tuple[Key, ...] = (("models", "pose"), ("models", "twist"))
JOINTS: tuple[Key, ...] = (("joints", "position"), ("joints", "velocity"))
PAUSES = (0.0, 0.006, 0.05)  # [s]
ROBOTS = 10
SPAWNED = 400

_LINK = (
    '<link name="{name}"><pose>{x} {y} {z} 0 0 0</pose><inertial><mass>0.5</mass><inertia>'
    "<ixx>.002</ixx><iyy>.002</iyy><izz>.002</izz></inertia></inertial></link>"
)
_HINGE = (
    '<joint name="{name}" type="revolute"><parent>{parent}</parent><child>{child}</child>'
    "<axis><xyz>{axis}</xyz><limit><effort>50</effort></limit></axis></joint>"
)


def robot() -> str:
    """Returns the SDF of a body with four legs of three hinges."""
    parts = [_LINK.format(name="body", x=0, y=0, z=0)]
    for leg in range(4):
        x, y = 0.3 - 0.6 * (leg // 2), 0.2 - 0.4 * (leg % 2)
        for number, axis in enumerate(("1 0 0", "0 1 0", "0 1 0")):
            name = f"leg{leg}_{number}"
            parent = f"leg{leg}_{number - 1}" if number else "body"
            parts.append(_LINK.format(name=name, x=x, y=y, z=-0.2 * number))
            parts.append(_HINGE.format(name=f"{name}_hinge", parent=parent, child=name, axis=axis))
    return f'<sdf version="1.6"><model name="robot">{"".join(parts)}</model></sdf>'


def thinking(simulator: GazeboSimulator, rounds: int) -> dict[str, float]:
    """Returns the median times of a step and a read after each pause [us]; all take turns."""
    tables = Tables(simulator.entities)

    def tick() -> None:
        simulator.step(1)
        simulator.read(tables, MODELS)

    times: dict[str, list[float]] = {}
    with _echo() as echo:
        for _ in range(rounds):
            for pause in PAUSES:
                for thought, think in (("computing", _compute), ("sleeping", sleep)):
                    for way, call in (("call", tick), ("echo", echo)):
                        key = f"us of {way} after {thought} for {pause * 1000:g} ms"
                        times.setdefault(key, []).extend(_after(think, pause, call))
    return {key: median(each) * 1e6 for key, each in times.items()}


def _after(think: Callable[[float], None], pause: float, call: Callable[[], None]) -> list[float]:
    """Returns the times of five calls with a pause before each [s]; one before them is left out."""
    times = []
    for _ in range(6):
        think(pause)
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return times[1:]


@contextmanager
def _echo() -> Iterator[Callable[[], None]]:
    """Starts a process that echoes a byte; yields a call that waits for one echo."""
    command = [sys.executable, "-c", "import os\nwhile os.write(1, os.read(0, 1)): pass"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        sent, received = process.stdin.fileno(), process.stdout.fileno()

        def echo() -> None:
            os.write(sent, b"?")
            os.read(received, 1)

        yield echo


def cold_reads(ways: dict[str, GazeboSimulator], reads: int) -> dict[str, float]:
    """Returns the median time of a read after 32 MB of other memory were written [us]."""
    tables = {way: Tables(simulator.entities) for way, simulator in ways.items()}
    other = np.zeros(4_000_000)
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(reads):
        for way, simulator in ways.items():
            other += 1
            start = perf_counter()
            simulator.read(tables[way], MODELS)
            times[way].append(perf_counter() - start)
    return {f"us to read 100 models, cold, {way}": median(t) * 1e6 for way, t in times.items()}


def joints(simulator: GazeboSimulator, rounds: int, calls: int) -> dict[str, float]:
    """Returns calls per second with and without joints, of 1 and 10 steps; both take turns."""
    simulator.spawn(
        [SpawnRequest(robot(), f"robot{n}", Pose((2.0 * n, 0, 3))) for n in range(ROBOTS)]
    )
    entities = simulator.entities
    tables, rows = Tables(entities), np.arange(len(entities.joints))
    worlds = np.zeros(len(rows), dtype=np.intp)

    def commands(value: float) -> Changes:
        columns = {"target_position": value, "stiffness": 20.0, "damping": 1.0}
        return Changes(
            entities.generation,
            {
                ("joints", column): Cells(worlds, rows, np.full(len(rows), number))
                for column, number in columns.items()
            },
        )

    simulator.write(commands(0.0))
    targets: tuple[Key, ...] = (("joints", "target_position"),)
    turns = [
        Changes(entities.generation, {targets[0]: Cells(worlds, rows, np.full(len(rows), angle))})
        for angle in (0.0, 0.1)
    ]

    def without(steps: int, _number: int) -> None:
        simulator.step(steps)
        simulator.read(tables, MODELS)

    def together(steps: int, number: int) -> None:
        simulator.step(steps, None, turns[number % 2])
        simulator.read(tables, MODELS + JOINTS)

    ways: dict[str, Callable[[int, int], None]] = {"without": without, "with": together}
    rates: dict[str, list[float]] = {}
    for _ in range(rounds):
        for steps in (1, 10):
            for way, call in ways.items():
                start = perf_counter()
                for number in range(calls):
                    call(steps, number)
                key = f"calls/s of {steps} steps {way} joints"
                rates.setdefault(key, []).append(calls / (perf_counter() - start))
    figures = {key: median(each) for key, each in rates.items()}
    for steps in (1, 10):
        key = f"calls/s of {steps} steps {{}} joints"
        ratios = np.divide(rates[key.format("with")], rates[key.format("without")])
        figures[f"with over without joints, {steps} steps"] = float(np.median(ratios))
    return figures


def spawning(simulator: GazeboSimulator, rounds: int) -> dict[str, float]:
    """Returns the median time to spawn boxes in one call into an empty world [s]."""
    times = []
    for number in range(rounds):
        requests = [
            SpawnRequest(BOX, f"box{number}_{n}", Pose((n % 20, n // 20, 5)))
            for n in range(SPAWNED)
        ]
        start = perf_counter()
        simulator.spawn(requests)
        times.append(perf_counter() - start)
        for request in requests:
            simulator.delete(request.name)
    return {f"s to spawn {SPAWNED} boxes": median(times)}


def _compute(seconds: float) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass


def main() -> int:
    """Enters the sandbox, and measures in it."""
    if not attached():
        tool = [sys.executable, str(ROOT / "tools/gazebo"), "run", "--no-server", "--"]
        return subprocess.run([*tool, sys.executable, *sys.argv], check=False).returncode
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        scene = write_world(Path(folder) / "ten.world", 10, floating=True)
        with GazeboServer(scene, arguments=["-u"]), closing(GazeboSimulator()) as simulator:
            figures |= thinking(simulator, 20)
        scene = write_world(Path(folder) / "hundred.world", len(names(100)))
        with (
            GazeboServer(scene, arguments=["-u"]),
            closing(GazeboSimulator()) as shared,
            closing(GazeboSimulator(shared_memory=False)) as ros,
        ):
            figures |= cold_reads({"shared memory": shared, "ROS": ros}, 300)
        scene = write_world(Path(folder) / "none.world", 0, floating=True)
        with GazeboServer(scene, arguments=["-u"]), closing(GazeboSimulator()) as simulator:
            figures |= joints(simulator, 7, 300)
        with GazeboServer(scene, arguments=["-u"]), closing(GazeboSimulator()) as simulator:
            figures |= spawning(simulator, 3)
    write("gazebo_ticks", figures, "deepsim-gazebo", "numpy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
