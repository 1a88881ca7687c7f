# SPDX-License-Identifier: Apache-2.0
"""What the packages offer is what their `__all__` says."""

from __future__ import annotations

from types import ModuleType

import pytest

import deepsim_sync
import deepsim_sync.testing


@pytest.mark.parametrize(
    "package",
    [deepsim_sync, deepsim_sync.testing],
    ids=lambda package: package.__name__,
)
def test_all_lists_the_public_names(package: ModuleType) -> None:
    public = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert sorted(public) == sorted(package.__all__)
