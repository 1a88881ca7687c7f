# SPDX-License-Identifier: Apache-2.0
"""The log of a training run for Weights & Biases; needs ``deepsim-train[wandb]``."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from numbers import Real
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from deepsim_train.task_code import TaskError

from .config import TrainingConfig

try:
    import wandb
except ImportError as error:
    raise ImportError(
        "setting wandb needs an extra: pip install --find-links dist 'deepsim-train[wandb]'"
    ) from error

_ID = Path("wandb", "id.txt")


class WandbLog(KVWriter):  # type: ignore[misc]  # not typed where it is not installed
    """Writes the values of each update to Weights & Biases, in the folder of the training run.

    The log is offline, unless the environment variable ``WANDB_MODE`` says otherwise. A resumed
    training run continues its log.

    Raises:
        TaskError: Weights & Biases cannot start, for example online without an account.
    """

    def __init__(self, folder: Path, config: TrainingConfig) -> None:
        file = folder / _ID
        if not file.is_file():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(uuid.uuid4().hex[:8], encoding="utf-8")
        try:
            self._run = wandb.init(
                project=config.wandb,
                dir=str(folder),
                name=folder.name,
                id=file.read_text(encoding="utf-8").strip(),
                resume="allow",
                mode=os.environ.get("WANDB_MODE", "offline"),
                config=asdict(config),
                settings=wandb.Settings(console="off", silent=True, x_disable_stats=True),
            )
        except wandb.Error as error:
            raise TaskError(f"Weights & Biases begins no run: {error}") from error

    def write(
        self,
        key_values: Mapping[str, Any],
        key_excluded: Mapping[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Logs the numbers of an update, at its number of steps."""
        values = {key: float(value) for key, value in key_values.items() if isinstance(value, Real)}
        self._run.log(values, step=step)

    def close(self) -> None:
        """Ends the log."""
        self._run.finish()
