# SPDX-License-Identifier: Apache-2.0
"""The errors of UDE, in process and remote.

deepsim_sync.DeepSimError
└── UDEError                    root of these
    ├── PayloadError            bytes that are not a payload, or a value that does not fit into one
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
    """Bytes are not a payload within the limits, or a value does not fit into one."""


class _StatusError(UDEError):
    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class RefusedError(_StatusError):
    """The server refused a call of this client; nothing has happened to the environment.

    Attributes:
        status: 400 malformed, 401 no or a wrong token, 403 not allowed, 409 overtaken by
            another call, 426 another protocol version, 429 too many.
    """


class ServerError(_StatusError):
    """The server failed at a call, or gave up on it.

    Attributes:
        status: 500 a fault of the server, 503 it closes, 504 no step within its time limit.
    """


class RemoteEnvironmentError(UDEError):
    """The environment behind the server raised; the message is the server's."""


class ConnectionLostError(UDEError, ConnectionError):
    """Nobody listens at the address, or the connection broke."""


class CallTimeoutError(UDEError, TimeoutError):
    """The server did not answer within the time of the call."""


class ServerStartError(UDEError, OSError):
    """A server was stopped, or its address is taken, or unsafe without TLS."""
