# SPDX-License-Identifier: Apache-2.0
"""The errors of deepsim-transport.

TransportError (a DeepSimError)
├── NoAnswerError    nobody answers, or not in time
├── AccessError      a master lets nobody in with these credentials
├── MessageError     bytes that are not the message that they should be
└── RemoteError      the other process failed in a way that has no error of DeepSim
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class TransportError(DeepSimError):
    """Root of the errors of this library."""


class NoAnswerError(TransportError):
    """There is no answer from an address or on a topic, or it does not arrive in time."""


class AccessError(TransportError):
    """A master refuses a session: its credentials are wrong or missing."""


class MessageError(TransportError, ValueError):
    """Bytes are not a message of the expected class."""


class RemoteError(TransportError):
    """The other process failed; the message has the name and the text of its error."""
