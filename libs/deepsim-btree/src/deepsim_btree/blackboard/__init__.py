# SPDX-License-Identifier: Apache-2.0
"""Shared data of nodes: entries, their keys, and ports."""
