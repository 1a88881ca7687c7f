# SPDX-License-Identifier: Apache-2.0
"""A trained policy: a small network of plain arrays, which acts without torch."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim.tasks.task_code import TaskError
from deepsim_envs import ArrayPolicy

from .whole_file import whole_file

FILE = "policy.npz"
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TrainedPolicy(ArrayPolicy):
    """A perceptron with tanh between its layers, which chooses the most likely action.

    Attributes:
        mean: Mean of the flattened observation; (n,).
        scale: Divisor of the difference from the mean; (n,).
        limit: Greatest absolute value of a scaled observation.
        layers: Weights (out, in) and bias (out,) of each layer.
        low: Least action, (m,); None if the action is one of 0, 1, 2, ...
        high: Greatest action, (m,), or None.
        shape: Shape of an action.
    """

    mean: Floats
    scale: Floats
    limit: float
    layers: tuple[tuple[Floats, Floats], ...]
    low: Floats | None
    high: Floats | None
    shape: tuple[int, ...]

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Any = None,
        rngs: Sequence[np.random.Generator] = (),
    ) -> Any:
        """Returns the most likely action for each observation: (k, ...) of any shape to (k, ...).

        Each row has the bits that it has alone.

        Raises:
            TaskError: An observation has another number of numbers than in the training.
        """
        seen = np.asarray(observations, dtype=np.float32)
        values = seen.reshape(len(seen), -1)
        if values.shape[1:] != self.mean.shape:
            raise TaskError(
                f"this policy was trained on observations of {self.mean.size} numbers, got "
                f"{values.shape[1]}: the task has changed since"
            )
        values = np.clip((values - self.mean) / self.scale, -self.limit, self.limit)
        for number, (weights, bias) in enumerate(self.layers):
            inputs = np.tanh(values) if number else values
            # A product of matrix and vector for each row: one of two matrices rounds by their size.
            values = np.matmul(weights, inputs[..., None])[..., 0] + bias
        if self.low is None or self.high is None:
            return np.argmax(values, axis=1)
        return np.clip(values, self.low, self.high).reshape(-1, *self.shape)

    def save(self, file: Path) -> None:
        """Writes plain arrays, as NPZ."""
        arrays: dict[str, Any] = {"mean": self.mean, "scale": self.scale, "limit": self.limit}
        for number, (weights, bias) in enumerate(self.layers):
            arrays[f"weights_{number}"] = weights
            arrays[f"bias_{number}"] = bias
        if self.low is not None and self.high is not None:
            arrays |= {"low": self.low, "high": self.high}
        with whole_file(file) as stream:
            np.savez(stream, shape=np.array(self.shape, dtype=np.int64), **arrays)

    @classmethod
    def load(cls, file: Path) -> TrainedPolicy:
        """Reads a file of `save`; one of unknown origin is safe, because it holds no code.

        Raises:
            TaskError: It cannot be read, or is something else.
        """
        try:
            with np.load(file, allow_pickle=False) as arrays:
                count = sum(name.startswith("weights_") for name in arrays.files)
                return cls(
                    arrays["mean"],
                    arrays["scale"],
                    float(arrays["limit"]),
                    tuple((arrays[f"weights_{n}"], arrays[f"bias_{n}"]) for n in range(count)),
                    arrays["low"] if "low" in arrays.files else None,
                    arrays["high"] if "high" in arrays.files else None,
                    tuple(arrays["shape"].tolist()),
                )
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise TaskError(f"{file} is not a trained policy: {error}") from error
