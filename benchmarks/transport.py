# SPDX-License-Identifier: Apache-2.0
"""What topics cost the physics, and calls of a `RemoteSimulator` beside bare zenoh.

Physics and the one who calls it run in two processes on one machine; the parts of a comparison run
in turns. Bare zenoh answers with as many bytes, out of the same process, with nothing in between.
What publishing costs is processor time, of all threads.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np
from report import interleaved, write

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, WorldDescription
from deepsim_sync import SpawnRequest, World
from deepsim_transport import Master, PhysicsServer, RemoteSimulator, Transport, WorldMirror
from deepsim_transport.physics.updates import UPDATE

BODIES = 1000
ROUNDS = 15
BARS = {
    "publishing / steps until the next, 1000 bodies": 0.2,
    "steps beside a mirror that sleeps 1 s / alone": 0.95,
}
HOSTILE = 100_000
ROOT = Path(__file__).resolve().parents[1]
BALL = GazeboXMLLoader().load_model(
    "<sdf version='1.7'><model name='ball'><link name='link'><inertial><mass>1</mass><inertia>"
    "<ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial><collision name='c'><geometry>"
    "<sphere><radius>.1</radius></sphere></geometry></collision></link></model></sdf>"
)


def serve(port: int, bodies: int) -> None:
    """Is the physics process: a server, and a bare zenoh that answers with as many bytes."""
    with Transport("127.0.0.1", port) as transport, balls(bodies) as world:
        payload = b"x" * (7 * 8 * bodies + 200)

        def answer(query: object) -> None:
            with query:  # type: ignore[attr-defined]
                query.reply(query.key_expr, payload)  # type: ignore[attr-defined]

        bare = transport.session.declare_queryable(transport.key("bare"), answer)
        with PhysicsServer(world.simulator, transport, paused=True) as server:
            print("ready", flush=True)
            server.run()
        bare.undeclare()


@contextmanager
def balls(count: int) -> Iterator[World]:
    """A world of balls that fall freely, far from each other."""
    with World(MujocoSimulator(WorldDescription())) as world:
        side = int(np.ceil(np.sqrt(count)))
        world.spawn_many(
            SpawnRequest(BALL, f"ball{n}", Pose((n % side, n // side, 1000.0)))
            for n in range(count)
        )
        yield world


def calls(master: Master) -> dict[str, float]:
    """Times of calls to the other process [us]."""
    program = f"import transport; transport.serve({master.port}, 10)"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=__file__.rpartition("/")[0]
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        with Transport(master.host, master.port) as transport, balls(10) as own:
            remote = World(RemoteSimulator(transport))

            def turn(world: World) -> None:
                world.models.twist = np.zeros(6)
                world.tick()
                _ = world.models.pose

            return interleaved(
                {
                    "bare zenoh, request and answer": lambda: transport.request("bare", b"x" * 200),
                    "RemoteSimulator.step(1)": remote.simulator.step,
                    "World.tick, 10 bodies written and read, other process": lambda: turn(remote),
                    "World.tick, 10 bodies written and read, this process": lambda: turn(own),
                },
                ROUNDS,
                200,
            )
    finally:
        process.kill()
        process.communicate()


def publishing(master: Master) -> dict[str, float]:
    """Shares of the physics that publishing takes, and what a sleeping listener takes away."""
    with (
        Transport(master.host, master.port, namespace="many") as transport,
        Transport(master.host, master.port, namespace="many") as other,
        balls(BODIES) as world,
    ):
        simulator = world.simulator
        server = PhysicsServer(simulator, transport, rate=1e-3)
        other.session.declare_subscriber(other.key(UPDATE), lambda _: None)
        time.sleep(1.0)
        updates = server._updates
        steps = max(1, round(1.0 / 30.0 / simulator.timestep))
        cost = []
        for _ in range(ROUNDS):
            started = time.process_time()
            simulator.step(steps)
            stepped = time.process_time()
            updates.publish()
            cost.append((stepped - started, time.process_time() - stepped))
        physics, published = (min(each) for each in zip(*cost, strict=True))

        stop = threading.Event()

        def sensor() -> None:
            with WorldMirror(other) as mirror:
                while not stop.is_set():
                    mirror.update()
                    stop.wait(1.0)

        def rate() -> float:
            start, done = time.perf_counter(), 0
            while time.perf_counter() - start < 2.0:
                simulator.step(steps)
                updates.publish()
                server.run_once()
                done += steps
            return done

        ratios = []
        for _ in range(5):
            alone = rate()
            stop.clear()
            thread = threading.Thread(target=sensor)
            thread.start()
            beside = rate()
            stop.set()
            server.run_once()
            thread.join()
            ratios.append(beside / alone)
        server.close()
    return {
        "publishing / steps until the next, 1000 bodies": published / physics,
        "steps beside a mirror that sleeps 1 s / alone": median(ratios),
    }


def hostile() -> dict[str, float]:
    """Counts of random and damaged requests, and the memory [MB] after a tenth and after all."""
    script = [sys.executable, ROOT / "libs/deepsim-transport/tests/hostile.py", str(HOSTILE)]
    said = subprocess.run(script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    found = json.loads(said.stdout)
    begin, end = found.pop("memory")
    return {"sent": HOSTILE, **found, "MB after a tenth": begin, "MB after all": end}


def main() -> None:
    """Measures, prints and writes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Master("127.0.0.1", port) as master:
        times = calls(master)
        ratios = publishing(master)
    bare = times["bare zenoh, request and answer"]
    ratios["RemoteSimulator.step / bare zenoh"] = times["RemoteSimulator.step(1)"] / bare
    found = {"us": times, "ratios": ratios, "bars": BARS, "hostile requests": hostile()}
    write("transport", found, "numpy", "eclipse-zenoh")


if __name__ == "__main__":
    main()
