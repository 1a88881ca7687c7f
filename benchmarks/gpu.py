# SPDX-License-Identifier: Apache-2.0
"""How fast does MuJoCo Warp step the walk, on whatever device is here?

    python benchmarks/gpu.py
    python benchmarks/gpu.py --worlds 256 1024 4096 16384 --device cuda:0
    python benchmarks/gpu.py --device cpu --worlds 3 --ticks 10

It needs `make warp`. It prints the name of the device and, for each number of worlds, environment
steps per second; the share of a step that the device computes, that is spent in copies between host
and device, and that the host computes; the same without captured graphs and without determinism;
and MuJoCo on the cores of the host, interleaved. It says whether two runs, and one world alone,
have the same bytes. The figures go to benchmarks/results/gpu.json.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from report import write

from deepsim import GazeboXMLLoader, MujocoSimulator, World
from deepsim_tasks.walk import RATE, WORLD, Field
from deepsim_warp import WarpSimulator

STEPS = 5  # per tick, and a tick is a step of the environment
ROUNDS = 3
ALONE = 20  # ticks that are compared byte for byte


class Walk:
    """The walk in W worlds, with the same random actions in each run."""

    def __init__(self, simulator: Any) -> None:
        self.simulator, worlds = simulator, simulator.worlds
        self.area = Field(World(simulator, seed=0, steps_per_tick=STEPS))
        self.area.reset(np.arange(worlds))
        self.area.world.flush()
        draw = np.random.default_rng(0).uniform(-0.3, 0.3, (64, 1, 1, 12))
        self.actions = np.broadcast_to(draw, (64, worlds, 1, 12)).astype(np.float32)
        self.ticks = 0

    def tick(self) -> None:
        """One step of the environment: act, physics, observe, reward."""
        with self.area.world as world:
            self.area.act(self.actions[self.ticks % 64])
            world.tick()
            self.area.observe()
            self.area.reward()
        self.ticks += 1

    def seconds(self, ticks: int) -> float:
        """Returns the time of some ticks [s]."""
        start = perf_counter()
        for _ in range(ticks):
            self.tick()
        return perf_counter() - start

    def states(self, ticks: int) -> list[bytes]:
        """Returns the bytes of the first world after each tick."""
        found = []
        for _ in range(ticks):
            self.tick()
            found.append(self.simulator.snapshots.get_state().integration[0].tobytes())
        return found


def shares(walk: Walk, ticks: int) -> dict[str, float]:
    """Returns the shares of device, copies and host in the time of a tick."""
    batch = walk.simulator.batch
    spent = {"device": 0.0, "transfer": 0.0}

    def timed(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any) -> Any:
            batch.wait()
            start = perf_counter()
            result = call(*arguments)
            batch.wait()
            spent[name] += perf_counter() - start
            return result

        return measured

    batch.replay = timed("device", batch.replay)
    for name in ("upload", "download"):
        setattr(batch.buffer, name, timed("transfer", getattr(batch.buffer, name)))
    whole = walk.seconds(ticks)
    del batch.replay, batch.buffer.upload, batch.buffer.download
    found = {name: seconds / whole for name, seconds in spent.items()}
    return {**found, "host": 1.0 - sum(found.values())}


def measured(worlds: int, device: str | None, ticks: int) -> dict[str, Any]:
    """Returns the figures of one number of worlds."""

    def warp(**options: Any) -> Walk:
        described = GazeboXMLLoader().load_world(WORLD)
        return Walk(WarpSimulator(described, worlds=worlds, device=device, **options))

    walks = {
        "warp": warp(),
        "warp, no graphs": warp(),
        "warp, not deterministic": warp(deterministic=False),
        "mujoco": Walk(MujocoSimulator(GazeboXMLLoader().load_world(WORLD), worlds=worlds)),
    }
    walks["warp, no graphs"].simulator.batch.uses_graphs = False
    for walk in walks.values():
        walk.seconds(3)  # compiles, then captures
    times: dict[str, list[float]] = {name: [] for name in walks}
    for _ in range(ROUNDS):
        for name, walk in walks.items():
            some = (
                ticks if name == "warp" or name.endswith("deterministic") else max(2, ticks // 10)
            )
            times[name].append(walk.seconds(some) / some)
    found: dict[str, Any] = {
        f"W {worlds}: {name} [env steps/s]": worlds / median(each) for name, each in times.items()
    }
    for name, share in shares(walks["warp"], ticks).items():
        found[f"W {worlds}: share of {name}"] = share
    transfers = walks["warp"].simulator.transfers
    found[f"W {worlds}: uploads per tick"] = transfers.uploads / walks["warp"].ticks
    found[f"W {worlds}: downloads per tick"] = transfers.downloads / walks["warp"].ticks
    tries = transfers.tries / (walks["warp"].ticks * STEPS)
    found[f"W {worlds}: tries per physics step"] = tries
    first, again = warp().states(ALONE), warp().states(ALONE)
    found[f"W {worlds}: two runs have the same bytes"] = first == again
    described = GazeboXMLLoader().load_world(WORLD)
    alone = Walk(WarpSimulator(described, worlds=1, device=device)).states(ALONE)
    same = [one == other for one, other in zip(first, alone, strict=True)]
    text = "the same bytes" if all(same) else f"other bytes from tick {same.index(False)} on"
    found[f"W {worlds}: one world alone"] = text
    return found


def main() -> None:
    """Measures each number of worlds, and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, nargs="+", default=None)
    parser.add_argument("--device", default=None, help="by default the first GPU, else the CPU")
    parser.add_argument("--ticks", type=int, default=100)
    options = parser.parse_args()
    device = WarpSimulator(device=options.device).device
    worlds = options.worlds or ([256, 1024, 4096, 16384] if device.is_cuda else [1, 3])
    found: dict[str, Any] = {
        "device": device.name,
        "host": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
        "policy rate [Hz]": RATE,
    }
    for number in worlds:
        found |= measured(number, str(device), options.ticks)
    write("gpu", found, "mujoco", "mujoco-warp", "warp-lang", "numpy")


if __name__ == "__main__":
    main()
