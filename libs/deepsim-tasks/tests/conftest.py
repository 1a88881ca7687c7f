# SPDX-License-Identifier: Apache-2.0
"""The task with cars, which several files test."""

from __future__ import annotations

import pytest

from deepsim_train import Task, load_task


@pytest.fixture(scope="session")
def racetrack() -> Task:
    """Two cars and two vans on a closed course."""
    return load_task("racetrack")
