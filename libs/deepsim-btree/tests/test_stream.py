# SPDX-License-Identifier: Apache-2.0
"""The streams of random numbers are SplitMix64, started by SHA-256."""

from __future__ import annotations

import hashlib

from deepsim_btree.composites.orders import draw_order, stream_start

# The first numbers of the published C program when started from 1234567.
PUBLISHED = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


def test_orders_are_the_ranks_of_published_numbers():
    """The permutation sorts the places by the numbers that SplitMix64 is known to give."""
    expected = tuple(sorted(range(5), key=PUBLISHED.__getitem__))
    assert draw_order(1234567, 5)[1] == expected == (1, 3, 0, 2, 4)


def test_the_next_state_goes_on_where_the_last_ended():
    """Two orders of 2 and 3 places use the same numbers as one of 5."""
    state, order = draw_order(1234567, 2)
    assert order == (1, 0)
    state, order = draw_order(state, 3)
    assert order == (1, 0, 2)
    assert state == draw_order(1234567, 5)[0]


def test_streams_start_from_a_digest():
    """The tree's seed and the path decide, or the node's own seed alone."""
    digest = hashlib.sha256(b"7 patrol/pick").digest()
    assert stream_start(None, 7, "patrol/pick") == int.from_bytes(digest[:8], "little")
    assert stream_start(3, 7, "a") == stream_start(3, 8, "b") != stream_start(4, 7, "a")
