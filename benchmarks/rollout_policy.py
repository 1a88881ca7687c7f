# SPDX-License-Identifier: Apache-2.0
"""The policy of benchmarks/rollout_pool.py: a small network, as a trainer would send it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

HIDDEN = 64


class Network:
    """Two layers of NumPy, and noise; one network for all agents."""

    def __init__(
        self, observation_space: Mapping[str, Any], action_space: Mapping[str, Any]
    ) -> None:
        self._layers: list[NDArray[np.float32]] = []

    def act(
        self, agent: str, observations: NDArray[np.float32], rng: np.random.Generator
    ) -> NDArray[np.float32]:
        first, second = self._layers
        mean = np.tanh(np.tanh(observations @ first) @ second)
        noise = 0.3 * rng.standard_normal(mean.shape, dtype=np.float32)
        return np.clip(mean + noise, -1.0, 1.0)

    def set_weights(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        self._layers = [weights["first"], weights["second"]]


def weights(inputs: int, outputs: int) -> dict[str, NDArray[np.float32]]:
    """Of an untrained network."""
    rng = np.random.default_rng(0)
    return {
        "first": rng.normal(0.0, 0.1, (inputs, HIDDEN)).astype(np.float32),
        "second": rng.normal(0.0, 0.1, (HIDDEN, outputs)).astype(np.float32),
    }
