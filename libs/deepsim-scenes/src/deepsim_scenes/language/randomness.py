# SPDX-License-Identifier: Apache-2.0
"""Seeds for Scenic, which draws from the global generators of Python and numpy."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def seeded(*seed: int) -> Iterator[None]:
    """Seeds the global generators, and restores their states afterwards.

    Args:
        seed: Numbers >= 0 that together form the seed.
    """
    words = np.random.SeedSequence(seed).generate_state(4)
    # Scenic draws from numpy's legacy global generator.
    kept, kept_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(int.from_bytes(words.tobytes(), "little"))
    np.random.seed(words)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(kept_numpy)  # noqa: NPY002
