# SPDX-License-Identifier: Apache-2.0
"""Settings that are read from files."""

from __future__ import annotations

import json
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
