# SPDX-License-Identifier: Apache-2.0
"""Lock-step: set all models, step n, read all models, in one round trip from Python."""

from __future__ import annotations

from time import perf_counter

from .series import MODELS, Flat

CALLS = 1000
ROUNDS = 5


def lock_step(models: list[str]) -> dict[str, float]:
    """Calls per second with n = 1 and physics steps per second with n = 10; medians of rounds."""
    flat = Flat(models)
    flat.get()
    simulator, tables, changes = flat.simulator, flat.tables, flat.changes()

    def rate(n: int) -> float:
        start = perf_counter()
        for _ in range(CALLS):
            simulator.step(n, None, changes)
            simulator.read(tables, MODELS)
        return CALLS / (perf_counter() - start)

    calls, steps = [], []
    for _ in range(ROUNDS):
        calls.append(rate(1))
        steps.append(10 * rate(10))
    flat.close()
    return {
        "calls/s at n = 1": sorted(calls)[ROUNDS // 2],
        "steps/s at n = 10": sorted(steps)[ROUNDS // 2],
    }
