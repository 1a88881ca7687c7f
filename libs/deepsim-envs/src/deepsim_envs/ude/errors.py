# SPDX-License-Identifier: Apache-2.0
"""The errors of UDE's servers and clients.

deepsim_sync.DeepSimError
└── UDEError                    base class of the following errors
    ├── PayloadError            bytes are not a payload, or a value does not fit into one
    ├── RefusedError            the server refused a call; `status` is below 500
    ├── ServerError             the server failed during a call; `status` is 500 or more
    ├── RemoteEnvironmentError  the environment on the server raised an error
    ├── ConnectionLostError     there is no server, or the connection broke
    ├── CallTimeoutError        the server did not answer in time
    └── ServerStartError        a server cannot start: for example, its address is taken or unsafe
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class UDEError(DeepSimError):
    """Base class of the errors in `deepsim_envs.ude`."""


class PayloadError(UDEError, ValueError):
    """Bytes are not a payload within the limits, or a value does not fit into one."""


class _StatusError(UDEError):
    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class RefusedError(_StatusError):
    """The server refused a call of this client; the call did not change the environment.

    Attributes:
        status: 400 for a malformed call, 401 for a missing or wrong token, 403 if not allowed, 409
            if another call came first, 426 for a different protocol version, 429 for too many
            calls.
    """


class ServerError(_StatusError):
    """The server failed during a call, or gave it up.

    Attributes:
        status: 500 for an error in the server, 503 if it is closing, 504 after its time limit.
    """


class RemoteEnvironmentError(UDEError):
    """The environment on the server raised an error; the server wrote the message."""


class ConnectionLostError(UDEError, ConnectionError):
    """There is no server at the address, or the connection broke."""


class CallTimeoutError(UDEError, TimeoutError):
    """The server did not answer within the timeout of the call."""


class ServerStartError(UDEError, OSError):
    """A server cannot start: it was stopped, or its address is taken or unsafe without TLS."""
