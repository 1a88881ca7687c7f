# SPDX-License-Identifier: Apache-2.0
"""Behaviour trees for robots and games, without dependencies."""
