# SPDX-License-Identifier: Apache-2.0
"""The state of a training between two updates, from which it goes on to the same bytes."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

from deepsim.tasks.task_code import TaskError

from .league import League
from .progress import EpisodeEnds, ProgressFiles

FILE = "checkpoint.pkl"
_MODEL = (
    "num_timesteps", "_n_updates", "_episode_num", "_last_obs", "_last_episode_starts",
    "_last_original_obs", "ep_info_buffer", "ep_success_buffer", "_current_progress_remaining",
)  # fmt: skip
_SCALE = ("obs_rms", "ret_rms", "returns", "old_obs", "old_reward")
_LOGGED = ("name_to_value", "name_to_count", "name_to_excluded")


def training_state(
    model: PPO,
    scaled: VecNormalize,
    ends: EpisodeEnds,
    files: ProgressFiles,
    league: League | None,
) -> bytes:
    """Returns everything that the rest of a training depends on.

    It holds the network and its optimizer, the scales, the worlds in the middle of their episodes,
    random numbers, the log, and past policies that are played against.

    Raises:
        UnsupportedError: The simulator cannot go back to an instant.
    """
    return pickle.dumps(
        {
            "parameters": model.get_parameters(),
            "model": {name: getattr(model, name) for name in _MODEL},
            "scale": {name: getattr(scaled, name) for name in _SCALE if hasattr(scaled, name)},
            "worlds": scaled.venv.get_state(),
            "random": (random.getstate(), np.random.get_state(), torch.get_rng_state()),  # noqa: NPY002 (SB3 draws from it)
            "logged": {name: dict(getattr(model.logger, name)) for name in _LOGGED},
            "ends": ends,
            "files": files.get_state(),
            "league": None if league is None else league.get_state(),
        }
    )


def load_training_state(file: Path) -> dict[str, Any]:
    """Reads a state. It is a pickle, which can run code: read only what you wrote yourself.

    Raises:
        TaskError: There is none, or it cannot be read.
    """
    try:
        state = pickle.loads(file.read_bytes())  # the user's own file, by their order
    except FileNotFoundError:
        raise TaskError(f"{file.parent} holds no {FILE}, from which a training goes on") from None
    except (OSError, pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        raise TaskError(f"{file} is not a checkpoint: {error}") from error
    return dict(state)


def put_back(
    state: dict[str, Any],
    model: PPO,
    scaled: VecNormalize,
    files: ProgressFiles,
    league: League | None,
) -> EpisodeEnds:
    """Puts a training back to a state; returns the ends of its latest episodes.

    Raises:
        ValueError: The state is one of another task, or of other settings.
    """
    model.set_parameters(state["parameters"], exact_match=True, device="cpu")
    for owner, values in ((model, state["model"]), (scaled, state["scale"])):
        for name, value in values.items():
            setattr(owner, name, value)
    if league is not None:
        league.set_state(state["league"])
    scaled.venv.set_state(state["worlds"])
    for name, values in state["logged"].items():
        getattr(model.logger, name).update(values)
    files.set_state(state["files"])
    generator, arrays, tensors = state["random"]
    random.setstate(generator)
    np.random.set_state(arrays)  # noqa: NPY002 (SB3 draws from it)
    torch.set_rng_state(tensors)
    ends: EpisodeEnds = state["ends"]
    return ends
