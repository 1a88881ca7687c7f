# SPDX-License-Identifier: Apache-2.0
"""Saves a training run between two updates; resuming gives the bytes of an uninterrupted run."""

from __future__ import annotations

import io
import pickle
import random
import sys
import warnings
from collections.abc import Sequence
from enum import Enum
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from sb3_contrib import RecurrentPPO

from deepsim_sync import UnsupportedError
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.loading import MODULE_PREFIX

from .learner import Learner
from .learning_worlds import LearningWorlds
from .progress import EpisodeEnds, ProgressFiles
from .teams import League

FILE = "checkpoint.pkl"
_MODEL = (
    "num_timesteps", "_n_updates", "_episode_num", "_last_obs", "_last_episode_starts",
    "_last_original_obs", "ep_info_buffer", "ep_success_buffer", "_current_progress_remaining",
)  # fmt: skip
_SCALE = ("ret_rms", "returns", "old_obs", "old_reward")
_CALLED = {
    ("_codecs", "encode"),
    ("builtins", "complex"),
    ("builtins", "range"),
    ("builtins", "slice"),
    ("collections", "OrderedDict"),
    ("collections", "deque"),
    ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy.random._pickle", "__bit_generator_ctor"),
    ("numpy.random._pickle", "__generator_ctor"),
    ("numpy.random.bit_generator", "__pyx_unpickle_SeedSequence"),
    ("torch._utils", "_rebuild_tensor_v2"),
}
_OWN = ("deepsim_", MODULE_PREFIX)
_FILLED = {
    ("numpy", "ndarray"),
    ("sb3_contrib.common.recurrent.type_aliases", "RNNStates"),
    ("stable_baselines3.common.running_mean_std", "RunningMeanStd"),
}
_LOGGED = ("name_to_value", "name_to_count", "name_to_excluded")


def training_state(
    worlds: LearningWorlds,
    learners: Sequence[Learner],
    ends: EpisodeEnds,
    files: ProgressFiles,
    league: League | None,
) -> bytes:
    """Returns everything that the rest of a training run depends on, as `sealed` pickle.

    The state holds the networks and their optimizers, the observation scales, the worlds in the
    middle of their episodes, the random generators, the log, and the past policies of self-play.

    Raises:
        UnsupportedError: The simulator has no snapshots, or the state holds what `_Loader` refuses,
            of which a warning tells.
    """
    state = pickle.dumps(
        {
            "learners": {learner.name: _learner_state(learner) for learner in learners},
            "worlds": worlds.get_state(),
            "random": (random.getstate(), np.random.get_state(), torch.get_rng_state()),  # noqa: NPY002 (SB3 draws from it)
            "ends": ends,
            "files": files.get_state(),
            "league": None if league is None else league.get_state(),
        }
    )
    try:
        _Loader(io.BytesIO(state)).load()
    except pickle.UnpicklingError as error:
        warnings.warn(f"no checkpoints are kept: the state of the run: {error}", stacklevel=2)
        raise UnsupportedError(str(error)) from error
    return sealed(state)


def sealed(state: bytes) -> bytes:
    """Returns a pickle with its SHA-256, so that damage to the file is noticed."""
    return state + sha256(state).digest()


def _learner_state(learner: Learner) -> dict[str, Any]:
    model, scale = learner.model, learner.worlds
    memory = ("_last_lstm_states",) if isinstance(model, RecurrentPPO) else ()
    logged = attributes_of(model.logger, _LOGGED)
    return {
        "parameters": model.get_parameters(),
        "model": attributes_of(model, _MODEL + memory),
        "scale": attributes_of(scale, _SCALE + (("obs_rms",) if scale.norm_obs else ())),
        "logged": {name: dict(values) for name, values in logged.items()},
    }


def attributes_of(owner: object, names: Sequence[str]) -> dict[str, Any]:
    """Returns attributes of an object of Stable-Baselines3, which are not part of its interface.

    Raises:
        RuntimeError: One is missing: with it, a run that is resumed would not be the same.
    """
    if missing := [name for name in names if not hasattr(owner, name)]:
        raise RuntimeError(
            f"stable-baselines3 {version('stable-baselines3')} keeps no {', '.join(missing)} in "
            f"{type(owner).__name__}, so that checkpoints would be incomplete"
        )
    return {name: getattr(owner, name) for name in names}


class _Loader(pickle._Unpickler):
    """Reads the pickles of `training_state`, and nothing that could run other code.

    Made are arrays, tensors, plain values, and instances of classes of DeepSim and of loaded tasks,
    which are filled without a call. Other classes are only named, functions are those of `_CALLED`.
    """

    stack: list[Any]
    dispatch: ClassVar[dict[int, Any]] = dict(pickle._Unpickler.dispatch)

    def find_class(self, module: str, name: str) -> Any:
        """Returns a function or class that a checkpoint may name."""
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return _tensors
        if module.startswith(_OWN) or module in sys.modules:
            found = super().find_class(module, name)
            if _key(found) in _CALLED or (isinstance(found, type) and found.__module__ == module):
                return found
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def load_reduce(self) -> None:
        """Calls a function, or makes a value of deepsim-math or a member of an enumeration."""
        arguments, function = self.stack.pop(), self.stack[-1]
        if not (function is _tensors or _key(function) in _CALLED or _is_value(function)):
            raise pickle.UnpicklingError(f"it calls {function}")
        self.stack[-1] = function(*arguments)

    def load_newobj(self) -> None:
        """Makes an empty instance."""
        self._require_own(self.stack[-2])
        super().load_newobj()  # type: ignore[misc]

    def load_newobj_ex(self) -> None:
        """Makes an empty instance with arguments by name."""
        self._require_own(self.stack[-3])
        super().load_newobj_ex()  # type: ignore[misc]

    def load_build(self) -> None:
        """Fills an instance, but no class."""
        if isinstance(self.stack[-2], type):
            raise pickle.UnpicklingError(f"it changes {self.stack[-2]}")
        super().load_build()  # type: ignore[misc]

    def _require_own(self, kind: Any) -> None:
        if _key(kind) not in _FILLED and not _key(kind)[0].startswith(_OWN):
            raise pickle.UnpicklingError(f"it makes a {kind}")

    def _refuse(self) -> None:
        raise pickle.UnpicklingError("it has another protocol")

    dispatch.update(
        {
            pickle.REDUCE[0]: load_reduce,
            pickle.NEWOBJ[0]: load_newobj,
            pickle.NEWOBJ_EX[0]: load_newobj_ex,
            pickle.BUILD[0]: load_build,
        }
        | dict.fromkeys(pickle.INST + pickle.OBJ + pickle.EXT1 + pickle.EXT2 + pickle.EXT4, _refuse)
    )


def _key(named: Any) -> tuple[str, str]:
    """Returns the module and name of a class or function; empty for instances, which may lie."""
    if type(named).__module__.startswith(_OWN):
        return "", ""
    module = str(getattr(named, "__module__", ""))
    return module.replace("numpy.core.", "numpy._core."), str(getattr(named, "__qualname__", ""))


def _is_value(named: Any) -> bool:
    if not isinstance(named, type):
        return False
    return issubclass(named, Enum) or named.__module__.startswith("deepsim_math.")


def _tensors(data: bytes) -> Any:
    """Returns the storage of a tensor."""
    return torch.load(io.BytesIO(data), weights_only=True)


def load_training_state(file: Path) -> dict[str, Any]:
    """Reads a state from a file; see `_Loader` for what it may hold.

    Raises:
        TaskError: The file does not exist, cannot be read, or is damaged.
    """
    if file.exists() and not file.is_file():
        raise TaskError(f"{file} is not a checkpoint: it is not a regular file")
    try:
        content = file.read_bytes()
        if content != sealed(content[: -sha256().digest_size]):
            raise ValueError("it is damaged, or was cut off: its checksum is wrong")
        state = _Loader(io.BytesIO(content)).load()
    except FileNotFoundError:
        raise TaskError(f"{file.parent} holds no {FILE}, from which a training goes on") from None
    except Exception as error:  # a damaged pickle raises almost anything
        raise TaskError(f"{file} is not a checkpoint: {error}") from error
    if not isinstance(state, dict):
        raise TaskError(f"{file} is not a checkpoint, but {type(state).__name__}")
    return state


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
