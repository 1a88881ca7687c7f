# SPDX-License-Identifier: Apache-2.0
"""Agents, areas and reinforcement-learning environments."""
