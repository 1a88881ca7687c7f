# SPDX-License-Identifier: Apache-2.0
"""A program: drives the racetrack and prints a digest of all results, and versions."""

from __future__ import annotations

import json
import platform
import sys

import mujoco
import numpy as np

from deepsim import load_task
from deepsim_envs import digest


def drive(folder: str, steps: int) -> str:
    """Returns a digest of some steps of both cars by pure pursuit, episode after episode."""
    task = load_task(folder)
    digests = []
    with task.make() as environment:
        for step in range(steps):
            if not environment.live_agents:
                observation, info = environment.reset(step)
                act = task.policy("pursuit")(environment, np.random.default_rng(step))
                digests.append(digest((observation, info)))
            actions = {name: act(name, observation[name]) for name in environment.live_agents}
            result = environment.step(actions)
            observation = result.observation
            digests.append(digest(tuple(result)))
    return digest(digests)


if __name__ == "__main__":
    result = {
        "python": platform.python_version(),
        "mujoco": mujoco.__version__,
        "numpy": np.__version__,
        "digest": drive(sys.argv[1], int(sys.argv[2])),
    }
    print(json.dumps(result))
