# SPDX-License-Identifier: Apache-2.0
"""The streams of random numbers are SplitMix64, started by SHA-256."""

from __future__ import annotations

import hashlib

from deepsim_btree.composites.orders import draw, stream_start

# The first numbers of the published C program when started from 1234567.
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423]
PUBLISHED += [4593380528125082431, 16408922859458223821]


def test_numbers_are_those_that_are_published():
    """SplitMix64 is known to give these numbers."""
    assert draw(1234567, 5)[1] == PUBLISHED


def test_the_next_state_goes_on_where_the_last_ended():
    """Draws of 2 and 3 numbers give the same as one of 5."""
    state, first = draw(1234567, 2)
    state, others = draw(state, 3)
    assert first + others == PUBLISHED
    assert state == draw(1234567, 5)[0]


def test_streams_start_from_a_digest():
    """The tree's seed and the path decide, or the node's own seed alone."""
    digest = hashlib.sha256(b"7 patrol/pick").digest()
    assert stream_start(None, 7, "patrol/pick") == int.from_bytes(digest[:8], "little")
    assert stream_start(3, 7, "a") == stream_start(3, 8, "b") != stream_start(4, 7, "a")
