# SPDX-License-Identifier: Apache-2.0
"""Triangles of mesh files and shapes."""
