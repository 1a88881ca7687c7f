# SPDX-License-Identifier: Apache-2.0
from types import ModuleType

import pytest

import deepsim_soccer
import deepsim_soccer.mind
import deepsim_soccer.pitch
import deepsim_soccer.skills


@pytest.mark.parametrize(
    "package", [deepsim_soccer, deepsim_soccer.skills, deepsim_soccer.mind, deepsim_soccer.pitch]
)
def test_all_lists_the_public_names(package: ModuleType) -> None:
    public = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert sorted(public) == sorted(package.__all__)
