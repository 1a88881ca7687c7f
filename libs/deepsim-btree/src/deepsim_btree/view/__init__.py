# SPDX-License-Identifier: Apache-2.0
"""A live view of a tree on a page in the browser."""

from .viewer import TreeViewer

__all__ = ["TreeViewer"]
