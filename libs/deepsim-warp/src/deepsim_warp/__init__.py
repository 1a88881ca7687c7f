# SPDX-License-Identifier: Apache-2.0
"""Thousands of DeepSim worlds on a GPU, stepped by MuJoCo Warp."""

from .buffer import Transfers
from .simulator import DeviceColumn, WarpSimulator

__all__ = ["DeviceColumn", "Transfers", "WarpSimulator"]
