# SPDX-License-Identifier: Apache-2.0
"""Turns calls without the token away before anything of their message is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .access import has_token
from .grpc_module import grpc


def guarded(calls: Any, token: str) -> Any:
    """The same calls, for those who know the token.

    Args:
        calls: A `grpc.GenericRpcHandler`.
        token: The secret.
    """
    # A stream's handler is called at once; that of a single message, when it has come.
    turn_away = grpc.stream_stream_rpc_method_handler(_turn_away)

    class Guard(grpc.GenericRpcHandler):  # type: ignore[misc]  # without types
        def service(self, details: Any) -> Any:
            known = has_token(details.invocation_metadata, token)
            return calls.service(details) if known else turn_away

    return Guard()


def _turn_away(_requests: Iterator[bytes], context: Any) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "this server asks for a valid token")
