# SPDX-License-Identifier: Apache-2.0
"""Sends errors from one process to another, as name and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deepsim_sync import (
    DeepSimError,
    DuplicateEntityError,
    SimulationError,
    SpawnError,
    UnknownEntityError,
    UnsupportedError,
)
from deepsim_transport.errors import MessageError, RemoteError

_KNOWN: dict[str, type[Exception]] = {
    each.__name__: each
    for each in (
        DeepSimError,
        DuplicateEntityError,
        MessageError,
        SimulationError,
        SpawnError,
        UnknownEntityError,
        UnsupportedError,
        TypeError,
        ValueError,
    )
}
_ATTRIBUTES = ("kind", "name", "worlds")


def described(error: Exception) -> dict[str, Any]:
    """Encodes an error in a header: its text, and its nearest class known to both processes."""
    kind = next((each for each in type(error).__mro__ if each.__name__ in _KNOWN), None)
    text = str(error)
    if kind is None:
        text = f"{type(error).__name__}: {text}"
    given = vars(error)
    return {
        "error": "" if kind is None else kind.__name__,
        "text": text,
        **{name: given[name] for name in _ATTRIBUTES if name in given and kind is not None},
    }


def raised(header: Mapping[str, Any]) -> Exception:
    """Decodes the error in a header; a `RemoteError` if its class is unknown here."""
    kind, text = _KNOWN.get(header["error"]), str(header["text"])
    if kind is None:
        return RemoteError(text)
    error: Exception = kind.__new__(kind, text)
    error.args = (text,)
    for name in _ATTRIBUTES:
        if name in header:
            value = header[name]
            error.__dict__[name] = tuple(value) if isinstance(value, list) else value
    return error
