# SPDX-License-Identifier: Apache-2.0
"""The errors of environments.

deepsim_sync.DeepSimError
├── ActionError             an action that is missing, of an unknown agent, or outside its space
├── ObservationError        an observation that does not fit its space
├── ResetNeededError        a step while no episode is under way
├── ReplayError             a replay of something else, or a step that came out otherwise
└── ClosedEnvironmentError  a step or reset after close
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class ActionError(DeepSimError, ValueError):
    """The actions of a step do not suit the agents; nothing has happened to the world.

    Attributes:
        agent: The name of the agent, as it was given.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = agent
        super().__init__(message)


class ObservationError(DeepSimError, ValueError):
    """What an agent observes does not fit the space that its area declares.

    Attributes:
        agent: The name of the agent.
    """

    def __init__(self, agent: str, message: str) -> None:
        self.agent = agent
        super().__init__(message)


class ResetNeededError(DeepSimError, RuntimeError):
    """A step was asked for while no episode is under way."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"cannot step, because {reason}: call reset() first")


class ReplayError(DeepSimError):
    """A file is no replay of the environment, or a step came out otherwise than recorded."""


class ClosedEnvironmentError(DeepSimError, RuntimeError):
    """The environment was closed: it can neither step nor reset."""

    def __init__(self) -> None:
        super().__init__("this environment is closed: make a new one")
