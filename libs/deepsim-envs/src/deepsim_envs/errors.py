# SPDX-License-Identifier: Apache-2.0
"""The errors of environments.

deepsim_sync.DeepSimError
├── ActionError             an action is missing, for an unknown agent, or outside its space
├── ObservationError        an observation does not fit its space
├── ResetNeededError        a step was requested, but no episode is under way
├── ReplayError             a file is not a replay of the task, or a step differs from it
└── ClosedEnvironmentError  a step or reset was requested after `close`
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class ActionError(DeepSimError, ValueError):
    """An action is missing, for an unknown agent, or outside its space; no world has moved.

    Attributes:
        agent: The given name of the agent; with several worlds, the name of its slot.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = agent
        super().__init__(message)


class ObservationError(DeepSimError, ValueError):
    """An observation does not fit the space that the area declares.

    Attributes:
        agent: The name of the agent; with several worlds, the name of its slot.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = agent
        super().__init__(message)


class ResetNeededError(DeepSimError, RuntimeError):
    """A step was requested, but no episode is under way."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"cannot step, because {reason}: call reset() first")


class ReplayError(DeepSimError):
    """A file is not a replay of the environment, or a step differs from the recorded one."""


class ClosedEnvironmentError(DeepSimError, RuntimeError):
    """A step or reset was requested, but the environment is closed."""

    def __init__(self) -> None:
        super().__init__("this environment is closed: make a new one")
