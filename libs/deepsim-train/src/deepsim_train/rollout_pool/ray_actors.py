# SPDX-License-Identifier: Apache-2.0
"""Workers as Ray actors, on any machine of a cluster; needs ``deepsim-train[ray]``."""

from __future__ import annotations

import logging
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from .errors import OpenClusterError
from .workers import Death, Sampler

# ruff: noqa: D102 (methods are documented by Workers)

_MODE = "RAY_AUTH_MODE"
_TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_PATIENCE = 60.0  # time limit of the check for a token, which mostly imports Ray [s]
_NODE_DIED = "its node has died"  # Ray has no exception for this: the text of its message tells.
_LOG = logging.getLogger(__name__)


class RayWorkers:
    """Workers as Ray actors, which start as soon as a machine of the cluster has room for them.

    If this process is already connected to a cluster, the workers use it. A Ray cluster runs the
    code of everyone who can reach it, unless it asks for a token. A cluster that this class starts
    asks for one; a cluster that it joins must ask for one, unless `allow_open` is True.

    Args:
        setup: The arguments of `Sampler`.
        count: The number of workers; a new cluster gets enough CPUs for them.
        timeout: Time within which a finished answer must be fetched [s].
        resources: The resources that each worker needs; see `RolloutPool`.
        address: The cluster to join; see `RolloutPool`.
        allow_open: Whether to use a cluster that asks for no token.
    """

    def __init__(
        self,
        setup: Mapping[str, Any],
        count: int,
        timeout: float,
        resources: Mapping[str, float],
        address: str | None,
        allow_open: bool,
    ) -> None:
        self._setup, self._timeout = setup, timeout
        self._weights: bytes | None = None
        self._stored: Any = None  # the weights in Ray's store, which workers of a machine share
        self._actors: dict[int, Any] = {}
        self._answers: dict[Any, int] = {}  # the worker for each reference to an answer
        if "ray" not in sys.modules:  # Ray reads the variable once, when it is imported.
            os.environ.setdefault(_MODE, "token")
        try:
            import ray  # noqa: PLC0415 (an extra, and not before its mode is set)
        except ImportError as error:
            raise ImportError(
                "the backend 'ray' needs an extra: pip install 'deepsim-train[ray]'"
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
            for worker in range(count):
                self._start(worker)
        except BaseException:
            self.close()
            raise

    def send(self, worker: int, request: bytes, weights: bytes | None) -> None:
        if weights is not None and weights is not self._weights:
            self._weights, self._stored = weights, self._ray.put(weights)
        stored = None if weights is None else self._stored
        self._answers[self._actors[worker].answer.remote(request, stored)] = worker

    def receive(self, timeout: float) -> tuple[int, bytes | Death] | None:
        ready, _ = self._ray.wait(list(self._answers), num_returns=1, timeout=max(0.0, timeout))
        if not ready:
            return None
        worker = self._answers.pop(ready[0])
        try:
            return worker, self._ray.get(ready[0], timeout=self._timeout)
        except self._ray.exceptions.RayError as error:  # The actor, machine or answer is lost.
            return worker, Death(f"{type(error).__name__}: {error}", _NODE_DIED in str(error))

    def replace(self, worker: int) -> None:
        self._answers = {ref: whose for ref, whose in self._answers.items() if whose != worker}
        self._ray.kill(self._actors[worker])
        self._start(worker)

    def close(self) -> None:
        """Ends the actors, and the connection or cluster that this object has started."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors, self._answers, self._stored = {}, {}, None
        if self._is_ours:
            self._ray.shutdown()

    def _start(self, worker: int) -> None:
        actor = self._actors[worker] = self._kind.remote(self._setup, sys.path)
        self._answers[actor.started.remote()] = worker


class _Actor:
    """The process of a worker."""

    def __init__(self, setup: Mapping[str, Any], path: list[str]) -> None:
        # Like a spawned process, the worker can import all modules of the pool's process.
        sys.path.extend(folder for folder in path if folder not in sys.path)
        self._sampler = Sampler(**setup)

    def started(self) -> bytes:
        return b""

    def answer(self, request: bytes, weights: bytes | None) -> bytes:
        return self._sampler.answer(request, weights)


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
