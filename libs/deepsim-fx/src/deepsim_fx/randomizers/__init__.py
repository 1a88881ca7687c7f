# SPDX-License-Identifier: Apache-2.0
"""Randomizers: properties of a world that each episode draws again."""
