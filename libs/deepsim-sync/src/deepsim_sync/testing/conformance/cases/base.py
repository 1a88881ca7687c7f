# SPDX-License-Identifier: Apache-2.0
"""What all cases share: how the simulator under test is made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from deepsim_sync.simulator import Simulator
from deepsim_sync.testing.conformance.bench import Bench

GRAVITY = 9.8
"""Acceleration along -z in every simulator under test [m/s^2]."""


class Conformance(ABC):
    """Makes the simulator under test, afresh for each test.

    Attributes:
        deterministic: Whether the same calls give the same bytes; tests of that are skipped if not.
    """

    deterministic: ClassVar[bool] = True

    @abstractmethod
    def make_simulator(self) -> Simulator:
        """A simulator without models at time 0, gravity (0, 0, -9.8) m/s^2, steps of 1 ms."""

    @abstractmethod
    def describe(self, sdf: str) -> Any:
        """Turns the SDF text of one model into what the simulator's ``spawn`` takes.

        It may call ``pytest.skip`` for a model of a sort that the engine does not have.
        """

    @abstractmethod
    def unbuildable(self) -> Any:
        """A description that ``spawn`` must refuse with `SpawnError`."""

    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        """The simulator under test, closed afterwards."""
        simulator = self.make_simulator()
        yield Bench(simulator, self.describe)
        simulator.close()
