# SPDX-License-Identifier: Apache-2.0
"""The versions of the software that computes a run."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from importlib import metadata

import numpy as np

_PACKAGES = ("stable-baselines3", "torch", "gymnasium", "numpy", "mujoco", "mujoco-warp", "scenic")


def package_versions() -> dict[str, str]:
    """Returns the versions of installed packages that decide results, such as numpy and deepsim."""
    found = {
        each.metadata["Name"].lower().replace("_", "-"): each.version
        for each in metadata.distributions()
    }
    return {
        name: found[name]
        for name in sorted(found)
        if name in _PACKAGES or name.startswith("deepsim")
    }


def software() -> dict[str, str]:
    """Returns all that decides the bits of a run besides its task, by name.

    These are the versions of Python and packages, the platform, the instructions of the processor
    that NumPy uses, and whether the program has the settings of `deepsim.portable`.
    """
    portable = "on" if os.environ.get("DEEPSIM_PORTABLE") == "1" else "off"
    return {
        "Python": platform.python_version(),
        "platform": platform.platform(),
        "instructions that NumPy uses": _instructions(),
        "portable baseline": portable,
        **package_versions(),
    }


def differences(
    before: Mapping[str, str], now: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yields name, value before and value now of all entries that differ, sorted by name."""
    for name in sorted({*before, *now}):
        one, other = before.get(name, "missing"), now.get(name, "missing")
        if one != other:
            yield name, one, other


def _instructions() -> str:
    try:
        found = np.show_config(mode="dicts")
    except TypeError:  # before NumPy 1.25
        return "unknown"
    extensions = found.get("SIMD Extensions", {}) if found else {}
    return " ".join([*extensions.get("baseline", ()), *extensions.get("found", ())])
