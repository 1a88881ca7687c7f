# SPDX-License-Identifier: Apache-2.0
"""Trackers: objects called once per tick, and the paper's getters and setters of states."""
