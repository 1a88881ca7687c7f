# SPDX-License-Identifier: Apache-2.0
"""Exact tests of many pairs of shapes, or of shapes and points, at once."""
