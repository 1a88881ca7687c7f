# SPDX-License-Identifier: Apache-2.0
"""Layers and masks: the colliders that take part, and those that may meet."""

from __future__ import annotations

import operator
from typing import SupportsIndex

ALL_LAYERS = 0xFFFFFFFF
"""Mask of all 32 layers."""


def layer_bits(value: SupportsIndex, name: str) -> int:
    """Reads a set of layers, one bit each.

    Raises:
        TypeError: when `value` is not an integer.
        ValueError: when it has bits beyond the 32 layers.
    """
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
    """Can be disabled, lies on layers, and meets what lies on the layers of its mask."""

    def __init__(self) -> None:
        self._enabled = True
        self._layers = 1
        self._mask = ALL_LAYERS

    @property
    def enabled(self) -> bool:
        """Whether the collider takes part; True at first."""
        return self._enabled

    def enable(self) -> None:
        """Takes part again."""
        self._enabled = True

    def disable(self) -> None:
        """Meets nothing until enabled again."""
        self._enabled = False

    @property
    def layers(self) -> int:
        """Layers that the collider lies on, one bit each; 1, the first layer, at first.

        May be set to an integer within 0 and 0xFFFFFFFF. On no layer, a collider meets no other.
        """
        return self._layers

    @layers.setter
    def layers(self, bits: SupportsIndex) -> None:
        self._layers = layer_bits(bits, "layers")

    @property
    def mask(self) -> int:
        """Layers that the collider meets, one bit each; all of them at first; may be set.

        Two colliders meet only when each lies on a layer of the other's mask.
        """
        return self._mask

    @mask.setter
    def mask(self, bits: SupportsIndex) -> None:
        self._mask = layer_bits(bits, "mask")

    def _may_meet(self, other: Layered) -> bool:
        return bool(self._layers & other._mask and other._layers & self._mask)
