# SPDX-License-Identifier: Apache-2.0
"""Forward passes of networks in numpy; each row is bit-for-bit the same in a batch of any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Layer = tuple[Floats, Floats]
"""Weights (out, in) and bias (out,) of a layer."""


def dense(layer: Layer, values: Floats) -> Floats:
    """Returns a layer's outputs (k, out) for values (k, in)."""
    weights, bias = layer
    # A matrix-vector product for each row: how a matrix-matrix product rounds depends on its size.
    outputs: Floats = np.matmul(weights, values[..., None])[..., 0] + bias
    return outputs


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

    def __call__(self, pictures: NDArray[np.uint8]) -> Floats:
        """Returns the features (k, n) of pictures (k, height, width, channels)."""
        values: Floats = np.moveaxis(pictures, -1, 1).astype(np.float32) / np.float32(255.0)
        for convolution in self.convolutions:
            values = np.maximum(convolution(values), 0.0)
        return np.maximum(dense(self.layer, values.reshape(len(values), -1)), 0.0)
