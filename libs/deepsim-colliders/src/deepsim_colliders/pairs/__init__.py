# SPDX-License-Identifier: Apache-2.0
"""Exact tests of arrays of pairs: two shapes, or a shape and a point."""
