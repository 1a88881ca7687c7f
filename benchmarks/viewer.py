# SPDX-License-Identifier: Apache-2.0
"""The cost of a live view: of an update of many bodies, and of clients to a task that runs.

The update is beside one handle for each body, as viser's users write it. The racetrack runs as fast
as it goes with clients of the browser's protocol, in other processes. What they cost is processor
time of the task's process: of the tick's own part, and of the threads that send. It is given for a
frame, and as the slow-down at 30 frames per second of a task that would fill a core, so that other
work of the machine does not enter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from time import thread_time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.cpu_count = lambda: 1  # a simulator steps its worlds with one thread

import numpy as np  # noqa: E402 (after the line above)
from report import write  # noqa: E402

from deepsim import MujocoSimulator, World, load_task  # noqa: E402
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
CLIENT = Path(__file__).with_name("viewer_client.py")
BODIES, UPDATES = 1000, 60
STEPS = 300  # of the task without clients
CLIENTS = 8
RATE = 30.0  # frames per second of wall time
FRAMES = 120  # that are measured
BARS = {"update of 1000 bodies [ms]": 1.0, "task with a client / alone": 1.1}


def main() -> int:
    """Measures, prints, and writes results/viewer.json."""
    ours, theirs = updates()
    one, many = cost(1), cost(CLIENTS)
    figures = {
        "update of 1000 bodies [ms]": 1e3 * ours,
        "one handle per body / ours": theirs / ours,
        "tick of a viewer without clients [ms]": 1e3 * cost(0),
        "frame to one client [ms]": 1e3 * one,
        f"frame to {CLIENTS} clients [ms]": 1e3 * many,
        "task with a client / alone": 1.0 / (1.0 - RATE * one),
        f"task with {CLIENTS} clients / alone": 1.0 / (1.0 - RATE * many),
    }
    write("viewer", {**figures, "bars": BARS, "bodies": BODIES}, "viser", "mujoco")
    return int(any(figures[name] > bar for name, bar in BARS.items()))


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


class TimedViewer(Viewer):
    """Adds up the processor time of its part of each tick, and counts frames."""

    def __init__(self, world: World) -> None:
        self.spent, self.frames = 0.0, 0
        super().__init__(world, port=0)

    def update_tracker(self, delta_time: float, sim_time: Any) -> None:
        start = thread_time()
        super().update_tracker(delta_time, sim_time)
        self.spent += thread_time() - start

    def _put(self) -> None:
        self.frames += 1
        super()._put()


def cost(clients: int) -> float:
    """Returns the processor time of a frame to so many clients, or of a tick without any [s]."""
    environment = load_task("racetrack").environment(0, 1)
    actions = {
        slot: np.zeros(space.shape, space.dtype) for slot, space in environment.action_space.items()
    }
    before = set(threading.enumerate())
    with TimedViewer(environment.world) as viewer:
        command = [sys.executable, str(CLIENT), viewer.url]
        others = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(clients)]
        while viewer.clients < clients:
            if any(other.poll() is not None for other in others):
                raise RuntimeError("a client has ended")
            time.sleep(0.05)
        senders = [
            time.pthread_getcpuclockid(thread.ident)
            for thread in set(threading.enumerate()) - before
            if thread.ident is not None
        ]
        steps = 0
        for warm in (True, False):
            sent = sum(map(time.clock_gettime, senders))
            viewer.spent, viewer.frames, steps = 0.0, 0, 0
            while viewer.frames < (FRAMES // 4 if warm else FRAMES) and (clients or steps < STEPS):
                if not environment.live_agents:
                    environment.reset(seed=0)
                environment.step(actions)
                steps += 1
        spent = viewer.spent + sum(map(time.clock_gettime, senders)) - sent
        count = viewer.frames or steps * environment.frame_skip // environment.world.steps_per_tick
    for other in others:
        other.wait(timeout=30.0)
    environment.close()
    return spent / count


if __name__ == "__main__":
    sys.exit(main())
