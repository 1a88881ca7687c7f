# SPDX-License-Identifier: Apache-2.0
"""Cameras: which shapes, and which of them in each pixel."""
