# SPDX-License-Identifier: Apache-2.0
"""Testing tools: a small simulator in memory, and the conformance suite for simulators.

The suite, `deepsim_sync.testing.conformance`, needs pytest and is imported separately.
"""

from .table_simulator import Call, TableModel, TableSimulator

__all__ = ["Call", "TableModel", "TableSimulator"]
