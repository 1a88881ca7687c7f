# SPDX-License-Identifier: Apache-2.0
"""Testing tools: a small simulator in memory, on which tests of tasks and effects run."""

from .table_simulator import Call, TableModel, TableSimulator

__all__ = ["Call", "TableModel", "TableSimulator"]
