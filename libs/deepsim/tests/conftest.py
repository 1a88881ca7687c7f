# SPDX-License-Identifier: Apache-2.0
"""Small tasks on disk, and the command that runs them."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from deepsim.cli import app

TASK = """
import numpy as np
from gymnasium.spaces import Box
from deepsim import (
    AbstractAgent, AreaInterface, CameraView, Environment, MujocoSimulator, Pose, Task, World
)
from deepsim_sync.testing import TableModel, TableSimulator

SPACE = Box(-1.0, 1.0, (1,), np.float32)

class Puck(AbstractAgent):
    def get_next_state(self):
        return np.zeros(1, np.float32)

    def on_action_received(self, action):
        HOOK

class Area(AreaInterface):
    observation_space = action_space = {"puck": SPACE}

    def __init__(self, world):
        self.puck = Puck("puck", world=world)

    def get_agents(self):
        return [self.puck]

    def get_info(self):
        return {}

    def reset(self):
        pass

def make(seed):
    print("made")
    world = World(TableSimulator())
    world.spawn(TableModel(), "puck", Pose())
    return Environment(Area(world), max_episode_steps=3, seed=seed)

def random_policy(environment, rng):
    def act(agent, observation):
        print("acts")
        return np.zeros(1, np.float32)
    return act

TASK = Task(
    "pucks", make, {"random": random_policy}, film="none::none::none",
    map_view=CameraView.from_above(0.0, 0.0, 4.0),
)
"""


@pytest.fixture
def write_task(tmp_path: Path) -> Callable[..., Path]:
    """Writes a task of three steps without pictures; its agent acts by the given statement.

    Changes of its text may follow, each as what was there and what is.
    """

    def write(hook: str = "pass", *changes: tuple[str, str]) -> Path:
        folder = tmp_path / "pucks"
        folder.mkdir()
        text = TASK
        for old, new in (*changes, ("HOOK", hook)):
            assert old in text
            text = text.replace(old, new)
        (folder / "__init__.py").write_text(text)
        return folder

    return write


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    """Runs a task by the command with these options, as from a shell."""

    def run(task: Path | str, *options: str) -> Result:
        return CliRunner().invoke(app, ["run", str(task), "--out", str(tmp_path / "out"), *options])

    return run


@pytest.fixture
def free_port() -> int:
    """A port of this host at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
