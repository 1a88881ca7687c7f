# SPDX-License-Identifier: Apache-2.0
"""The memory that the host and the device exchange, in one copy each way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .imports import wp

STATUS = 2
"""Numbers per world that say whether it can go on; see `kernels.check`."""


@dataclass
class Transfers:
    """The copies between host and device so far.

    Attributes:
        uploads: Copies of states to the device.
        downloads: Copies of states and read fields to the host.
        models: Copies of model fields to the device, after physics properties, gains or limits of
            joints, or the worlds to step have changed.
        tries: Tries of a step with light servos, after each of which the host reads whether one
            exceeds its effort limit.
    """

    uploads: int = 0
    downloads: int = 0
    models: int = 0
    tries: int = 0


class Buffer:
    """States, status and fields of W worlds in one block of the host and one of the device.

    On warp's CPU device, both are the same.

    Args:
        worlds: Number of worlds, W.
        state: Numbers of a state.
        room: Numbers of all fields of a world that may be reserved.
        device: The device.
        transfers: Counts the copies.

    Attributes:
        transfers: Counts the copies.
        state: States on the host, (W, state).
        status: Status of each world on the host, (W, STATUS).
    """

    def __init__(
        self, worlds: int, state: int, room: int, device: Any, transfers: Transfers
    ) -> None:
        self._worlds, self._device = worlds, device
        self._size, self._used = worlds * state, worlds * (state + STATUS)
        count = worlds * (state + STATUS + room)
        self._here = wp.zeros(count, dtype=wp.float64, device="cpu", pinned=device.is_cuda)
        self._there = self._here
        if device.is_cuda:
            self._there = wp.zeros(count, dtype=wp.float64, device=device)
        self._numbers: NDArray[np.float64] = self._here.numpy()
        self.state = self._numbers[: self._size].reshape(worlds, state)
        self.status = self._numbers[self._size : self._used].reshape(worlds, STATUS)
        self.transfers = transfers

    def reserve(self, size: int) -> tuple[int, NDArray[np.float64]]:
        """Returns the start of room for a field, and its view on the host, (W, size)."""
        start = self._used
        self._used += self._worlds * size
        return start, self._numbers[start : self._used].reshape(self._worlds, size)

    def there(self, start: int, size: int) -> Any:
        """Returns the block on the device that starts at a number, (W, size)."""
        count = self._worlds * size
        return self._there[start : start + count].reshape((self._worlds, size))

    @property
    def state_there(self) -> Any:
        """The states on the device, (W, state)."""
        return self.there(0, self._size // self._worlds)

    @property
    def status_there(self) -> Any:
        """The status on the device, (W, STATUS)."""
        return self.there(self._size, STATUS)

    def upload(self) -> None:
        """Copies the states to the device."""
        self.transfers.uploads += 1
        if self._device.is_cuda:
            wp.copy(self._there, self._here, count=self._size)

    def download(self) -> None:
        """Copies states, status and fields to the host, and waits for them."""
        self.transfers.downloads += 1
        if self._device.is_cuda:
            wp.copy(self._here, self._there, count=self._used)
            wp.synchronize_device(self._device)


def numbers(field: Any, worlds: int) -> Any:
    """Returns the numbers of a field of W worlds in the same memory, (W, n).

    Vectors and matrices count as their components, and truth values as bytes.
    """
    scalar = getattr(field.dtype, "_wp_scalar_type_", field.dtype)
    size = wp.types.type_size_in_bytes(field.dtype) // wp.types.type_size_in_bytes(scalar)
    for length in field.shape[1:]:
        size *= length
    return view(field, wp.uint8 if scalar is wp.bool else scalar, (worlds, size))


def view(field: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    """Returns a contiguous array in the same memory with another type and shape."""
    seen = wp.array(ptr=field.ptr, dtype=dtype, shape=shape, device=field.device, copy=False)
    seen.owner = field  # keeps the memory
    return seen
