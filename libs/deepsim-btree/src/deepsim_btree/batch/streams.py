# SPDX-License-Identifier: Apache-2.0
"""Streams of random numbers for many agents, with the same numbers as the module `stream`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deepsim_btree.stream import LAST_SHIFT, MIXERS, STEP, stream_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .node import Numbers


class Streams:
    """A stream of random numbers for each agent.

    Args:
        count: Number of agents.
    """

    def __init__(self, count: int) -> None:
        self._states = np.zeros(count, np.uint64)

    def start(self, numbers: Numbers, seed: int | None, tree_seed: int, path: str) -> None:
        """Starts the streams of agents like those of the node at `path` in separate trees.

        Args:
            numbers: The agents.
            seed: The node's own seed; None uses the seeds of the agents.
            tree_seed: Agent number ``i`` has the seed ``tree_seed + i``.
            path: Path of the node.
        """
        self._states[numbers] = [
            stream_start(seed, tree_seed + number, path) for number in numbers.tolist()
        ]

    def draw_orders(self, numbers: Numbers, count: int) -> NDArray[np.intp]:
        """Returns a permutation of ``range(count)`` for each agent, (n, count)."""
        if count == 0:
            return np.empty((len(numbers), 0), np.intp)
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(STEP)
        keys = self._states[numbers][:, np.newaxis] + steps  # modulo 2**64, like all lines below
        self._states[numbers] = keys[:, -1]
        for shift, factor in MIXERS:
            keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
        keys ^= keys >> np.uint64(LAST_SHIFT)
        return np.argsort(keys, axis=1, kind="stable")
