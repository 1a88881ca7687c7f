# SPDX-License-Identifier: Apache-2.0
"""The world: one simulator, its tables as rows, and everything that runs in it."""
