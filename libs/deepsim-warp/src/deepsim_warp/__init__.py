# SPDX-License-Identifier: Apache-2.0
"""Thousands of DeepSim worlds on a GPU, stepped by MuJoCo Warp."""

from .buffer import Transfers
from .columns import DeviceColumn
from .simulator import WarpSimulator

__all__ = ["DeviceColumn", "Transfers", "WarpSimulator"]
