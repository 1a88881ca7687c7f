# SPDX-License-Identifier: Apache-2.0
"""Small tasks in folders, and the command that runs them."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from deepsim.cli import app

sys.path.insert(0, str(Path(__file__).parent))  # for command_line, which several tests share

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

def make(seed=0):
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

ARRAYS = """
import numpy as np
from gymnasium.spaces import Box
from deepsim import Agents, Area, ArrayPolicy, CameraView, Environment, Pose, Task, World
from deepsim_sync.testing import TableModel, TableSimulator

BOX = Box(-1.0, 1.0, (1,), np.float32)

class Slide(Area):
    agents = Agents(["puck", "disc"], BOX, BOX)

    def __init__(self, world):
        super().__init__(world)
        self.rows = world.models.select(["puck", "disc"])
        self.last = np.zeros(len(world), np.int64)
        self.earned = np.zeros((len(world), 2))
        self.x = np.zeros((len(world), 2))

    def reset(self, worlds):
        for world in worlds.tolist():
            self.x[world] = self.world.rngs[world].uniform(-1.0, 1.0, 2)
            self.last[world] = self.world.rngs[world].integers(2, 5)

    def act(self, actions):
        self.earned = actions[..., 0].astype(np.float64)
        twist = self.rows.twist
        twist[..., 0] = self.earned
        self.rows.twist = twist

    def observe(self):
        return np.clip(self.x + self.rows.pose[..., 0], -1.0, 1.0)[..., None].astype(np.float32)

    def reward(self):
        lead = self.earned[:, 0] - self.earned[:, 1]
        return np.stack([lead, -lead], axis=1)

    def terminated(self):
        return np.repeat((self.last == self.world.ticks)[:, None], 2, axis=1)

    def info(self):
        return {"puck": {"last": self.last}, "left": self.last - self.world.ticks}

def make(worlds=1, seed=0):
    world = World(TableSimulator(worlds=worlds))
    for name in ("puck", "disc"):
        world.spawn(TableModel(), name, Pose())
    return Environment(Slide(world), max_episode_steps=6, seed=seed)

class Chase(ArrayPolicy):
    def act(self, agent, observations, action_space, rngs):
        noise = np.array([rng.uniform(-0.1, 0.1, 1) for rng in rngs])
        return np.clip(-observations + noise, -1.0, 1.0).astype(np.float32)

def hide(environment, rng):
    space = environment.action_space["puck"]
    return lambda agent, observation: np.clip(observation, space.low, space.high)

TASK = Task(
    "slides", make, {"chase": Chase(), "hide": hide},
    map_view=CameraView.from_above(0.0, 0.0, 4.0),
)
"""
"""A task on arrays: two agents, episodes of 2 to 4 steps, rewards that add up to zero."""


@pytest.fixture
def array_task(tmp_path: Path) -> Path:
    """A task of any number of worlds, without pictures."""
    folder = tmp_path / "slides"
    folder.mkdir()
    (folder / "__init__.py").write_text(ARRAYS)
    return folder


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
