# SPDX-License-Identifier: Apache-2.0
"""Runs episodes of a task, and writes their film, map, table and trajectory."""
