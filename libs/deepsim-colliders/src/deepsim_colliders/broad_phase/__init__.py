# SPDX-License-Identifier: Apache-2.0
"""Finds the pairs that need an exact test by the bounds of shapes, without missing any."""
