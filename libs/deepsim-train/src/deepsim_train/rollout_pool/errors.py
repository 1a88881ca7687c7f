# SPDX-License-Identifier: Apache-2.0
"""The errors of rollout pools.

deepsim_sync.DeepSimError
├── FragmentError         the task or the policy raised an error, so a fragment is missing
├── WorkerDiedError       several workers died while they computed the same fragment
├── NoWorkerError         no worker starts
├── ClosedPoolError       the pool is closed
└── OpenClusterError      a Ray cluster runs the code of everyone who can reach it
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


class FragmentError(DeepSimError):
    """A fragment could not be computed, because the environment or the policy raised an error.

    The pool does not advance: the next `collect` computes the same fragments again.

    Attributes:
        fragment: Number of the fragment.
        kind: Name of the exception's class.
        traceback: Traceback of the exception, as text.
    """

    def __init__(self, fragment: int, kind: str, message: str, traceback: str) -> None:
        self.fragment = fragment
        self.kind = kind
        self.traceback = traceback
        super().__init__(f"fragment {fragment} raised {kind}: {message}")


class WorkerDiedError(DeepSimError):
    """Every worker that tried to compute a fragment died.

    Attributes:
        fragment: Number of the fragment.
    """

    def __init__(self, fragment: int, deaths: int, reason: str) -> None:
        self.fragment = fragment
        super().__init__(
            f"fragment {fragment} was given up: {deaths} workers died of it, one after the other, "
            f"the last one by {reason}"
        )


class NoWorkerError(DeepSimError):
    """No worker of a pool starts, for example because a Ray cluster has no room for one."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the rollout pool has no worker: {reason}")


class ClosedPoolError(DeepSimError, RuntimeError):
    """The pool is closed, and its workers have ended."""

    def __init__(self) -> None:
        super().__init__("this rollout pool is closed: make a new one")


class OpenClusterError(DeepSimError):
    """A Ray cluster needs no token: it runs the code of everyone who can reach it."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"the Ray cluster at {address} asks for no token, so that everyone who reaches it can "
            "run code on it: start it with RAY_AUTH_MODE=token, or pass allow_open_cluster=True"
        )
