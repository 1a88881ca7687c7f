# SPDX-License-Identifier: Apache-2.0
"""Capabilities of the simulator beyond its tables: cameras, contacts, dynamics, sensors."""
