# SPDX-License-Identifier: Apache-2.0
"""Refused requests, which become the result code and text of a response."""

from __future__ import annotations

from simulation_interfaces.msg import Result

from deepsim_ros2.errors import Ros2Error


class RefusedError(Ros2Error):
    """A request is refused.

    Attributes:
        code: A code of ``simulation_interfaces/msg/Result``, or of the service.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def not_found(text: str) -> RefusedError:
    """Returns the refusal of a request that names something unknown."""
    return RefusedError(Result.RESULT_NOT_FOUND, text)


def unsupported(text: str) -> RefusedError:
    """Returns the refusal of a request for a feature that is missing."""
    return RefusedError(Result.RESULT_FEATURE_UNSUPPORTED, text)


def failed(text: str) -> RefusedError:
    """Returns the refusal of a request that cannot be fulfilled."""
    return RefusedError(Result.RESULT_OPERATION_FAILED, text)
