# SPDX-License-Identifier: Apache-2.0
"""Checks what users ask of a vector environment's reset and step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.errors import ResetNeededError

Bools = NDArray[np.bool_]


def reset_mask(options: Mapping[str, Any] | None, worlds: int) -> Bools:
    """Returns which worlds are reset, (W,): ``options["reset_mask"]``, or all.

    Raises:
        TypeError: It is no array of bool.
        ValueError: It has another shape, or no True.
    """
    if options is None or "reset_mask" not in options:
        return np.ones(worlds, dtype=np.bool_)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"reset_mask must be an array of bool, got {mask!r}")
    if mask.shape != (worlds,) or not mask.any():
        raise ValueError(f"reset_mask must have shape ({worlds},) and a True in it, got {mask}")
    return mask


def refuse_ended(ended: Bools) -> None:
    """Refuses a step in the mode Disabled while an episode is over.

    Raises:
        ResetNeededError: One is.
    """
    if ended.any():
        raise ResetNeededError(
            f"the episodes of worlds {np.flatnonzero(ended).tolist()} are over, and the mode "
            'Disabled leaves resets to you, as by options={"reset_mask": mask}'
        )
