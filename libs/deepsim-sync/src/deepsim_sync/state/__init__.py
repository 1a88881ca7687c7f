# SPDX-License-Identifier: Apache-2.0
"""The state of a world: its tables as rows, and the changes that wait for the next write."""
