# SPDX-License-Identifier: Apache-2.0
"""Testing tools: a small simulator in memory, and the conformance suite of backends.

The suite is `deepsim_sync.testing.conformance`, apart from this package because it needs pytest.
"""

from .table_simulator import Call, TableModel, TableSimulator

__all__ = ["Call", "TableModel", "TableSimulator"]
