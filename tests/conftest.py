# SPDX-License-Identifier: Apache-2.0
"""Paths and tasks that the tests across libraries share."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepsim import Task, load_task

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def racetrack() -> Task:
    """The example task."""
    return load_task("racetrack")
