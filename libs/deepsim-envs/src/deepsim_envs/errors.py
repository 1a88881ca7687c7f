# SPDX-License-Identifier: Apache-2.0
"""The errors of environments.

deepsim_sync.DeepSimError
├── ActionError             an action that is missing, of an unknown agent, or outside its space
├── ObservationError        an observation that does not fit its space
├── ResetNeededError        a step while no episode is under way
├── ReplayError             a replay of another task, or a step that differs from the recorded one
└── ClosedEnvironmentError  a step or reset after close
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class ActionError(DeepSimError, ValueError):
    """An action is missing, of an unknown agent, or outside its space; no world has moved.

    Attributes:
        agent: The name of the agent, as it was given; of its slot, where there are several worlds.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = agent
        super().__init__(message)


class ObservationError(DeepSimError, ValueError):
    """An observation does not fit the space that the area declares.

    Attributes:
        agent: The name of the agent; of its slot, where there are several worlds.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = agent
        super().__init__(message)


class ResetNeededError(DeepSimError, RuntimeError):
    """A step was asked for while no episode is under way."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"cannot step, because {reason}: call reset() first")


class ReplayError(DeepSimError):
    """A file is not a replay of the environment, or a step differs from the recorded one."""


class ClosedEnvironmentError(DeepSimError, RuntimeError):
    """The environment was closed: it can neither step nor reset."""

    def __init__(self) -> None:
        super().__init__("this environment is closed: make a new one")
