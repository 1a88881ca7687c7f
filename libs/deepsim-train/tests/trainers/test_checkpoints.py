# SPDX-License-Identifier: Apache-2.0
"""A checkpoint of somebody else runs no code: it is read by a loader that makes values alone."""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import subprocess
import sys
from collections import OrderedDict, deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="SB3 is not installed: tox -e py311-trainers")

import torch

from deepsim_envs import ArrayPolicy
from deepsim_envs.results import StepResult
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_train import TaskError, TrainedPolicy
from deepsim_train.training.checkpoint import FILE, attributes_of, load_training_state, sealed


class Call:
    """Pickles as the call of a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@dataclass
class Own:
    """A class of neither DeepSim nor a task."""

    number: int


def touch(path: Path) -> Call:
    return Call(os.system, f"touch {path}")


def loaded(value: Any, folder: Path, protocol: int = pickle.DEFAULT_PROTOCOL) -> Any:
    (folder / FILE).write_bytes(sealed(pickle.dumps({"value": value}, protocol)))
    return load_training_state(folder / FILE)["value"]


def test_what_trainings_hold_comes_back(tmp_path: Path) -> None:
    generator = np.random.Generator(np.random.PCG64(3))
    state = {
        "tensors": OrderedDict(weights=torch.arange(6.0).reshape(2, 3), steps=torch.tensor(4)),
        "arrays": [np.eye(3), np.float32(0.5), np.array(["a"]), np.datetime64(3, "D")],
        "plain": (1, 2.5, "x", b"y", None, {3, 4}, frozenset({5}), 2 + 1j, deque([1], maxlen=3)),
        "generator": generator,
        "result": StepResult({"a": 1}, {}, {}, {}, {}),
        "pose": Pose((1.0, 2.0, 3.0)),
        "classes": {World: 1, Own: 2, TrainedPolicy: 3},
    }
    found = loaded(state, tmp_path)
    assert torch.equal(found["tensors"]["weights"], state["tensors"]["weights"])
    assert found["tensors"]["steps"] == 4
    for one, other in zip(found["arrays"], state["arrays"], strict=True):
        assert np.array_equal(one, other)
    assert found["generator"].random() == generator.random()
    for name in ("plain", "result", "pose", "classes"):
        assert found[name] == state[name]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_nothing_is_called(tmp_path: Path, protocol: int) -> None:
    """Neither a function, nor a class, nor what a class of ours would call."""
    witness = tmp_path / "witness"
    with pytest.raises(TaskError, match=r"checkpoint\.pkl is not a checkpoint: it (names|calls)"):
        loaded(touch(witness), tmp_path, protocol)
    hostile: list[Any] = [
        Call(eval, f"open({str(witness)!r}, 'w')"),
        Call(subprocess.Popen, ["touch", str(witness)]),
        Call(getattr, ArrayPolicy, "act"),
        Call(World, None),
        Own(3),
    ]
    for value in hostile:
        with pytest.raises(TaskError, match=r"checkpoint\.pkl is not a checkpoint"):
            loaded(value, tmp_path, protocol)
    assert not witness.exists()


@pytest.mark.parametrize(
    "code",
    [
        b"cos\nsystem\n(S'touch witness'\ntR.",
        b"(S'touch witness'\nios\nsystem\n.",
        b"\x80\x02(cos\nsystem\nX\x05\x00\x00\x00touchoo.",
        b"\x80\x04\x8c\x14deepsim_train.episodes\x8c\x06sys.exit\x93)R.",
        b"\x80\x04\x8c\x12deepsim_sync.world\x8c\x05World\x93}\x8c\x01a\x8c\x01bs\x86b.",
        b"\x80\x02]\x94.",
        b"no pickle",
        b"",
    ],
)
def test_handmade_pickles_are_refused(tmp_path: Path, code: bytes) -> None:
    (tmp_path / FILE).write_bytes(sealed(code))
    with pytest.raises(TaskError, match=r"checkpoint\.pkl is not a checkpoint"):
        load_training_state(tmp_path / FILE)


def test_damage_is_noticed(tmp_path: Path) -> None:
    """A flipped bit of a number was another number; behind the checksum, damage is one error."""
    state = {"a": np.eye(3), "b": torch.ones(3), "c": [Pose((1.0, 0.0, 0.0))] * 3}
    data, draw = pickle.dumps({"value": state}), random.Random(4)
    for number in range(300):
        mutant = bytearray(data)
        mutant[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        (tmp_path / FILE).write_bytes(bytes(mutant) + sealed(data)[len(data) :])
        with pytest.raises(TaskError, match="its checksum is wrong"):
            load_training_state(tmp_path / FILE)
        (tmp_path / FILE).write_bytes(sealed(bytes(mutant)))
        with contextlib.suppress(TaskError):
            load_training_state(tmp_path / FILE)
        (tmp_path / FILE).write_bytes(sealed(data)[: -1 - number])
        with pytest.raises(TaskError, match="its checksum is wrong"):
            load_training_state(tmp_path / FILE)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_no_checkpoint(tmp_path: Path) -> None:
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(TaskError, match="it is not a regular file"):
        load_training_state(tmp_path / FILE)


def test_an_attribute_that_stable_baselines3_renames_is_named() -> None:
    """It is private there, and a run that is resumed without it would be another one."""
    assert attributes_of(Own(3), ["number"]) == {"number": 3}
    with pytest.raises(RuntimeError, match=r"stable-baselines3 .* keeps no _old, _odd in Own"):
        attributes_of(Own(3), ["_old", "number", "_odd"])
