# SPDX-License-Identifier: Apache-2.0
"""Nodes with one child, and nodes that run beside a branch."""
