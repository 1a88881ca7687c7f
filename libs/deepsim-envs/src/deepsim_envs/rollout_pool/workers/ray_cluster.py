# SPDX-License-Identifier: Apache-2.0
"""A Ray cluster that asks for a token; needs ``deepsim-envs[ray]``."""

from __future__ import annotations

import logging
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from deepsim_envs.rollout_pool.errors import OpenClusterError

_MODE = "RAY_AUTH_MODE"
_TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_PATIENCE = 60.0  # for the stranger's answer, most of which is `import ray` [s]
_LOG = logging.getLogger(__name__)


class RayCluster:
    """A connection to Ray: the one that this process has, or else a new one.

    Ray's cluster runs any code that reaches it; a token is what keeps others out. A cluster that is
    started here asks for one, and one that is joined must.

    Args:
        workers: The number of workers; a cluster that is started here has CPUs for them.
        resources: What one worker takes: ``"CPU"``, ``"GPU"``, and resources of Ray by name.
        address: A cluster to join, as in ``"10.0.0.1:6379"`` or ``"auto"``; by default what
            ``RAY_ADDRESS`` says, or else a new cluster on this machine.
        allow_open: Whether a cluster without a token will do.

    Attributes:
        ray: The module.
        resources: As given.
        address: The address of the cluster.

    Raises:
        OpenClusterError: The cluster asks for no token.
        ValueError: None of its machines has room for a worker.
        ImportError: Ray is not installed.
    """

    def __init__(
        self, workers: int, resources: Mapping[str, float], address: str | None, *, allow_open: bool
    ) -> None:
        if "ray" not in sys.modules:  # which reads it once
            os.environ.setdefault(_MODE, "token")
        self.ray = _import_ray()
        self.resources = resources
        self._is_ours = not self.ray.is_initialized()
        if self._is_ours:
            joins = address or os.environ.get("RAY_ADDRESS")
            cpus = math.ceil(workers * resources.get("CPU", 0)) or 1
            new: dict[str, Any] = {"num_cpus": cpus, "include_dashboard": False}
            self.ray.init(address=address, **({} if joins else new))
        try:
            self.address: str = self.ray.get_runtime_context().gcs_address
            if not allow_open and _lets_strangers_in(self.address):
                raise OpenClusterError(self.address)
            self._require_room(workers)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leaves the cluster, if it was joined or started here; ends it in the latter case."""
        if self._is_ours:
            self.ray.shutdown()

    def _require_room(self, workers: int) -> None:
        """Refuses a cluster without room for one worker; warns if there is none for all."""
        machines = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        needs = {name: amount for name, amount in self.resources.items() if amount}
        room = sum(
            min(
                (math.floor(has.get(name, 0) / need) for name, need in needs.items()),
                default=workers,
            )
            for has in machines
        )
        found = f"the Ray cluster at {self.address} has room for {room} of {workers} workers"
        if not room:
            raise ValueError(f"{found}, each of which takes {needs}: its machines have {machines}")
        if room < workers:
            _LOG.warning("%s; the others start when machines join", found)


def _import_ray() -> Any:
    try:
        import ray  # noqa: PLC0415 (an extra, and not before its mode is set)
    except ImportError as error:
        raise ImportError(
            "the backend 'ray' needs an extra: pip install 'deepsim-envs[ray]'"
        ) from error
    return ray


def _lets_strangers_in(address: str) -> bool:
    """Whether the cluster answers one who has no token; Ray itself does not say."""
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
