# SPDX-License-Identifier: Apache-2.0
"""The cost of a live view: of an update of many bodies, and of a client to a task that runs.

The update is beside one handle for each body, as viser's users write it. A task runs alone, with a
viewer that nobody looks at, and with one client of the browser's protocol, in another process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, thread_time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.cpu_count = lambda: 1  # a simulator steps its worlds with one thread

import msgspec  # noqa: E402 (after the line above)
import numpy as np  # noqa: E402
import viser  # noqa: E402
from report import write  # noqa: E402
from websockets.exceptions import ConnectionClosed  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from deepsim import Environment, MujocoSimulator, World, load_task  # noqa: E402
from deepsim_math import Pose, Vector3  # noqa: E402
from deepsim_spawn import (  # noqa: E402
    Box,
    Cylinder,
    Inertial,
    LinkDescription,
    ModelDescription,
    Sphere,
    VisualDescription,
    WorldDescription,
)
from deepsim_viewer import Viewer  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
BODIES, UPDATES, ROUNDS = 1000, 60, 12
TURN = 1.0  # [s] of wall time of a task in a round
BARS = {"update of 1000 bodies [ms]": 1.0, "task with a client / alone": 1.1}


def main() -> int:
    """Measures, prints, and writes results/viewer.json."""
    if sys.argv[1:2] == ["--client"]:
        look(sys.argv[2])
        return 0
    ours, theirs = updates()
    alone, unseen, seen, rate = task()
    ratios = {
        "update of 1000 bodies [ms]": 1e3 * ours,
        "one handle per body / ours": theirs / ours,
        "task with a viewer without clients / alone": float(median(np.divide(unseen, alone))),
        "task with a client / alone": float(median(np.divide(seen, alone))),
        "frames per second to the client": rate,
    }
    write("viewer", {**ratios, "bars": BARS, "bodies": BODIES, "rounds": ROUNDS}, "viser", "mujoco")
    return int(any(ratios[name] > bar for name, bar in BARS.items()))


def crowd() -> WorldDescription:
    """A world of many bodies of three shapes."""
    shapes = (Box(Vector3(0.1, 0.2, 0.3)), Sphere(0.1), Cylinder(0.1, 0.3))
    models = []
    for number, shape in zip(range(BODIES), cycle(shapes)):
        link = LinkDescription(
            "link", inertial=Inertial(), visuals=(VisualDescription("visual", shape),)
        )
        place = Vector3(number % 32, number // 32, 1.0)
        models.append(ModelDescription(f"body_{number}", Pose(place), (link,)))
    return WorldDescription(models=tuple(models))


def updates() -> tuple[float, float]:
    """Returns the time of an update of ours, and with a handle for each body [s]; least of many."""
    world = World(MujocoSimulator(crowd()))
    rng = np.random.default_rng(0)
    with Viewer(world, port=0) as viewer:
        frame = viewer.latest
        frames = []
        for _ in range(UPDATES):
            poses = frame.poses.copy()
            poses[..., :3] += rng.normal(size=poses[..., :3].shape)
            frames.append(replace(frame, poses=poses))
        handles = [
            viewer.server.scene.add_box(f"/peer/{number}", dimensions=(0.1, 0.2, 0.3))
            for number in range(BODIES)
        ]

        def apart(given: Any) -> None:
            with viewer.server.atomic():
                for handle, pose in zip(handles, given.poses[0], strict=True):
                    handle.position = pose[:3]
                    handle.wxyz = pose[[6, 3, 4, 5]]

        ours, theirs = [], []
        for number, each in enumerate(frames):
            ours.append(timed(lambda each=each: viewer.scene.show(each)))
            if number % 6 == 0:
                theirs.append(timed(lambda each=each: apart(each)))
    world.close()
    return min(ours), min(theirs)


def timed(function: Callable[[], object]) -> float:
    start = thread_time()
    function()
    return thread_time() - start


def task() -> tuple[list[float], list[float], list[float], float]:
    """Returns the wall time of a step in each round [s], and the frames per second of the client.

    Rounds of the three take turns, so that what else the machine does meets all of them.
    """
    racetrack = load_task(ROOT / "examples" / "racetrack")
    environments = [racetrack.environment(0, 1) for _ in range(3)]
    with Viewer(environments[1].world, port=0), Viewer(environments[2].world, port=0) as viewer:
        client = subprocess.Popen(
            [sys.executable, __file__, "--client", viewer.url], stdout=subprocess.PIPE, text=True
        )
        while not viewer.clients:
            if client.poll() is not None:
                raise RuntimeError("the client has ended")
        times: list[list[float]] = [[], [], []]
        for _ in range(ROUNDS):
            for environment, found in zip(environments, times, strict=True):
                found.append(run(environment))
    out, _ = client.communicate(timeout=30)
    for environment in environments:
        environment.close()
    return times[0], times[1], times[2], int(out) / (ROUNDS * TURN)


def run(environment: Environment) -> float:
    """Returns the mean wall time of a step in a turn [s]."""
    actions = {
        slot: np.zeros(space.shape, space.dtype) for slot, space in environment.action_space.items()
    }
    environment.reset(seed=0)
    steps, start = 0, perf_counter()
    while (passed := perf_counter() - start) < TURN:
        if not environment.live_agents:
            environment.reset(seed=0)
        environment.step(actions)
        steps += 1
    return passed / steps


def look(url: str) -> None:
    """Counts frames until the server goes; prints how many there were."""
    socket = connect(
        url.replace("http", "ws").rstrip("/"),
        subprotocols=[f"viser-v{viser.__version__}"],  # type: ignore[list-item]
        max_size=None,
        compression=None,
    )
    camera = {
        "type": "ViewerCameraMessage", "wxyz": (1, 0, 0, 0), "position": (3, 0, 1), "fov": 1.0,
        "near": 0.01, "far": 100.0, "image_height": 450, "image_width": 800,
        "look_at": (0, 0, 0), "up_direction": (0, 0, 1),
    }  # fmt: skip
    socket.send(msgspec.msgpack.encode(camera))
    count, last = 0, monotonic()
    try:
        while True:
            socket.recv()
            count += monotonic() - last > 0.005  # positions and turns may come one by one
            last = monotonic()
    except ConnectionClosed:
        print(count)


if __name__ == "__main__":
    sys.exit(main())
