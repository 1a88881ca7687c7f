# SPDX-License-Identifier: Apache-2.0
"""Checks that `deepsim train` supports the spaces of observations and actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_envs.spaces import has_action_mask
from deepsim_train.task_code import TaskError

_LEAST_PICTURE = 36  # side of the smallest picture that the convolutions accept [pixels]


def kind_of(space: Any) -> str:
    """Returns the name of a space's class, such as ``"Box"``, without importing Gymnasium."""
    return type(space).__name__


def is_picture(space: Any) -> bool:
    """Returns whether a space holds pictures: a `Box` of three axes, uint8 from 0 to 255."""
    return (
        kind_of(space) == "Box"
        and space.dtype == np.uint8
        and len(space.shape) == 3
        and bool((space.low == 0).all() and (space.high == 255).all())
    )


def require_suitable(seen: Any, acted: Any) -> None:
    """Checks that the networks can use the spaces of observations and actions.

    Raises:
        TaskError: A space is not suitable; the message gives the reason.
    """
    if kind_of(seen) == "Dict":
        for key, part in seen.spaces.items():
            if not isinstance(key, str) or "." in key:
                raise TaskError(f"keys of observations must be strings without dots, got {key!r}")
            _require_part(part, f"the observation {key!r}")
    else:
        _require_part(seen, "the observation")
    try:
        has_action_mask(seen, acted)
    except ValueError as error:
        raise TaskError(str(error)) from error
    if kind_of(acted) != "Box" and not _is_choice(acted):
        raise TaskError(
            "deepsim train takes actions of a Box, or of a Discrete or a row of MultiDiscrete that "
            f"counts from 0, got {acted}"
        )


def _require_part(space: Any, what: str) -> None:
    if is_picture(space):
        height, width, channels = space.shape or (0, 0, 0)
        if channels >= min(height, width) or min(height, width) < _LEAST_PICTURE:
            raise TaskError(
                f"deepsim train takes pictures (height, width, channels) of at least "
                f"{_LEAST_PICTURE} x {_LEAST_PICTURE} pixels, got {space.shape} as {what}"
            )
    elif kind_of(space) not in ("Box", "MultiBinary") and not _is_choice(space):
        raise TaskError(
            "deepsim train takes observations of a Box, a MultiBinary, a Discrete or a row of "
            f"MultiDiscrete that counts from 0, or a Dict of these, got {space} as {what}"
        )


def _is_choice(space: Any) -> bool:
    if kind_of(space) == "Discrete":
        return int(space.start) == 0
    if kind_of(space) == "MultiDiscrete":
        return space.nvec.ndim == 1 and not np.any(space.start)
    return False
