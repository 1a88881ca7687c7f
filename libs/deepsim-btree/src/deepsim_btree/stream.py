# SPDX-License-Identifier: Apache-2.0
"""A stream of random numbers whose whole state is one int.

SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
`random.Random` keeps 2.5 kB per stream, too much for one node of each of 10,000 agents, and numpy
cannot draw from many generators at once.
"""

from __future__ import annotations

import hashlib
from typing import Sequence

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST_SHIFT = 31


def stream_start(seed: int | None, tree_seed: int, path: str) -> int:
    """Returns the initial state of the stream of a node, from 0 to 2**64 - 1.

    Args:
        seed: The node's own seed; None to derive the state from `tree_seed` and `path`.
        tree_seed: The seed of the tree.
        path: The node's path from the root.
    """
    name = f"{tree_seed} {path}" if seed is None else str(seed)
    # hash() differs from process to process.
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")


def draw_order(state: int, count: int) -> tuple[int, tuple[int, ...]]:
    """Returns the next state of a stream and a permutation of ``range(count)``.

    Each position gets a random key of 64 bits; the permutation is the positions sorted by key.
    """
    keys = []
    for _ in range(count):
        state, key = _draw(state)
        keys.append(key)
    return state, tuple(sorted(range(count), key=keys.__getitem__))


def draw_weighted_order(state: int, weights: Sequence[float]) -> tuple[int, tuple[int, ...]]:
    """Returns the next state of a stream and a permutation of the positions of some weights.

    The first position is drawn with probabilities in proportion to the weights, and each later one
    likewise from the rest. Sums, products and comparisons of floats are equal on every machine.
    """
    left = list(range(len(weights)))
    order = []
    while left:
        state, number = _draw(state)
        total = 0.0
        for place in left:  # sum() rounds otherwise from Python 3.12 on
            total += weights[place]
        mark = number / 2**64 * total
        chosen = left[-1]
        for place in left:
            mark -= weights[place]
            if mark < 0:
                chosen = place
                break
        left.remove(chosen)
        order.append(chosen)
    return state, tuple(order)


def _draw(state: int) -> tuple[int, int]:
    """Returns the next state of a stream and a random integer of 64 bits."""
    state = (state + STEP) & MASK
    number = state
    for shift, factor in MIXERS:
        number = ((number ^ (number >> shift)) * factor) & MASK
    return state, number ^ (number >> LAST_SHIFT)
