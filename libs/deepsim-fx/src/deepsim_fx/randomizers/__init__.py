# SPDX-License-Identifier: Apache-2.0
"""Randomizers, which draw properties of a world at random, usually for each episode."""
