# SPDX-License-Identifier: Apache-2.0
"""Extents of a model: bounds and footprint."""
