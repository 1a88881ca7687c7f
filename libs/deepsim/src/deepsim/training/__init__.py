# SPDX-License-Identifier: Apache-2.0
"""Training of tasks: settings, run folders, and policies that were trained."""

from .config import TrainingConfig
from .trained_policy import TrainedPolicy

__all__ = ["TrainedPolicy", "TrainingConfig"]
