# SPDX-License-Identifier: Apache-2.0
"""Sends SIGINT, SIGTERM and SIGHUP to gzserver in each state, and measures how long it lives on.

``python benchmarks/signals.py`` enters the Gazebo host's sandbox, starts a server for each signal,
and writes ``results/signals.json``. By default each signal is sent 102 times.
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from report import write

from deepsim_conformance.models import BOX
from deepsim_gazebo import GazeboError, GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import CameraView, SpawnRequest, Tables

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tools")]

from gazebo.errors import GazeboHostError  # noqa: E402 (the line above makes it importable)
from gazebo.sandbox import attached  # noqa: E402 (as above)
from gazebo.servers import GazeboServer, RosMaster  # noqa: E402 (as above)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
VIEW = CameraView(Pose((0, 0, 2)), 1.0, 64, 48)
DEADLINE = 10.0  # [s]


def nothing(_simulator: GazeboSimulator) -> None:
    """Makes no further call."""
    raise GazeboError("nothing to be repeated")


def step(simulator: GazeboSimulator) -> None:
    """Makes 20 steps."""
    simulator.step(20)


def read(simulator: GazeboSimulator) -> None:
    """Reads the tables from shared memory."""
    simulator.read(Tables(simulator.entities))


def look(simulator: GazeboSimulator) -> None:
    """Takes a picture."""
    assert simulator.cameras is not None
    simulator.cameras.render(VIEW)


STATES: dict[str, Callable[[GazeboSimulator], None] | None] = {
    "without a client": None,
    "paused": nothing,
    "free-running": nothing,
    "under calls": step,
    "free, shared memory is read": read,
    "with a camera": look,
}


@contextlib.contextmanager
def client(state: str, work: Callable[[GazeboSimulator], None]) -> Iterator[None]:
    """Brings the server into a state, and does the work again and again until the server ends."""
    simulator = GazeboSimulator(lock_step=not state.startswith("free"))
    simulator.spawn([SpawnRequest(BOX, f"box{n}", Pose((3 * n, 0, 5))) for n in range(20)])
    begun, over = threading.Event(), threading.Event()

    def repeat() -> None:
        with contextlib.suppress(GazeboError):
            while not over.is_set():
                work(simulator)
                begun.set()
        begun.set()

    thread = threading.Thread(target=repeat)
    thread.start()
    begun.wait(20)
    yield
    over.set()
    thread.join(20)
    simulator.close()


def end_once(server: GazeboServer, state: str, number: signal.Signals, delay: float) -> float:
    """Starts a server, brings it into a state and sends the signal.

    Returns:
        The time until it ended as that signal should end it [s]; infinite if it did not.
    """
    server.start()
    work = STATES[state]
    with contextlib.nullcontext() if work is None else client(state, work):
        time.sleep(delay)
        start = time.perf_counter()
        try:
            status = server.end(number, deadline=DEADLINE)
        except GazeboHostError as error:
            print(error)
            server.kill()
            return float("inf")
        taken = time.perf_counter() - start
    if status != (0 if number is signal.SIGINT else -number):
        print(f"{state}, {number.name}: exit status {status}")
        return float("inf")
    return taken


def measure(times: int) -> list[dict[str, object]]:
    """Returns how many servers ended well, the median and the worst time, by state and signal."""
    rows: list[dict[str, object]] = []
    generator = np.random.default_rng(0)
    with RosMaster():
        for state in STATES:
            server = GazeboServer(camera=state == "with a camera")
            for number in SIGNALS:
                delays = generator.uniform(0.0, 0.1, times)
                taken = [end_once(server, state, number, float(delay)) for delay in delays]
                ended = [each for each in taken if np.isfinite(each)]
                row: dict[str, object] = {
                    "state": state,
                    "signal": number.name,
                    "ended": len(ended),
                    "of": times,
                    "median_s": round(float(np.median(ended)), 3),
                    "worst_s": round(max(ended), 3),
                }
                rows.append(row)
                print(row, flush=True)
            server.stop()
    return rows


def main() -> int:
    """Enters the sandbox, and measures in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=17, help="for each state and signal")
    options = parser.parse_args()
    if not attached():
        tool = [sys.executable, str(ROOT / "tools/gazebo"), "run", "--no-server", "--"]
        return subprocess.run([*tool, sys.executable, *sys.argv], check=False).returncode
    rows = measure(options.times)
    write("signals", {"rows": rows}, "deepsim-gazebo")
    return 0 if all(row["ended"] == row["of"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
