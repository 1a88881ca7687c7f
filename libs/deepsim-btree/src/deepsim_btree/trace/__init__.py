# SPDX-License-Identifier: Apache-2.0
"""Traces record the answers of a tree's nodes, and recordings can be saved, compared and shown."""

from deepsim_btree.snapshot import NodeInfo, Snapshot

from .observer import Trace
from .recording import Recording, Step, render_html

__all__ = ["NodeInfo", "Recording", "Snapshot", "Step", "Trace", "render_html"]
