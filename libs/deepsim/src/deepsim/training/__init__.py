# SPDX-License-Identifier: Apache-2.0
"""Trains policies with PPO: settings, learners, checkpoints, logs and the run folder."""

from deepsim.policies.trained_policy import TrainedPolicy

from .config import TrainingConfig

__all__ = ["TrainedPolicy", "TrainingConfig"]
