# SPDX-License-Identifier: Apache-2.0
"""Forward passes of networks in numpy; each row has the same bits as if computed alone."""

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
    """Returns a layer's outputs, (k, in) to (k, out)."""
    weights, bias = layer
    # A product of matrix and vector for each row: one of two matrices rounds by their size.
    outputs: Floats = np.matmul(weights, values[..., None])[..., 0] + bias
    return outputs


State = tuple[Floats, Floats]
"""Output (k, n) and cell (k, n) of an `Lstm`."""


class Lstm(NamedTuple):
    """One layer of long short-term memory (S. Hochreiter and J. Schmidhuber, 1997) of size n.

    The rows of its arrays are those of the input, forget, cell and output gate, as in PyTorch.
    """

    weights_in: Floats
    """Weights of the inputs, (4 n, in)."""
    weights_out: Floats
    """Weights of the last outputs, (4 n, n)."""
    bias: Floats
    """(4 n,)."""

    def first_state(self) -> State:
        """Returns the state of one row at the beginning of an episode."""
        zeros = np.zeros((1, len(self.bias) // 4), np.float32)
        return zeros, zeros

    def __call__(self, values: Floats, state: State) -> State:
        """Returns the state after inputs (k, in); its outputs are those of the layer."""
        outputs, cell = state
        gates = dense((self.weights_in, self.bias), values)
        gates = gates + np.matmul(self.weights_out, outputs[..., None])[..., 0]
        enters, keeps, content, leaves = np.split(gates, 4, axis=1)
        cell = _sigmoid(keeps) * cell + _sigmoid(enters) * np.tanh(content)
        return _sigmoid(leaves) * np.tanh(cell), cell


def _sigmoid(values: Floats) -> Floats:
    result: Floats = 0.5 + 0.5 * np.tanh(0.5 * values)  # which cannot overflow
    return result


@dataclass(frozen=True, slots=True)
class Convolution:
    """A convolution without padding.

    Attributes:
        weights: (out, in, height, width).
        bias: (out,).
        stride: Pixels between two positions of the kernel, along both axes.
    """

    weights: Floats
    bias: Floats
    stride: int

    def __call__(self, values: Floats) -> Floats:
        """Returns (k, out, height, width) of values (k, in, height, width)."""
        outputs, *kernel = self.weights.shape
        places = sliding_window_view(values, kernel[1:], axis=(2, 3))
        places = places[:, :, :: self.stride, :: self.stride]
        height, width = places.shape[2:4]
        # (k, in * kernel, places), so that there is a product of matrices for each row.
        columns = np.ascontiguousarray(places.transpose(0, 1, 4, 5, 2, 3))
        columns = columns.reshape(len(values), -1, height * width)
        product = np.matmul(self.weights.reshape(outputs, -1), columns) + self.bias[:, None]
        return np.asarray(product.reshape(len(values), outputs, height, width))


@dataclass(frozen=True, slots=True)
class PictureNetwork:
    """Convolutions and one dense layer, with ReLU after each (V. Mnih et al., 2015).

    Attributes:
        convolutions: The convolutions, in order.
        layer: The dense layer, which takes channels, rows and columns as one row of numbers.
    """

    convolutions: tuple[Convolution, ...]
    layer: Layer

    def __call__(self, pictures: NDArray[np.uint8]) -> Floats:
        """Returns the features (k, n) of pictures (k, height, width, channels)."""
        values: Floats = np.moveaxis(pictures, -1, 1).astype(np.float32) / np.float32(255.0)
        for convolution in self.convolutions:
            values = np.maximum(convolution(values), 0.0)
        return np.maximum(dense(self.layer, values.reshape(len(values), -1)), 0.0)
