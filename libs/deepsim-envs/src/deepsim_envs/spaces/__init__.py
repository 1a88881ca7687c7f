# SPDX-License-Identifier: Apache-2.0
"""Checks and copies members of Gymnasium's spaces, one by one or in batches over worlds."""

from .batches import Batch, GroupBatches, batch_of
from .members import (
    GOALS,
    MASK,
    action_box,
    allowed,
    choices_of,
    conform,
    copied,
    has_action_mask,
    leafwise,
    require_within,
    sample_allowed,
    shown,
)

__all__ = [
    "GOALS",
    "MASK",
    "Batch",
    "GroupBatches",
    "action_box",
    "allowed",
    "batch_of",
    "choices_of",
    "conform",
    "copied",
    "has_action_mask",
    "leafwise",
    "require_within",
    "sample_allowed",
    "shown",
]
