# SPDX-License-Identifier: Apache-2.0
"""The conformance suite: the requirements of the port, as pytest tests.

The tests of a simulator subclass `SimulatorConformance`, and implement a few methods that
make the simulator.
"""

import pkgutil

import pytest

pytest.register_assert_rewrite(*(f"{__name__}.{m.name}" for m in pkgutil.iter_modules(__path__)))

from .suite import SimulatorConformance  # noqa: E402 (the line above rewrites its asserts)

__all__ = ["SimulatorConformance"]
