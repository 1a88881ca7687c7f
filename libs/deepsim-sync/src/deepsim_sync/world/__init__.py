# SPDX-License-Identifier: Apache-2.0
"""The world: a simulator, its tables as rows, sensors and snapshots."""
