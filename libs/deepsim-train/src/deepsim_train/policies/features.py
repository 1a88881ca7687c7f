# SPDX-License-Identifier: Apache-2.0
"""Converts observations to features, the numbers that enter a policy's first layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepsim_train.task_code import TaskError

from .networks import Convolution, Floats, PictureNetwork


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an observation, and its conversion to features.

    Continuous numbers are used unchanged. A discrete value below n becomes n features: 1 at its
    index and 0 elsewhere. A picture becomes the outputs of its network.

    Attributes:
        shape: Shape of the part.
        key: The part's key in the observation's dict; None if it is the whole observation.
        counts: The number of possible values of each discrete entry; empty for continuous numbers.
        network: The network for a picture, or None.
    """

    shape: tuple[int, ...]
    key: str | None = None
    counts: tuple[int, ...] = ()
    network: PictureNetwork | None = None

    def features(self, observations: Any) -> Floats:
        """Returns the features (k, n) of k observations.

        Raises:
            TaskError: The observations lack this part, or its shape or values differ from
                the training run.
        """
        values = np.asarray(self._own(observations))
        size, given = int(np.prod(self.shape)), values.shape[1:]
        if (given != self.shape) if self.network else (np.prod(given) != size):
            wanted = self.shape if self.network else f"{size} numbers"
            got = given if self.network else int(np.prod(given))
            raise TaskError(
                f"this policy was trained on observations {self._named()}of {wanted}, got {got}: "
                "the task has changed since"
            )
        if self.network is not None:
            return self.network(values)
        rows = values.reshape(len(values), size)
        if not self.counts:
            return rows.astype(np.float32)
        if ((rows < 0) | (rows >= np.array(self.counts))).any():
            raise TaskError(
                f"this policy was trained on observations {self._named()}with fewer than "
                f"{list(self.counts)} values, got {rows.max(axis=0).tolist()}: "
                "the task has changed since"
            )
        chosen = [rows[:, [n]] == np.arange(count) for n, count in enumerate(self.counts)]
        return np.concatenate(chosen, axis=1).astype(np.float32)

    def _own(self, observations: Any) -> Any:
        if isinstance(observations, Mapping) != (self.key is not None) or (
            self.key is not None and self.key not in observations
        ):
            wanted = "an array" if self.key is None else f"a dict with {self.key!r}"
            got = list(observations) if isinstance(observations, Mapping) else "an array"
            raise TaskError(
                f"this policy was trained on observations that are {wanted}, got {got}: "
                "the task has changed since"
            )
        return observations if self.key is None else observations[self.key]

    def _named(self) -> str:
        return "" if self.key is None else f"{self.key!r} "


def features_of(parts: tuple[Part, ...], observations: Any) -> Floats:
    """Returns the features (k, n) of k observations: those of each part, in order.

    Raises:
        TaskError: An observation is not like those used in training.
    """
    return np.concatenate([part.features(observations) for part in parts], axis=1)


def arrays_of(parts: tuple[Part, ...]) -> dict[str, Any]:
    """Returns the parts as plain arrays by name, for a file."""
    arrays: dict[str, Any] = {}
    for number, part in enumerate(parts):
        name = f"part_{number}"
        arrays[f"{name}_shape"] = np.array(part.shape, dtype=np.int64)
        if part.key is not None:
            arrays[f"{name}_key"] = np.array(part.key)
        if part.counts:
            arrays[f"{name}_counts"] = np.array(part.counts, dtype=np.int64)
        if part.network is not None:
            for place, layer in enumerate(part.network.convolutions):
                arrays[f"{name}_kernels_{place}"] = layer.weights
                arrays[f"{name}_biases_{place}"] = layer.bias
                arrays[f"{name}_stride_{place}"] = np.array(layer.stride)
            arrays[f"{name}_weights"], arrays[f"{name}_bias"] = part.network.layer
    return arrays


def parts_of(arrays: Mapping[str, Any]) -> tuple[Part, ...]:
    """Returns the parts stored in a file's arrays; empty if it has none.

    Raises:
        KeyError: An array is missing.
    """
    count = sum(name.startswith("part_") and name.endswith("_shape") for name in arrays)
    return tuple(_part_of(arrays, f"part_{number}") for number in range(count))


def _part_of(arrays: Mapping[str, Any], name: str) -> Part:
    network = None
    if f"{name}_weights" in arrays:
        count = sum(key.startswith(f"{name}_kernels_") for key in arrays)
        convolutions = tuple(
            Convolution(
                arrays[f"{name}_kernels_{place}"],
                arrays[f"{name}_biases_{place}"],
                int(arrays[f"{name}_stride_{place}"]),
            )
            for place in range(count)
        )
        network = PictureNetwork(convolutions, (arrays[f"{name}_weights"], arrays[f"{name}_bias"]))
    return Part(
        tuple(arrays[f"{name}_shape"].tolist()),
        str(arrays[f"{name}_key"]) if f"{name}_key" in arrays else None,
        tuple(arrays[f"{name}_counts"].tolist()) if f"{name}_counts" in arrays else (),
        network,
    )
