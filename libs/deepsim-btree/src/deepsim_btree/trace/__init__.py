# SPDX-License-Identifier: Apache-2.0
"""Traces: recording what the nodes of a tree answer, keeping it, comparing it and showing it."""

from deepsim_btree.snapshot import NodeInfo, Snapshot

from .observer import Trace
from .page import render_html
from .recording import Recording, Step
from .replay import replay

__all__ = ["NodeInfo", "Recording", "Snapshot", "Step", "Trace", "render_html", "replay"]
