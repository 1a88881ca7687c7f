# SPDX-License-Identifier: Apache-2.0
"""Adapters of trainers that are not installed say what to type."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ("adapter", "package"),
    [
        ("lerobot", "pyarrow"),
        ("minari", "minari"),
        ("rllib", "ray"),
        ("rsl_rl", "rsl_rl"),
        ("sb3", "stable_baselines3"),
        ("torchrl", "torchrl"),
    ],
)
def test_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, adapter: str, package: str
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    for name in [name for name in sys.modules if name.startswith(f"deepsim_train.{adapter}")]:
        monkeypatch.delitem(sys.modules, name)
    extra = adapter.replace("_", "-")
    with pytest.raises(
        ImportError, match=rf"pip install --find-links dist 'deepsim-train\[{extra}\]'"
    ):
        import_module(f"deepsim_train.{adapter}")
