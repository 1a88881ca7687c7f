# SPDX-License-Identifier: Apache-2.0
"""Attributes that exist once the scenes are loaded."""

from __future__ import annotations

from typing import Any

from deepsim_sync import DeepSimError


class _NotLoaded:
    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        where = getattr(instance, "path", "")
        of = f" of {where!r}" if where else ""
        raise DeepSimError(
            f"{self._name}{of} does not exist yet: call reset of the LabSimulator first"
        )


def not_loaded() -> Any:
    """Returns the default of an attribute: reading it raises DeepSimError until it is assigned."""
    return _NotLoaded()
