# SPDX-License-Identifier: Apache-2.0
"""Settings that are read from files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from deepsim_train import TaskError, TrainingConfig
from deepsim_train.training.run_folder import settings_of


def test_settings_of_older_training_runs_are_read(tmp_path: Path) -> None:
    """They call the number of worlds envs."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"task": "T", "folder": "t", "envs": 7, "seed": 2}))
    config = TrainingConfig().changed(settings_of(file))
    assert (config.worlds, config.seed) == (7, 2)


def test_a_task_that_sets_the_former_name_is_answered_with_all_names() -> None:
    with pytest.raises(TaskError, match=r"no setting 'envs'.*worlds"):
        TrainingConfig().changed({"envs": 7})


@pytest.mark.parametrize(
    "content",
    [
        b"a: " + b"{b: " * 100_000,
        b"a: &a [*a]",
        b"\xff",
        b"a: 2024-99-99",
        b"a: " + b"1" * 9000,
        b"[]",
    ],
)
def test_damaged_settings_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "train.yaml").write_bytes(content)
    with pytest.raises(TaskError, match=r"train\.yaml"):
        settings_of(tmp_path / "train.yaml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_has_no_settings(tmp_path: Path) -> None:
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "train.yaml")
    with pytest.raises(TaskError, match="it is not a regular file"):
        settings_of(tmp_path / "train.yaml")
    with pytest.raises(TaskError, match="gamma must be a number up to 1e308"):
        TrainingConfig().changed({"gamma": 10**400})
