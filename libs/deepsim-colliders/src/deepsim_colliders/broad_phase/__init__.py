# SPDX-License-Identifier: Apache-2.0
"""Pairs that deserve an exact test, by the bounds of shapes; no pair that meets is ever lost."""
