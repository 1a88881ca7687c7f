# SPDX-License-Identifier: Apache-2.0
"""Trackers: callbacks once per tick, and the paper's getters and setters."""
