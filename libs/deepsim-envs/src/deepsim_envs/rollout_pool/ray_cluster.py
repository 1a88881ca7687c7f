# SPDX-License-Identifier: Apache-2.0
"""A Ray cluster that asks for a token; needs ``deepsim-envs[ray]``."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from .errors import OpenClusterError

_MODE = "RAY_AUTH_MODE"
_TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_PATIENCE = 60.0  # for the stranger's answer, most of which is `import ray` [s]


class RayCluster:
    """A connection to Ray: the one that this process has, or else a new one.

    Ray's cluster runs any code that reaches it; a token is what keeps others out. A cluster that is
    started here asks for one, and one that is joined must.

    Args:
        workers: Workers that it must have CPUs for; as many has a cluster that is started here.
        address: A cluster to join, as in ``"10.0.0.1:6379"`` or ``"auto"``; by default what
            ``RAY_ADDRESS`` says, or else a new cluster on this machine.
        allow_open: Whether a cluster without a token will do.

    Attributes:
        ray: The module.
        address: Of the cluster.

    Raises:
        OpenClusterError: The cluster asks for no token.
        ValueError: It has too few CPUs.
        ImportError: Ray is not installed.
    """

    def __init__(self, workers: int, address: str | None, *, allow_open: bool) -> None:
        if "ray" not in sys.modules:  # which reads it once
            os.environ.setdefault(_MODE, "token")
        self.ray = _import_ray()
        self._is_ours = not self.ray.is_initialized()
        if self._is_ours:
            joins = address or os.environ.get("RAY_ADDRESS")
            new: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False}
            self.ray.init(address=address, **({} if joins else new))
        try:
            self.address: str = self.ray.get_runtime_context().gcs_address
            if not allow_open and _lets_strangers_in(self.address):
                raise OpenClusterError(self.address)
            cpus = self.ray.cluster_resources().get("CPU", 0.0)
            if cpus < workers:
                raise ValueError(
                    f"the Ray cluster at {self.address} has {cpus:g} CPUs for {workers} workers: "
                    "take fewer workers, or add nodes"
                )
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leaves the cluster, if it was joined or started here; ends it in the latter case."""
        if self._is_ours:
            self.ray.shutdown()


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
    done = subprocess.run(
        command, env={**stranger, _MODE: "disabled"}, capture_output=True, timeout=_PATIENCE
    )
    if done.returncode == 0:
        return True
    if b"InvalidAuthToken" in done.stderr + done.stdout:
        return False
    raise RuntimeError(
        f"cannot tell whether the Ray cluster at {address} asks for a token:\n"
        f"{done.stderr.decode(errors='replace')}"
    )
