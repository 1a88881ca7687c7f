# SPDX-License-Identifier: Apache-2.0
"""What only files and programs of BehaviorTree.CPP need: scripts, some control nodes, Groot2."""
