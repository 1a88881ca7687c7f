# SPDX-License-Identifier: Apache-2.0
"""A policy that is an ONNX model; needs ``deepsim[onnx]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim.tasks.task_code import TaskError
from deepsim_envs import ArrayPolicy

try:
    import onnxruntime
except ImportError as error:
    raise ImportError("ONNX models need an extra: pip install 'deepsim[onnx]'") from error

_TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}


class OnnxPolicy(ArrayPolicy):
    """Acts by a model, from `deepsim export` or of another origin; a model holds no Python code.

    It has one input, or one for each key of observations that are dicts, all with an axis for the
    number of observations first; its first output are actions. Each observation is computed alone,
    so that its action has the same bits among any number of others.

    Args:
        file: The model.

    Raises:
        TaskError: It cannot be read, or an input has another type than numbers.
    """

    def __init__(self, file: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what is fatal: errors are raised
        try:
            self._session = onnxruntime.InferenceSession(
                file.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the runtime's have no base class of their own
            raise TaskError(f"{file} is no ONNX model that can be run: {error}") from error
        self._file = file
        self._inputs = self._session.get_inputs()
        for each in self._inputs:
            if each.type not in _TYPES:
                raise TaskError(f"{file} has the input {each.name!r} of type {each.type}")

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Any,
        rngs: Sequence[np.random.Generator] = (),
    ) -> NDArray[Any]:
        """Returns the model's action for each of k observations, (k, ...).

        Raises:
            TaskError: The model was made for other observations or actions.
        """
        named = self._named(observations)
        count = len(next(iter(named.values())))
        shape = (count, *(action_space.shape or ()))
        if not count:
            return np.zeros(shape, action_space.dtype)
        actions = [
            self._session.run(None, {name: rows[[row]] for name, rows in named.items()})[0]
            for row in range(count)
        ]
        if any(each.size != np.prod(shape[1:]) for each in actions):
            raise TaskError(
                f"{self._file} returns actions of shape {actions[0].shape[1:]}, "
                f"but those of {agent!r} are of {action_space}"
            )
        return np.concatenate(actions).reshape(shape)

    def _named(self, observations: Any) -> dict[str, NDArray[Any]]:
        names = [each.name for each in self._inputs]
        if not isinstance(observations, Mapping):
            observations = dict.fromkeys(names[:1], observations)
        if set(observations) != set(names):
            raise TaskError(
                f"{self._file} has the inputs {names}, but observations have {list(observations)}"
            )
        named: dict[str, NDArray[Any]] = {}
        for each in self._inputs:
            rows = np.asarray(observations[each.name])
            wanted, given = each.shape[1:], rows.shape[1:]
            if len(wanted) == 1:  # which knows nothing of axes
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
