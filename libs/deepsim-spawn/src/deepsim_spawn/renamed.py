# SPDX-License-Identifier: Apache-2.0
"""Deprecated names of classes."""

from __future__ import annotations

import warnings

from .description.joint import MimicDescription
from .description.world import SceneDescription

_RENAMED: dict[str, type] = {"Mimic": MimicDescription, "Scene": SceneDescription}


def __getattr__(name: str) -> type:
    """Returns a class by the name that it had until 0.5, with a DeprecationWarning."""
    found = _RENAMED.get(name)
    if found is None:
        raise AttributeError(f"module 'deepsim_spawn' has no attribute {name!r}")
    warnings.warn(
        f"deepsim_spawn.{name} is deprecated since 0.6 and goes in 0.7; use {found.__name__}",
        DeprecationWarning,
        stacklevel=2,
    )
    return found
