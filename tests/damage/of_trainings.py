# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of trainings, and data sets of demonstrations: what needs torch, Minari, LeRobot."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from kind import Kind

from deepsim import load_task
from deepsim_envs import Trajectory
from deepsim_train import TaskError

SEEN, ACTED = Box(-9.0, 9.0, (3,), np.float32), Box(-1.0, 1.0, (2,), np.float32)
KINDS: dict[str, Kind] = {}


def _episodes() -> list[Trajectory]:
    rng = np.random.default_rng(3)
    ends = np.arange(20) == 19
    return [
        Trajectory(
            "puck",
            0,
            seed,
            rng.uniform(-1.0, 1.0, (21, 3)).astype(np.float32),
            rng.uniform(-1.0, 1.0, (20, 2)).astype(np.float32),
            rng.normal(size=20),
            ends,
            ends & False,
        )
        for seed in range(3)
    ]


def _files_of(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _finite(found: Any) -> bytes:
    seen, acted = np.asarray(found[0], np.float64), np.asarray(found[1], np.float64)
    assert np.isfinite(seen).all(), "an observation is not finite"
    assert np.isfinite(acted).all(), "an action is not finite"
    return seen.tobytes() + acted.tobytes()


if find_spec("torch") and find_spec("sb3_contrib"):
    from deepsim_train.training.checkpoint import FILE, load_training_state
    from deepsim_train.training.config import TrainingConfig
    from deepsim_train.training.ppo import train

    def _checkpoint(folder: Path) -> list[Path]:
        config = TrainingConfig(steps=256, worlds=2, rollout=64, checkpoint=0.0, hidden=(8,))
        train(load_task("cartpole"), config, folder, lambda *_: None)
        for file in _files_of(folder):
            if file.name != FILE:
                file.unlink()
        return [folder / FILE]

    def _state(path: Path) -> bytes:
        return pickle.dumps(load_training_state(path))

    KINDS["checkpoint"] = Kind(_checkpoint, _state, (TaskError,), checked=True)

if find_spec("minari") and find_spec("h5py"):
    from deepsim_train import minari

    def _minari(folder: Path) -> list[Path]:
        minari.write_dataset("deepsim/puck-v0", _episodes(), SEEN, ACTED, folder)
        return _files_of(folder / "deepsim/puck-v0")

    def _read_minari(path: Path) -> bytes:
        return _finite(minari.read_dataset(path.parents[1]))

    KINDS["minari"] = Kind(_minari, _read_minari, (ValueError, OSError))

if find_spec("pyarrow"):
    from deepsim_train import lerobot

    def _lerobot(folder: Path) -> list[Path]:
        lerobot.write_dataset(
            "deepsim/puck", _episodes(), SEEN, ACTED, folder, fps=20.0, task="push"
        )
        return [
            folder / "deepsim/puck/meta/info.json",
            *(folder / "deepsim/puck/data").rglob("*.parquet"),
        ]

    def _read_lerobot(path: Path) -> bytes:
        root = next(each for each in path.parents if each.name == "puck")
        return _finite(lerobot.read_dataset(root, SEEN))

    KINDS["lerobot"] = Kind(_lerobot, _read_lerobot, (ValueError, OSError), checked=True)
