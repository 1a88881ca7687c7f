# SPDX-License-Identifier: Apache-2.0
"""Errors of the communication with Gazebo.

GazeboError (a DeepSimError)
├── UnreachableError        no ROS master, no such service, or no server at its address
├── CallLostError           the connection broke during a call, which may have been executed
├── CallTimeoutError        no answer in time; the call may still be executed
├── CallRefusedError        the server refused the call
└── MalformedReplyError     an answer that does not have the service's type
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class GazeboError(DeepSimError):
    """Base class of the errors of this library."""


class UnreachableError(GazeboError):
    """The ROS master or the service is not available; the call was not executed.

    >>> from deepsim_gazebo import BatchStateClient
    >>> try:
    ...     BatchStateClient("http://localhost:1").names()  # without a ROS master at that port
    ... except UnreachableError:
    ...     print("not connected")
    not connected
    """


class CallLostError(GazeboError, ConnectionError):
    """The connection broke before the answer came; the next call reconnects."""


class CallTimeoutError(GazeboError, TimeoutError):
    """No answer came in time; the next call reconnects."""


class CallRefusedError(GazeboError):
    """The server refused the call; the message says why."""


class MalformedReplyError(GazeboError):
    """The answer is too short, too long, or inconsistent."""
