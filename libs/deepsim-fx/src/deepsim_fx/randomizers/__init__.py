# SPDX-License-Identifier: Apache-2.0
"""Randomizers: properties of a world that are drawn for each episode."""
