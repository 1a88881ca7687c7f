# SPDX-License-Identifier: Apache-2.0
"""Training of tasks: settings, run folders, and policies that were trained."""

from deepsim.policies.trained_policy import TrainedPolicy

from .config import TrainingConfig

__all__ = ["TrainedPolicy", "TrainingConfig"]
