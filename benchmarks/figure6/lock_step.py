# SPDX-License-Identifier: Apache-2.0
"""Lock-step: set all models, step n, read all models, in one round trip from Python."""

from __future__ import annotations

from time import perf_counter

from .series import MODELS, Flat, SharedMemory

CALLS = 1000
ROUNDS = 5
FREE = 10_000  # steps of one call


def lock_step(models: list[str]) -> dict[str, float]:
    """Calls per second with n = 1, physics steps per second with n = 10 and of one long call.

    Medians of rounds in which ROS and shared memory take turns.
    """
    ways: dict[str, Flat] = {"ROS": Flat(models), "shared memory": SharedMemory(models)}
    rates: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for way, series in ways.items():
            rates.setdefault(f"calls/s at n = 1, {way}", []).append(_calls(series, 1))
            rates.setdefault(f"steps/s at n = 10, {way}", []).append(10 * _calls(series, 10))
        start = perf_counter()
        ways["ROS"].simulator.step(FREE)
        rates.setdefault("steps/s free", []).append(FREE / (perf_counter() - start))
    for series in ways.values():
        series.close()
    return {name: sorted(each)[ROUNDS // 2] for name, each in rates.items()}


def _calls(series: Flat, n: int) -> float:
    series.get()
    simulator, tables, changes = series.simulator, series.tables, series.changes()
    start = perf_counter()
    for _ in range(CALLS):
        simulator.step(n, None, changes)
        simulator.read(tables, MODELS)
    return CALLS / (perf_counter() - start)
