# SPDX-License-Identifier: Apache-2.0
"""Agents, areas and the environment that steps them, as in the DeepSim paper's Appendix B.

Trainers see an environment through a view: `GymnasiumEnv`, `GymnasiumVectorEnv`, or those of
`deepsim_envs.pettingzoo`.
"""

from .agent import AbstractAgent
from .area import AreaInterface
from .batch_area import BatchArea, Judgement
from .batch_environment import BatchEnvironment, BatchEnvironmentState, BatchStepResult
from .batch_policy import BatchPolicy, BatchPolicyMaker, in_each_world
from .batch_vector_env import BatchVectorEnv
from .digests import digest
from .environment import Environment
from .environment_state import EnvironmentState
from .errors import (
    ActionError,
    ClosedEnvironmentError,
    ObservationError,
    ReplayError,
    ResetNeededError,
)
from .gymnasium_env import Act, GymnasiumEnv, PolicyMaker
from .gymnasium_vector_env import GymnasiumVectorEnv
from .recording import Recorder, replay
from .registration import register
from .step_result import StepResult

__all__ = [
    "AbstractAgent",
    "Act",
    "ActionError",
    "AreaInterface",
    "BatchArea",
    "BatchEnvironment",
    "BatchEnvironmentState",
    "BatchPolicy",
    "BatchPolicyMaker",
    "BatchStepResult",
    "BatchVectorEnv",
    "ClosedEnvironmentError",
    "Environment",
    "EnvironmentState",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "Judgement",
    "ObservationError",
    "PolicyMaker",
    "Recorder",
    "ReplayError",
    "ResetNeededError",
    "StepResult",
    "digest",
    "in_each_world",
    "register",
    "replay",
]
