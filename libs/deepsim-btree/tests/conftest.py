# SPDX-License-Identifier: Apache-2.0
"""Leaves that follow a script and write down what is done to them."""

from __future__ import annotations

import pytest

from deepsim_btree import Behaviour, Status

STATUSES = {status.name[0]: status for status in Status}


class Scripted(Behaviour):
    """Answers the letters of a script in turn, over and over; an E raises ValueError.

    The log gets (name, event) at each call: ``"start"``, the letter of an answer, ``"end S"``.
    """

    def __init__(self, script: str, name: str, log: list[tuple[str, str]]) -> None:
        super().__init__(name)
        self.script = script
        self.log = log
        self.position = 0

    def initialize(self) -> None:
        self.log.append((self.name, "start"))

    def update(self) -> Status:
        letter = self.script[self.position % len(self.script)]
        self.position += 1
        if letter == "E":
            raise ValueError("scripted")
        self.log.append((self.name, letter))
        return STATUSES[letter]

    def terminate(self, new_status: Status) -> None:
        self.log.append((self.name, f"end {new_status.name[0]}"))


@pytest.fixture(scope="session")
def scripted_class() -> type[Scripted]:
    return Scripted


@pytest.fixture
def log() -> list[tuple[str, str]]:
    """The log that `leaf` leaves share in one test."""
    return []


@pytest.fixture
def leaf(log):
    """Make a scripted leaf: ``leaf("RRS", "a")``."""

    def make(script: str, name: str = "leaf") -> Scripted:
        return Scripted(script, name, log)

    return make
