# SPDX-License-Identifier: Apache-2.0
"""Workers as Ray actors, on any machine of a cluster; needs ``deepsim-train[ray]``."""

from __future__ import annotations

import logging
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from .errors import OpenClusterError
from .workers import Sampler

# ruff: noqa: D102 (methods are documented by Worker)

_MODE = "RAY_AUTH_MODE"
_TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_PATIENCE = 60.0  # time limit of the check for a token, which mostly imports Ray [s]
_LOG = logging.getLogger(__name__)


class RayCluster:
    """Starts actors, each as soon as a machine of the cluster has room for it.

    If this process is already connected to a cluster, the workers use it. A Ray cluster runs the
    code of everyone who can reach it, unless it asks for a token. A cluster that this class starts
    asks for one; a cluster that it joins must ask for one, unless `allow_open` is True.

    Args:
        setup: The arguments of `Sampler`.
        count: The number of workers; a new cluster gets enough CPUs for them.
        resources: The resources that each worker needs; see `RolloutPool`.
        address: The cluster to join; see `RolloutPool`.
        allow_open: Whether to use a cluster that asks for no token.

    Attributes:
        needs: The requirements of a worker, for messages.
    """

    def __init__(
        self,
        setup: Mapping[str, Any],
        count: int,
        resources: Mapping[str, float],
        address: str | None,
        allow_open: bool,
    ) -> None:
        self._setup = setup
        self._weights: bytes | None = None
        self._stored: Any = None
        if "ray" not in sys.modules:  # Ray reads the variable once, when it is imported.
            os.environ.setdefault(_MODE, "token")
        try:
            import ray  # noqa: PLC0415 (an extra, and not before its mode is set)
        except ImportError as error:
            raise ImportError(
                "the backend 'ray' needs an extra: "
                "pip install --find-links dist 'deepsim-train[ray]'"
            ) from error
        self._ray: Any = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            # Without an address Ray joins a cluster of this machine, even one that is gone by now.
            address = address or os.environ.get("RAY_ADDRESS") or "local"
            cpus = max(1, math.ceil(count * resources.get("CPU", 0)))
            new: dict[str, Any] = {"num_cpus": cpus, "include_dashboard": False}
            ray.init(address=address, **(new if address == "local" else {}))
        try:
            where = ray.get_runtime_context().gcs_address
            if not allow_open and _lets_strangers_in(where):
                raise OpenClusterError(where)
            needs = {name: amount for name, amount in resources.items() if amount}
            self.needs = f"each takes {needs} of the Ray cluster at {where}"
            _require_room(ray.nodes(), count, needs, where)
            self._kind = ray.remote(
                num_cpus=needs.pop("CPU", 0), num_gpus=needs.pop("GPU", 0), resources=needs
            )(_Actor)
        except BaseException:
            self.close()
            raise

    def start(self) -> RayWorker:
        """Starts a worker."""
        return RayWorker(self, self._kind.remote(self._setup, sys.path))

    def stored(self, weights: bytes | None) -> Any:
        """Returns weights in Ray's store, which the workers of a machine share."""
        if weights is not None and weights is not self._weights:
            self._weights, self._stored = weights, self._ray.put(weights)
        return None if weights is None else self._stored

    def kill(self, actor: Any) -> None:
        """Ends an actor at once."""
        self._ray.kill(actor)

    def close(self) -> None:
        """Ends the connection or cluster that this object has started."""
        self._stored = None
        if self._is_ours:
            self._ray.shutdown()


class RayWorker:
    """A worker as a Ray actor."""

    def __init__(self, cluster: RayCluster, actor: Any) -> None:
        self._cluster, self._actor = cluster, actor
        self.started: Future[Any] = actor.started.remote().future()

    def submit(self, *request: Any) -> Future[Any]:
        *rest, weights = request
        answer: Future[Any] = self._actor.answer.remote(
            *rest, self._cluster.stored(weights)
        ).future()
        return answer

    def stop(self) -> None:
        self._cluster.kill(self._actor)

    def join(self) -> None:
        pass


class _Actor:
    """The process of a worker."""

    def __init__(self, setup: Mapping[str, Any], path: list[str]) -> None:
        # Like a spawned process, the worker can import all modules of the pool's process.
        sys.path.extend(folder for folder in path if folder not in sys.path)
        self._sampler = Sampler(**setup)

    def started(self) -> None:
        pass

    def answer(self, *request: Any) -> Any:
        return self._sampler.answer(*request)


def _require_room(
    nodes: list[dict[str, Any]], workers: int, needs: Mapping[str, float], address: str
) -> None:
    """Raises a ValueError if no worker has room; warns if there is not enough room for all."""
    machines = [node["Resources"] for node in nodes if node["Alive"]]
    room = sum(
        min((int(has.get(name, 0) / need) for name, need in needs.items()), default=workers)
        for has in machines
    )
    found = f"the Ray cluster at {address} has room for {room} of {workers} workers"
    if not room:
        raise ValueError(f"{found}, each of which takes {needs}: its machines have {machines}")
    if room < workers:
        _LOG.warning("%s; the others start when machines join", found)


def _lets_strangers_in(address: str) -> bool:
    """Returns whether the cluster answers without a token; Ray has no function for this."""
    stranger = {name: value for name, value in os.environ.items() if name not in _TOKENS}
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        done = subprocess.run(
            command, env={**stranger, _MODE: "disabled"}, capture_output=True, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        reason = f"no answer within {_PATIENCE:g} s"
    else:
        if done.returncode == 0:
            return True
        reason = (done.stderr + done.stdout).decode(errors="replace")
        if "InvalidAuthToken" in reason:
            return False
    raise RuntimeError(
        f"cannot tell whether the Ray cluster at {address} asks for a token: {reason}"
    )
