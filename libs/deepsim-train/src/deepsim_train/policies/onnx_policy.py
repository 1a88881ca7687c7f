# SPDX-License-Identifier: Apache-2.0
"""Policies from ONNX models; requires the extra ``deepsim-train[onnx]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs import ArrayPolicy
from deepsim_train.task_code import TaskError

from .trained_policy import MemoryPolicy

try:
    import onnxruntime
except ImportError as error:
    raise ImportError(
        "ONNX models need an extra: pip install --find-links dist 'deepsim-train[onnx]'"
    ) from error

_TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}


class OnnxModel:
    """An ONNX model from `deepsim export` or another source; it contains no Python code.

    It has one input, or one for each key if observations are dicts; the first axis of every input
    is the number of observations. Its first output is the action. A second output ``next_NAME`` is
    a memory: it is passed to the input ``NAME`` in the next step; the first step gets zeros.

    Args:
        file: The file of the model.

    Attributes:
        memory: The input that takes the memory; None for a model without memory.

    Raises:
        TaskError: The file cannot be read, or the type of an input is not supported.
    """

    def __init__(self, file: Path) -> None:
        if file.exists() and not file.is_file():
            raise TaskError(f"{file} is no ONNX model that can be run: it is not a regular file")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # only fatal errors: all others are raised
        try:
            self._session = onnxruntime.InferenceSession(
                file.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the runtime's errors have no common base class
            raise TaskError(f"{file} is no ONNX model that can be run: {error}") from error
        self._file = file
        inputs = {each.name: each for each in self._session.get_inputs()}
        for name, each in inputs.items():
            if each.type not in _TYPES:
                raise TaskError(f"{file} has the input {name!r} of type {each.type}")
        after = [each.name for each in self._session.get_outputs()][1:2]
        self.memory = inputs.pop(after[0].removeprefix("next_"), None) if after else None
        self._inputs = list(inputs.values())

    def first_memory(self) -> NDArray[Any]:
        """Returns the memory at the beginning of an episode.

        Raises:
            TaskError: The model does not declare the size of its memory.
        """
        shape = () if self.memory is None else self.memory.shape[1:]
        if not all(isinstance(size, int) for size in shape):
            raise TaskError(f"{self._file} must say how large its memory is, got {list(shape)}")
        return np.zeros((1, *shape), _TYPES[self.memory.type if self.memory else "tensor(float)"])

    def run(self, agent: str, rows: Mapping[str, Any], action_space: Any) -> list[NDArray[Any]]:
        """Runs the model on one observation; returns all outputs, (1, ...), the action first.

        Args:
            agent: The agent's name, for error messages.
            rows: The inputs by name, (1, ...).
            action_space: The space of one action.

        Raises:
            TaskError: The model's action does not have the size of the space.
        """
        outputs: list[NDArray[Any]] = self._session.run(None, dict(rows))
        shape = action_space.shape or ()
        if outputs[0].size != np.prod(shape):
            raise TaskError(
                f"{self._file} returns actions of shape {outputs[0].shape[1:]}, "
                f"but those of {agent!r} are of {action_space}"
            )
        return [outputs[0].reshape(1, *shape), *outputs[1:]]

    def inputs_of(self, observations: Any) -> dict[str, NDArray[Any]]:
        """Converts k observations to the model's inputs by name, (k, ...).

        Raises:
            TaskError: The observations do not have the names or shapes of the inputs.
        """
        names = [each.name for each in self._inputs]
        if not isinstance(observations, Mapping):
            observations = dict.fromkeys(names[:1], observations)
        if not set(names) <= set(observations):  # it need not read all: some may be privileged
            raise TaskError(
                f"{self._file} has the inputs {names}, but observations have {list(observations)}"
            )
        named: dict[str, NDArray[Any]] = {}
        for each in self._inputs:
            rows = np.asarray(observations[each.name])
            wanted, given = each.shape[1:], rows.shape[1:]
            if len(wanted) == 1:  # the model takes a flat row
                rows = rows.reshape(len(rows), int(np.prod(given)))
            sizes = [size if isinstance(size, int) else None for size in wanted]
            if len(sizes) != rows.ndim - 1 or any(
                size not in (None, got) for size, got in zip(sizes, rows.shape[1:], strict=True)
            ):
                raise TaskError(
                    f"{self._file} takes {each.name!r} of shape {tuple(wanted)}, got {given}: "
                    "it was made for another task, or the task has changed since"
                )
            named[each.name] = rows.astype(_TYPES[each.type])
        return named


class OnnxPolicy(ArrayPolicy):
    """The policy of a model without memory.

    The model runs on one observation at a time, so an action has the same bits in any batch.

    Args:
        model: The model.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Any,
        rngs: Sequence[np.random.Generator] = (),
    ) -> NDArray[Any]:
        """Returns the model's action for each of k observations, (k, ...).

        Raises:
            TaskError: The model does not fit the observations or the actions.
        """
        named = self._model.inputs_of(observations)
        count = len(next(iter(named.values())))
        if not count:
            return np.zeros((count, *(action_space.shape or ())), action_space.dtype)
        rows = [{name: part[[row]] for name, part in named.items()} for row in range(count)]
        return np.concatenate([self._model.run(agent, row, action_space)[0] for row in rows])


class RecurrentOnnxPolicy(MemoryPolicy):
    """The policy of a model with a memory of the episode.

    Args:
        model: The model.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def step(
        self, agent: str, observations: Any, action_space: Any, memory: NDArray[Any] | None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Returns the model's action, and the memory afterwards; see `MemoryPolicy`."""
        assert self._model.memory is not None  # for mypy: `load_onnx` checked it
        before = self._model.first_memory() if memory is None else memory
        inputs = {**self._model.inputs_of(observations), self._model.memory.name: before}
        actions, after, *_ = self._model.run(agent, inputs, action_space)
        return actions, after


def load_onnx(file: Path) -> OnnxPolicy | RecurrentOnnxPolicy:
    """Reads a model with or without memory; see `OnnxModel`.

    Raises:
        TaskError: The file cannot be read, or the type of an input is not supported.
    """
    model = OnnxModel(file)
    return OnnxPolicy(model) if model.memory is None else RecurrentOnnxPolicy(model)
