# SPDX-License-Identifier: Apache-2.0
"""Agents, areas and the environment that steps them, as in the DeepSim paper's Appendix B.

Trainers use an environment through a view, such as `GymnasiumEnv`, `GymnasiumVectorEnv`, or
`deepsim_envs.pettingzoo.PettingZooEnv`.

Names that need Gymnasium are imported at their first use, because importing Gymnasium takes as long
as importing everything else.
"""

import importlib
import typing

from .area import AbstractAgent, Agents, Area, AreaInterface
from .area.events import Command, Interval, Push
from .area.parts import ActionDelay, History, Observations, TaskPart
from .digests import digest
from .errors import (
    ActionError,
    ClosedEnvironmentError,
    ObservationError,
    ReplayError,
    ResetNeededError,
)
from .results import EnvironmentState, Step, StepResult

if typing.TYPE_CHECKING:
    from .construction import JoinedEnvironment, make_worlds
    from .environment import Environment
    from .gymnasium import GymnasiumEnv, GymnasiumVectorEnv, register
    from .policy import ArrayPolicy, Policy, PolicyMaker
    from .recording import Recorder, replay
    from .spaces import action_box
    from .trajectories import Trajectory, TrajectoryCollector
else:  # hidden from type checkers, which would take __getattr__ for any name
    _NEEDS_GYMNASIUM = {
        "ArrayPolicy": "policy",
        "Environment": "environment",
        "GymnasiumEnv": "gymnasium",
        "GymnasiumVectorEnv": "gymnasium",
        "JoinedEnvironment": "construction",
        "Policy": "policy",
        "PolicyMaker": "policy",
        "Recorder": "recording",
        "Trajectory": "trajectories",
        "TrajectoryCollector": "trajectories",
        "action_box": "spaces",
        "make_worlds": "construction",
        "register": "gymnasium",
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
    "ActionDelay",
    "ActionError",
    "Agents",
    "Area",
    "AreaInterface",
    "ArrayPolicy",
    "ClosedEnvironmentError",
    "Command",
    "Environment",
    "EnvironmentState",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "History",
    "Interval",
    "JoinedEnvironment",
    "ObservationError",
    "Observations",
    "Policy",
    "PolicyMaker",
    "Push",
    "Recorder",
    "ReplayError",
    "ResetNeededError",
    "Step",
    "StepResult",
    "TaskPart",
    "Trajectory",
    "TrajectoryCollector",
    "action_box",
    "digest",
    "make_worlds",
    "register",
    "replay",
]
