# SPDX-License-Identifier: Apache-2.0
"""Trainings on pictures, choices and dicts; their policies act without torch as with it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import call, completed
from gymnasium import spaces

from deepsim_train import TrainedPolicy
from deepsim_train.task_code import TaskError

PPO = pytest.importorskip(
    "stable_baselines3", reason="training is not tested: tox -e py311-train in libs/deepsim"
).PPO

TASK = """
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple
from deepsim import Agents, Area, CameraView, Environment, Pose, Task, World
from deepsim_sync.testing import TableModel, TableSimulator

PARTS = {
    "picture": Box(0, 255, (40, 36, 3), np.uint8),
    "choice": Discrete(6),
    "choices": MultiDiscrete([3, 2]),
    "bits": MultiBinary(4),
    "table": MultiBinary([2, 3]),
    "numbers": Box(-9.0, 9.0, (2, 2), np.float32),
}
SEEN = OBSERVATION
ACTED = ACTION

def parts(x):
    ramp = np.arange(40 * 36 * 3).reshape(40, 36, 3)
    return {
        "picture": ((x[..., None, None, None] * 37 + ramp) % 256).astype(np.uint8),
        "choice": x,
        "choices": np.stack([x % 3, x % 2], axis=-1),
        "bits": (x[..., None] >> np.arange(4) & 1).astype(np.int8),
        "table": (x[..., None, None] > np.arange(6).reshape(2, 3)).astype(np.int8),
        "numbers": (x[..., None, None] - np.arange(4.0).reshape(2, 2)).astype(np.float32),
    }

class Guess(Area):
    '''Earns 1 for the choice that the number x of each agent, 0 .. 5, asks for.'''

    agents = Agents(["puck", "disc"], SEEN, ACTED)

    def __init__(self, world):
        super().__init__(world)
        self.x = np.zeros((len(world), 2), np.int64)
        self.earned = np.zeros((len(world), 2))

    def get_state(self):
        return self.x.copy()

    def set_state(self, state):
        self.x = state.copy()

    def _draw(self, worlds):
        for world in worlds:
            self.x[world] = self.world.rngs[world].integers(0, 6, 2)

    def reset(self, worlds):
        self._draw(worlds.tolist())

    def act(self, actions):
        wanted = self.x % 3
        if isinstance(ACTED, MultiDiscrete):
            self.earned = (actions[..., 0] == wanted) * 0.5 + (actions[..., 1] == self.x % 2) * 0.5
        else:
            self.earned = -np.abs(actions.reshape(*self.x.shape, -1)[..., 0] - wanted)
        self._draw(range(len(self.world)))

    def observe(self):
        known = parts(self.x)
        if isinstance(SEEN, Dict):
            return {key: known[key] for key in SEEN.spaces}
        return next(known[key] for key, part in PARTS.items() if part is SEEN)

    def reward(self):
        return np.asarray(self.earned, np.float64)

def make(worlds=1, seed=0):
    world = World(TableSimulator(worlds=worlds))
    for name in ("puck", "disc"):
        world.spawn(TableModel(), name, Pose())
    return Environment(Guess(world), max_episode_steps=5, seed=seed)

def still(environment, rng):
    return lambda agent, observation: np.zeros_like(environment.action_space[agent].sample())

TASK = Task("guess", make, {"still": still}, map_view=CameraView.from_above(0.0, 0.0, 4.0))
"""
SMALL = ["--worlds", 2, "--no-video", "--set", "rollout=8", "--set", "minibatch=16"]
SMALL += ["--set", "epochs=2", "--episodes", 1]
BOX = "Box(-9.0, 9.0, (2, 1), np.float32)"
CHOICES = "MultiDiscrete([3, 2])"
ALL = "Dict(PARTS)"
WriteTask = Callable[..., Path]


@pytest.fixture
def write_guess(tmp_path: Path) -> WriteTask:
    """Writes a task with these spaces."""

    def write(observation: str, action: str) -> Path:
        folder = tmp_path / "guess"
        folder.mkdir()
        text = TASK.replace("OBSERVATION", observation).replace("ACTION", action)
        (folder / "__init__.py").write_text(text)
        return folder

    return write


def sampled(space: spaces.Space[Any], count: int) -> Any:
    """Returns members of a space, in a batch."""
    space.seed(4)
    members = [space.sample() for _ in range(count)]
    if isinstance(space, spaces.Dict):
        return {key: np.stack([each[key] for each in members]) for key in space.spaces}
    return np.stack(members)


def scaled(seen: Any, known: Any) -> Any:
    """Returns observations as the model saw them in the training: numbers scaled."""
    if isinstance(seen, dict):
        return {key: scaled(part, known.get(key)) for key, part in seen.items()}
    if known is None:
        return seen
    return np.clip((seen - known.mean) / np.sqrt(known.var + 1e-8), -10, 10).astype(np.float32)


@pytest.mark.parametrize(
    ("observation", "action"),
    [
        ("PARTS['picture']", BOX),
        ("PARTS['choice']", BOX),
        ("PARTS['choices']", BOX),
        ("PARTS['bits']", BOX),
        ("PARTS['table']", BOX),
        ("PARTS['numbers']", BOX),
        (ALL, BOX),
        (ALL, CHOICES),
    ],
)
def test_its_policy_acts_as_the_model_does(
    write_guess: WriteTask, tmp_path: Path, observation: str, action: str
) -> None:
    out = tmp_path / "out"
    completed("train", write_guess(observation, action), *SMALL, "--steps", 64, "--out", out)
    model, policy = PPO.load(out / "model.zip"), TrainedPolicy.load(out / "policy.npz")
    known = pickle.loads((out / "checkpoint.pkl").read_bytes())["learners"][""]["scale"].get(
        "obs_rms"
    )
    space = model.observation_space
    seen = sampled(space, 40)
    if observation.endswith("['numbers']") or observation == ALL:
        assert known is not None  # numbers are scaled, and nothing else is
        assert not isinstance(known, dict) or list(known) == ["numbers"]
    else:
        assert known is None
    expected, _ = model.predict(scaled(seen, known), deterministic=True)
    if isinstance(seen, dict):  # the model has channels first
        seen["picture"] = np.moveaxis(seen["picture"], 1, -1)
    elif "picture" in observation:
        seen = np.moveaxis(seen, 1, -1)
    acted = policy.act("puck", seen)
    assert acted.shape == expected.shape
    np.testing.assert_allclose(acted, expected, rtol=0.0, atol=1e-5)
    if action == BOX:
        assert len(np.unique(acted, axis=0)) > 1  # what is seen matters
    for row in range(0, 40, 13):
        alone = {key: part[[row]] for key, part in seen.items()} if observation == ALL else None
        one = policy.act("puck", seen[[row]] if alone is None else alone)
        assert one.tobytes() == acted[[row]].tobytes()


def test_it_learns_choices_from_choices(write_guess: WriteTask, tmp_path: Path) -> None:
    observation = "Dict({key: PARTS[key] for key in ('choice', 'bits', 'numbers')})"
    options = ["--steps", 6144, "--set", "rollout=64", "--set", "learning_rate=0.01"]
    options += ["--set", "minibatch=64", "--no-video", "--out", tmp_path / "out", "--json"]
    result = completed("train", write_guess(observation, CHOICES), *options)
    episodes = json.loads(result.stdout)["episodes"]
    assert [episode["rewards"]["puck"] for episode in episodes] == [5.0] * 3


def test_run_plays_it_where_torch_is_not_installed(write_guess: WriteTask, tmp_path: Path) -> None:
    task, out = write_guess(ALL, CHOICES), tmp_path / "out"
    trained = completed("train", task, *SMALL, "--steps", 64, "--out", out, "--json")
    code = "import sys; sys.modules['torch'] = sys.modules['stable_baselines3'] = None\n"
    code += "from deepsim.cli import app; app()"
    command = ["run", str(task), "--policy", str(out), "--json", "--episodes", "1"]
    command += ["--out", str(tmp_path / "played")]
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        capture_output=True, text=True, env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["episodes"] == json.loads(trained.stdout)["episodes"]


def test_one_agent_learns_with_evaluations_among_others(
    write_guess: WriteTask, tmp_path: Path
) -> None:
    options = [*SMALL, "--steps", 64, "--agent", "disc", "--others", "still"]
    options += ["--set", "evaluate=2", "--set", "evaluate_every=1", "--out", tmp_path / "out"]
    completed("train", write_guess(ALL, CHOICES), *options)
    assert "eval/reward" in (tmp_path / "out" / "progress.csv").read_text()


@pytest.mark.parametrize(
    ("observation", "action", "message"),
    [
        ("Tuple([Discrete(2)])", CHOICES, "observations of a Box, a MultiBinary, a Discrete"),
        ("Dict({'a': Dict(PARTS)})", CHOICES, "as the observation 'a'"),
        ("Discrete(6, start=1)", CHOICES, "that counts from 0"),
        ("Box(0, 255, (35, 40, 3), np.uint8)", CHOICES, "at least 36 x 36 pixels, got (35, 40, 3)"),
        ("Box(0, 255, (3, 40, 40), np.uint8)", CHOICES, "pictures (height, width, channels)"),
        ("Dict({'a.b': Discrete(2)})", CHOICES, "strings without dots, got 'a.b'"),
        ("PARTS['choice']", "MultiBinary(2)", "actions of a Box, or of a Discrete or a row of"),
        ("PARTS['choice']", "Discrete(3, start=1)", "that counts from 0, got Discrete(3, start=1)"),
    ],
)
def test_spaces_that_do_not_suit_are_one_line(
    write_guess: WriteTask, tmp_path: Path, observation: str, action: str, message: str
) -> None:
    result = call("train", write_guess(observation, action), *SMALL, "--out", tmp_path / "out")
    assert result.exit_code == 1
    text = " ".join(result.stdout.split())
    assert text.startswith("error: ")
    assert message in text


def test_observations_of_another_task_are_refused(write_guess: WriteTask, tmp_path: Path) -> None:
    out = tmp_path / "out"
    observation = "Dict({key: PARTS[key] for key in ('choice', 'picture')})"
    options = [*SMALL, "--steps", 32, "--out", out]
    completed("train", write_guess(observation, CHOICES), *options)
    policy = TrainedPolicy.load(out / "policy.npz")
    good: dict[str, Any] = {"choice": np.zeros(1, int), "picture": np.zeros((1, 40, 36, 3), "u1")}
    assert policy.act("puck", good).shape == (1, 2)
    for seen, message in [
        ({"choice": good["choice"]}, "a dict with 'picture', got ['choice']"),
        (good["choice"], "a dict with 'choice', got an array"),
        ({**good, "choice": np.full(1, 6)}, "'choice' with fewer than [6] values, got [6]"),
        ({**good, "picture": np.zeros((1, 36, 40, 3), "u1")}, "of (40, 36, 3), got (36, 40, 3)"),
    ]:
        with pytest.raises(TaskError) as refused:
            policy.act("puck", seen)
        assert message in str(refused.value)
