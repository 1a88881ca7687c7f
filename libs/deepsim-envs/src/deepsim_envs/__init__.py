# SPDX-License-Identifier: Apache-2.0
"""Agents, areas and the environment that steps them, as in the DeepSim paper's Appendix B.

Trainers see an environment through a view: `GymnasiumEnv`, `GymnasiumVectorEnv`, or those of
`deepsim_envs.pettingzoo`.

What needs Gymnasium is imported when it is first asked for: that takes as long as all the rest.
"""

import importlib
import typing

from .area import AbstractAgent, Agents, Area, AreaInterface
from .digests import digest
from .environment_state import EnvironmentState
from .errors import (
    ActionError,
    ClosedEnvironmentError,
    ObservationError,
    ReplayError,
    ResetNeededError,
)
from .step_result import Step, StepResult

if typing.TYPE_CHECKING:
    from .batch_policy import BatchPolicy, BatchPolicyMaker, in_each_world
    from .batch_vector_env import BatchVectorEnv
    from .environment import Environment
    from .gymnasium_env import GymnasiumEnv
    from .gymnasium_vector_env import GymnasiumVectorEnv
    from .policy import Policy, PolicyMaker
    from .recording import Recorder, replay
    from .registration import register
else:  # a checker of types must not believe that there are other names, too
    _NEEDS_GYMNASIUM = {
        "BatchPolicy": "batch_policy",
        "BatchPolicyMaker": "batch_policy",
        "BatchVectorEnv": "batch_vector_env",
        "Environment": "environment",
        "GymnasiumEnv": "gymnasium_env",
        "GymnasiumVectorEnv": "gymnasium_vector_env",
        "Policy": "policy",
        "PolicyMaker": "policy",
        "Recorder": "recording",
        "in_each_world": "batch_policy",
        "register": "registration",
        "replay": "recording",
    }

    def __getattr__(name):
        if name not in _NEEDS_GYMNASIUM:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module(f".{_NEEDS_GYMNASIUM[name]}", __name__)
        globals()[name] = found = getattr(module, name)
        return found

    def __dir__():
        return sorted({*globals(), *_NEEDS_GYMNASIUM})


__all__ = [
    "AbstractAgent",
    "ActionError",
    "Agents",
    "Area",
    "AreaInterface",
    "BatchPolicy",
    "BatchPolicyMaker",
    "BatchVectorEnv",
    "ClosedEnvironmentError",
    "Environment",
    "EnvironmentState",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "ObservationError",
    "Policy",
    "PolicyMaker",
    "Recorder",
    "ReplayError",
    "ResetNeededError",
    "Step",
    "StepResult",
    "digest",
    "in_each_world",
    "register",
    "replay",
]
