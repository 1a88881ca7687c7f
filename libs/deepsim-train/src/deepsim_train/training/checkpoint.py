# SPDX-License-Identifier: Apache-2.0
"""Saves a training run between two updates; resuming gives the bytes of an uninterrupted run."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deepsim_train.task_code import TaskError

from .learner import Learner
from .learning_worlds import LearningWorlds
from .progress import EpisodeEnds, ProgressFiles
from .teams import League

FILE = "checkpoint.pkl"
_MODEL = (
    "num_timesteps", "_n_updates", "_episode_num", "_last_obs", "_last_episode_starts",
    "_last_original_obs", "ep_info_buffer", "ep_success_buffer", "_current_progress_remaining",
    "_last_lstm_states",
)  # fmt: skip
_SCALE = ("obs_rms", "ret_rms", "returns", "old_obs", "old_reward")
_LOGGED = ("name_to_value", "name_to_count", "name_to_excluded")


def training_state(
    worlds: LearningWorlds,
    learners: Sequence[Learner],
    ends: EpisodeEnds,
    files: ProgressFiles,
    league: League | None,
) -> bytes:
    """Returns everything that the rest of a training run depends on, as a pickle.

    The state holds the networks and their optimizers, the observation scales, the worlds in the
    middle of their episodes, the random generators, the log, and the past policies of self-play.

    Raises:
        UnsupportedError: The simulator has no snapshots.
    """
    return pickle.dumps(
        {
            "learners": {learner.name: _learner_state(learner) for learner in learners},
            "worlds": worlds.get_state(),
            "random": (random.getstate(), np.random.get_state(), torch.get_rng_state()),  # noqa: NPY002 (SB3 draws from it)
            "ends": ends,
            "files": files.get_state(),
            "league": None if league is None else league.get_state(),
        }
    )


def _learner_state(learner: Learner) -> dict[str, Any]:
    model, scale = learner.model, learner.worlds
    return {
        "parameters": model.get_parameters(),
        "model": {name: getattr(model, name) for name in _MODEL if hasattr(model, name)},
        "scale": {name: getattr(scale, name) for name in _SCALE if hasattr(scale, name)},
        "logged": {name: dict(getattr(model.logger, name)) for name in _LOGGED},
    }


def load_training_state(file: Path) -> dict[str, Any]:
    """Reads a state from a file. It is a pickle, which can run code: read only your own files.

    Raises:
        TaskError: The file does not exist, or cannot be read.
    """
    try:
        state = pickle.loads(file.read_bytes())  # the user's own file, at the user's request
    except FileNotFoundError:
        raise TaskError(f"{file.parent} holds no {FILE}, from which a training goes on") from None
    except (OSError, pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        raise TaskError(f"{file} is not a checkpoint: {error}") from error
    return dict(state)


def put_back(
    state: dict[str, Any],
    worlds: LearningWorlds,
    learners: Sequence[Learner],
    files: ProgressFiles,
    league: League | None,
) -> EpisodeEnds:
    """Restores the state of a training run; returns the ends of its latest episodes.

    Raises:
        ValueError, KeyError: The state belongs to another task or to other settings.
    """
    for learner in learners:
        own = state["learners"][learner.name]
        learner.model.set_parameters(own["parameters"], exact_match=True, device="cpu")
        for owner, values in ((learner.model, own["model"]), (learner.worlds, own["scale"])):
            for name, value in values.items():
                setattr(owner, name, value)
        for name, values in own["logged"].items():
            getattr(learner.model.logger, name).update(values)
    if league is not None:
        league.set_state(state["league"])
    worlds.set_state(state["worlds"])
    files.set_state(state["files"])
    generator, arrays, tensors = state["random"]
    random.setstate(generator)
    np.random.set_state(arrays)  # noqa: NPY002 (SB3 draws from it)
    torch.set_rng_state(tensors)
    ends: EpisodeEnds = state["ends"]
    return ends
