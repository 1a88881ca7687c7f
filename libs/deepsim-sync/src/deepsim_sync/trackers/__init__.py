# SPDX-License-Identifier: Apache-2.0
"""Trackers: objects that are called once per tick, and getters and setters of states."""
