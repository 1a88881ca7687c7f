# SPDX-License-Identifier: Apache-2.0
"""Collects experience with many workers; one machine and a Ray cluster give the same bytes.

The backend ``"ray"`` needs ``deepsim-train[ray]``.
"""

from .errors import (
    ClosedPoolError,
    FragmentError,
    NoWorkerError,
    OpenClusterError,
    WorkerDiedError,
)
from .policy import Policy, RandomPolicy, RecurrentPolicy
from .pool import RolloutPool
from .streams import Fragment
from .worlds import Spec

__all__ = [
    "ClosedPoolError",
    "Fragment",
    "FragmentError",
    "NoWorkerError",
    "OpenClusterError",
    "Policy",
    "RandomPolicy",
    "RecurrentPolicy",
    "RolloutPool",
    "Spec",
    "WorkerDiedError",
]
