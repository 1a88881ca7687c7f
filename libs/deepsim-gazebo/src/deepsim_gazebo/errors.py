# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between this process and Gazebo.

GazeboError (a DeepSimError)
├── UnreachableError        no ROS master, no such service, or nobody listens there
├── CallLostError           the connection broke during a call: it may have taken place or not
├── CallTimeoutError        no answer in time: it may still take place
├── CallRefusedError        the server understood the call and said no
└── MalformedReplyError     an answer that is none of the service's type
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class GazeboError(DeepSimError):
    """Root of the errors of this library."""


class UnreachableError(GazeboError):
    """The ROS master or the service is not there; the call did not take place."""


class CallLostError(GazeboError, ConnectionError):
    """The connection broke before the answer came; the next call makes a new one."""


class CallTimeoutError(GazeboError, TimeoutError):
    """No answer came in time; the next call makes a new connection."""


class CallRefusedError(GazeboError):
    """The server said no, and why."""


class MalformedReplyError(GazeboError):
    """The answer is too short, too long, or contradicts itself."""
