# SPDX-License-Identifier: Apache-2.0
"""Live view: a page in the browser that shows a tree as it ticks."""

from .viewer import TreeViewer

__all__ = ["TreeViewer"]
