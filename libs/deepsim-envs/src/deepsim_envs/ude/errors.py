# SPDX-License-Identifier: Apache-2.0
"""The errors of UDE, in process and remote.

deepsim_sync.DeepSimError
└── UDEError                    root of these
    ├── PayloadError            bytes that are no payload, or a value that has no place in one
    ├── RefusedError            the server refused a call; `status` is below 500
    ├── ServerError             the server failed at a call; `status` is 500 or more
    ├── RemoteEnvironmentError  the environment behind the server raised
    ├── ConnectionLostError     no answer: nobody listens, or the connection broke
    ├── CallTimeoutError        no answer in time
    └── ServerStartError        a server that cannot start, as its address is taken or unsafe
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class UDEError(DeepSimError):
    """Root of the errors of `deepsim_envs.ude`."""


class PayloadError(UDEError, ValueError):
    """Bytes that are no payload within the limits, or a value that a payload cannot hold."""


class RefusedError(UDEError):
    """The server refused a call of this client; nothing has happened to the environment.

    Attributes:
        status: 400 malformed, 401 no or a wrong token, 403 not allowed, 409 overtaken by
            another call, 426 another protocol version, 429 too many.
    """

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class ServerError(UDEError):
    """The server failed at a call, or gave up on it.

    Attributes:
        status: 500 a fault of the server, 503 it closes, 504 no step within its time limit.
    """

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class RemoteEnvironmentError(UDEError):
    """The environment behind the server raised; the message is what the server tells of it."""


class ConnectionLostError(UDEError, ConnectionError):
    """There was no answer: nobody listens at the address, or the connection broke."""


class CallTimeoutError(UDEError, TimeoutError):
    """There was no answer within the time that the call was given."""


class ServerStartError(UDEError, OSError):
    """A server cannot start: it was stopped, or its address is taken, or unsafe without TLS."""
