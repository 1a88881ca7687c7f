# SPDX-License-Identifier: Apache-2.0
"""The parts of a trained network in NumPy; a row has the same bits in a batch of any size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from deepsim_sync.untrusted import expect_floats
from deepsim_train.task_code import TaskError

Floats = NDArray[np.float32]
Layer = tuple[Floats, Floats]
"""Weights (out, in) and bias (out,) of a layer."""


def dense(layer: Layer, values: Floats) -> Floats:
    """Returns a layer's outputs (k, out) for values (k, in)."""
    weights, bias = layer
    # A matrix-vector product for each row: how a matrix-matrix product rounds depends on its size.
    outputs: Floats = np.matmul(weights, values[..., None])[..., 0] + bias
    return outputs


def whole_numbers(arrays: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """Returns the integers of an array of a file; raises ValueError if it holds others."""
    array = arrays[name]
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got {array.dtype}")
    return tuple(array.ravel().tolist())


def check_layer(name: str, layer: Layer, inputs: int) -> int:
    """Returns the number of outputs of a layer, as `expect_floats` checks its arrays.

    Args:
        name: Name in messages, with ``{}`` for ``weights`` and ``bias``.
        layer: The layer.
        inputs: The number of its inputs.
    """
    weights, bias = layer
    expect_floats(name.format("weights"), weights, (bias.size, inputs))
    expect_floats(name.format("bias"), bias, (bias.size,))
    return bias.size


State = tuple[Floats, Floats]
"""Output (k, n) and cell state (k, n) of an `Lstm`."""


class Lstm(NamedTuple):
    """One layer of long short-term memory (S. Hochreiter and J. Schmidhuber, 1997) of size n.

    The rows of its arrays belong to the input, forget, cell and output gate, in PyTorch's order.
    """

    weights_in: Floats
    """Weights of the inputs, (4 n, in)."""
    weights_out: Floats
    """Weights of the previous outputs, (4 n, n)."""
    bias: Floats
    """Sum of both biases, (4 n,)."""

    def first_state(self) -> State:
        """Returns the state at the beginning of an episode, for one row: zeros (1, n)."""
        zeros = np.zeros((1, len(self.bias) // 4), np.float32)
        return zeros, zeros

    def check(self, inputs: int) -> int:
        """Returns the size n; raises ValueError if the arrays do not fit it and the inputs."""
        size = self.bias.size // 4
        expect_floats("lstm_weights_in", self.weights_in, (4 * size, inputs))
        expect_floats("lstm_weights_out", self.weights_out, (4 * size, size))
        expect_floats("lstm_bias", self.bias, (4 * size,))
        return size

    def __call__(self, values: Floats, state: State) -> State:
        """Returns the state after inputs (k, in); its first array is the layer's output."""
        outputs, cell = state
        gates = dense((self.weights_in, self.bias), values)
        gates = gates + np.matmul(self.weights_out, outputs[..., None])[..., 0]
        enters, keeps, content, leaves = np.split(gates, 4, axis=1)
        cell = _sigmoid(keeps) * cell + _sigmoid(enters) * np.tanh(content)
        return _sigmoid(leaves) * np.tanh(cell), cell


def _sigmoid(values: Floats) -> Floats:
    result: Floats = 0.5 + 0.5 * np.tanh(0.5 * values)  # unlike exp, this cannot overflow
    return result


@dataclass(frozen=True, slots=True)
class Convolution:
    """A convolution without padding.

    Attributes:
        weights: (out, in, height, width).
        bias: (out,).
        stride: Step of the kernel along both axes [pixels].
    """

    weights: Floats
    bias: Floats
    stride: int

    def __call__(self, values: Floats) -> Floats:
        """Returns the convolution (k, out, height, width) of values (k, in, height, width)."""
        outputs, *kernel = self.weights.shape
        places = sliding_window_view(values, kernel[1:], axis=(2, 3))
        places = places[:, :, :: self.stride, :: self.stride]
        height, width = places.shape[2:4]
        # (k, in * kernel, places): one matrix product for each row of the batch.
        columns = np.ascontiguousarray(places.transpose(0, 1, 4, 5, 2, 3))
        columns = columns.reshape(len(values), -1, height * width)
        product = np.matmul(self.weights.reshape(outputs, -1), columns) + self.bias[:, None]
        return np.asarray(product.reshape(len(values), outputs, height, width))


@dataclass(frozen=True, slots=True)
class PictureNetwork:
    """Convolutions and one dense layer, with ReLU after each (V. Mnih et al., 2015).

    Attributes:
        convolutions: The convolutions, in order.
        layer: The dense layer; its inputs are the channels, rows and columns, flattened.
    """

    convolutions: tuple[Convolution, ...]
    layer: Layer

    def check(self, shape: tuple[int, ...]) -> int:
        """Returns the number of features of pictures (height, width, channels).

        Raises:
            ValueError: The arrays do not fit such pictures or each other.
        """
        height, width, channels = shape
        for number, each in enumerate(self.convolutions):
            outputs, _, *(rows, columns) = each.weights.shape
            expect_floats(f"kernels_{number}", each.weights, (outputs, channels, rows, columns))
            expect_floats(f"biases_{number}", each.bias, (outputs,))
            if not (each.stride >= 1 and 1 <= rows <= height and 1 <= columns <= width):
                raise ValueError(f"a stride of {each.stride} or a kernel does not fit {shape}")
            height = (height - rows) // each.stride + 1
            width, channels = (width - columns) // each.stride + 1, outputs
        return check_layer("{} of a picture", self.layer, height * width * channels)

    def __call__(self, pictures: NDArray[np.uint8]) -> Floats:
        """Returns the features (k, n) of pictures (k, height, width, channels)."""
        values: Floats = np.moveaxis(pictures, -1, 1).astype(np.float32) / np.float32(255.0)
        for convolution in self.convolutions:
            values = np.maximum(convolution(values), 0.0)
        return np.maximum(dense(self.layer, values.reshape(len(values), -1)), 0.0)


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

    def size(self) -> int:
        """Returns the number n of features; raises ValueError if the arrays do not fit."""
        if min(self.shape, default=1) < 0:
            raise ValueError(f"the shape of a part must be >= 0, got {self.shape}")
        if self.network is not None:
            return self.network.check(self.shape)
        if self.counts and (len(self.counts) != math.prod(self.shape) or min(self.counts) < 1):
            raise ValueError(f"counts {self.counts} of a part do not fit its shape {self.shape}")
        return sum(self.counts) or math.prod(self.shape)

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
                "the task has changed since, or this is another variant of it"
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
                "the task has changed since, or this is another variant of it"
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
                "the task has changed since, or this is another variant of it"
            )
        return observations if self.key is None else observations[self.key]

    def _named(self) -> str:
        return "" if self.key is None else f"{self.key!r} "


def is_picture(space: Any) -> bool:
    """Returns whether a space holds pictures: a `Box` of three axes, uint8 from 0 to 255."""
    return (
        isinstance(space, spaces.Box)
        and space.dtype == np.uint8
        and len(space.shape) == 3
        and bool((space.low == 0).all() and (space.high == 255).all())
    )


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
                *whole_numbers(arrays, f"{name}_stride_{place}"),
            )
            for place in range(count)
        )
        network = PictureNetwork(convolutions, (arrays[f"{name}_weights"], arrays[f"{name}_bias"]))
    return Part(
        whole_numbers(arrays, f"{name}_shape"),
        str(arrays[f"{name}_key"]) if f"{name}_key" in arrays else None,
        whole_numbers(arrays, f"{name}_counts") if f"{name}_counts" in arrays else (),
        network,
    )
