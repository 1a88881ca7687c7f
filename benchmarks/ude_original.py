# SPDX-License-Identifier: Apache-2.0
"""UDE's own server and client, for `benchmarks/ude.py`; for a Python that has the package `ude`.

``serve PORT`` serves two agents that see what they did, and ``serve-deepsim PORT`` the environment
of `ude_task.py`, where deepsim is there too. ``drive PORT`` reads numbers of steps, one a line,
makes them by UDE's client, and prints the seconds of each line.
"""

import os
import random
import sys
from time import perf_counter

sys.path.pop(0)  # this folder, in which ude.py is the benchmark

import numpy as np
import ude

NAMES = ("a", "b")


class Echo(ude.UDEEnvironmentAdapterInterface):
    """Two agents that see what they did."""

    side_channel = ude.DummySideChannel()
    observation_space = {name: ude.Box(-9.0, 9.0, (8,), dtype=np.float32) for name in NAMES}  # noqa: RUF012 (never changed)
    action_space = {name: ude.Box(-1.0, 1.0, (8,), dtype=np.float32) for name in NAMES}  # noqa: RUF012

    def reset(self):
        return {name: np.zeros(8, np.float32) for name in NAMES}

    def step(self, action_dict):
        reward, done = dict.fromkeys(NAMES, 1.0), dict.fromkeys(NAMES, False)
        return dict(action_dict), reward, done, action_dict, {}

    def close(self):
        pass


class Deepsim(Echo):
    """The same two agents, in an environment of deepsim."""

    def __init__(self):
        sys.path.append(os.path.dirname(__file__))
        from ude_task import echo  # noqa: PLC0415 (only where deepsim is)

        self._environment = echo()

    def reset(self):
        self._environment.world.claim()
        return self._environment.reset()[0]

    def step(self, action_dict):
        self._environment.world.claim()  # UDE steps in a thread of its own
        return tuple(self._environment.step(action_dict))


def serve(port, task=Echo):
    """Serves for ever."""
    ude.UDEServer(ude.UDEEnvironment(task()), num_agents=len(NAMES), port=port).start()
    print(port, flush=True)
    sys.stdin.read()


def drive(port):
    """Makes as many steps as each line asks for."""
    environment = ude.UDEEnvironment(ude.RemoteEnvironmentAdapter("127.0.0.1", port, timeout=60.0))
    environment.reset()
    rng = np.random.RandomState(0)
    drawn = [{name: rng.uniform(-1, 1, 8).astype(np.float32) for name in NAMES} for _ in range(8)]
    print("ready", flush=True)
    for line in sys.stdin:
        start = perf_counter()
        for _ in range(int(line)):
            environment.step(random.choice(drawn))
        print(perf_counter() - start, flush=True)


if __name__ == "__main__":
    commands = {"serve": serve, "serve-deepsim": lambda port: serve(port, Deepsim), "drive": drive}
    commands[sys.argv[1]](int(sys.argv[2]))
    os._exit(0)  # UDE's threads never end
