# SPDX-License-Identifier: Apache-2.0
"""The deprecated name of a class, which warns and returns the class."""

from __future__ import annotations

import warnings

from .protocol.exchange import ExchangeStatus


def __getattr__(name: str) -> type:
    """Returns the class that had this name until 0.8, with a warning.

    Raises:
        AttributeError: No class ever had the name.
    """
    if name != "Status":
        raise AttributeError(f"module 'deepsim_gazebo' has no attribute {name!r}")
    warnings.warn(
        "deepsim_gazebo.Status is deprecated since 0.9 and goes in 0.10; use ExchangeStatus",
        DeprecationWarning,
        stacklevel=2,
    )
    return ExchangeStatus
