# SPDX-License-Identifier: Apache-2.0
"""Layers and masks, which determine which colliders may meet."""

from __future__ import annotations

import operator
from typing import SupportsIndex

ALL_LAYERS = 0xFFFFFFFF
"""Mask of all 32 layers."""


def layer_bits(value: SupportsIndex, name: str) -> int:
    """Returns a set of layers as bits; raises TypeError or ValueError for anything else."""
    try:
        bits = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer with one bit per layer, such as 1 << 3, got {value!r}"
        ) from None
    if not 0 <= bits <= ALL_LAYERS:
        raise ValueError(f"{name} must be within 0 and {ALL_LAYERS:#x} (32 layers), got {value!r}")
    return bits


class Layered:
    """An object that can be disabled, lies on layers and meets the layers of its mask."""

    def __init__(self) -> None:
        self._enabled = True
        self._layers = 1
        self._mask = ALL_LAYERS

    @property
    def enabled(self) -> bool:
        """Whether the collider takes part in queries; True by default."""
        return self._enabled

    def enable(self) -> None:
        """Enables the collider."""
        self._enabled = True

    def disable(self) -> None:
        """Disables the collider: it meets nothing until it is enabled."""
        self._enabled = False

    @property
    def layers(self) -> int:
        """Layers of the collider, one bit each; by default 1, the first layer.

        Settable to an integer from 0 to 0xFFFFFFFF. With 0, it meets no other collider.
        """
        return self._layers

    @layers.setter
    def layers(self, bits: SupportsIndex) -> None:
        self._layers = layer_bits(bits, "layers")

    @property
    def mask(self) -> int:
        """Layers that the collider meets, one bit each; all by default; settable.

        Two colliders meet only if each lies on a layer of the other's mask.
        """
        return self._mask

    @mask.setter
    def mask(self, bits: SupportsIndex) -> None:
        self._mask = layer_bits(bits, "mask")

    def _may_meet(self, other: Layered) -> bool:
        return bool(self._layers & other._mask and other._layers & self._mask)
