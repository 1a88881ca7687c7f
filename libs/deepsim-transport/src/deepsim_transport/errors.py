# SPDX-License-Identifier: Apache-2.0
"""The errors of deepsim-transport.

TransportError (a DeepSimError)
├── NoAnswerError    no process answers in time
├── AccessError      a master refuses the credentials of a session
├── MessageError     bytes are not a message of the expected class
└── RemoteError      the other process failed with an error unknown to this process
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class TransportError(DeepSimError):
    """Root of the errors of this library."""


class NoAnswerError(TransportError):
    """No process answers at an address or on a topic, or the answer does not arrive in time."""


class AccessError(TransportError):
    """A master refuses a session: its credentials are wrong or missing."""


class MessageError(TransportError, ValueError):
    """Bytes are not a message of the expected class."""


class RemoteError(TransportError):
    """The other process failed; the message has the text of its error."""
