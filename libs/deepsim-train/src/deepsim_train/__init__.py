# SPDX-License-Identifier: Apache-2.0
"""Training and what belongs to it: tasks, policies, trainers' views, data sets and rollouts.

Everything here runs without torch, apart from `deepsim_train.training.ppo` and the views of
trainers: `deepsim_train.sb3`, `rsl_rl`, `rllib` and `torchrl`.
"""

from .policies.trained_policy import RecurrentPolicy, TrainedPolicy, load_policy
from .task_code import TaskCodeError, TaskError
from .tasks.loading import load_task, make_environment, register_task
from .tasks.task import Task
from .training.config import TrainingConfig

__all__ = [
    "RecurrentPolicy",
    "Task",
    "TaskCodeError",
    "TaskError",
    "TrainedPolicy",
    "TrainingConfig",
    "load_policy",
    "load_task",
    "make_environment",
    "register_task",
]
