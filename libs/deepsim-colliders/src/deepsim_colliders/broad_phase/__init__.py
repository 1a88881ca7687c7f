# SPDX-License-Identifier: Apache-2.0
"""Broad phase: the bounds of shapes sort out the pairs that need an exact test."""
